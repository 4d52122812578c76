/**
 * Keeps what users type into proposals until it lands or they discard it. It survives conflicts, withdrawals, window
 * reloads, and server crashes. Drafts whose reviews have ended are listed, and can be applied to their files.
 */
import * as vscode from 'vscode';
import type { Draft, DraftStore } from './draftStore';
import { findDocument, isSaved } from '../proposals/applyEdits';
import { confirm, showStatusMessage, notify } from '../util/window';
import type { ProposalStore } from '../proposals/store';
import { draftOf, draftOfFile, holds, leftOf, targetOf } from './draftFiles';
import { reapplied } from './reapply';
import { baseName, messageOf, visible, withoutMarkup } from '../util/display';
import { fileNames, pathNow, showTooEarly } from '../proposals/notifications';
import { SerialQueue } from '../util/serialQueue';
import { normalize } from '../util/text';
import { DRAFT, idOf, pathOf, PROPOSAL, virtualUri, type ReviewFileSystem, type ReadOnlyTexts } from './fileSystem';
import type { Closed } from './closeTabs';
import type { PlainView } from './plainView';
import type { Uncovered } from './uncovered';
import { isDraftOnScreen } from './visibility';
import { mayAsk, openAwaited, userWaits } from './userWaits';
import type { Ended } from '../proposals/settling';

/** A draft is stored this long after the last key press. */
const SETTLED_MS = 200;

export class Drafts implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  /** The drafts whose reviews have ended have changed. */
  readonly onDidChange = this.changed.event;
  private readonly kept = new Map<string, Draft>();
  private readonly typed = new Map<string, NodeJS.Timeout>();
  private readonly listener: vscode.Disposable;
  private readonly loads = new SerialQueue();
  private loaded: Promise<void> = Promise.resolve();
  private isClosing = false;

  constructor(
    private readonly store: DraftStore,
    private readonly proposals: ProposalStore,
    private readonly files: ReviewFileSystem,
    private readonly texts: ReadOnlyTexts,
    private readonly plain: PlainView,
    private readonly uncovered: Uncovered,
  ) {
    this.listener = vscode.Disposable.from(
      vscode.workspace.onDidChangeTextDocument(({ document: { uri } }) => {
        if (uri.scheme === PROPOSAL && this.proposals.get(idOf(uri)) !== undefined) {
          this.keepSoon(uri);
        }
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => void this.load()),
      vscode.window.onDidChangeWindowState(({ focused }) => focused && void this.load()),
    );
  }

  /** Drafts whose reviews have ended, newest first. */
  get all(): readonly Draft[] {
    return [...this.kept.values()].sort((one, other) => other.at - one.at);
  }

  /** The draft that this URI shows. */
  shownAt(uri: vscode.Uri): Draft | undefined {
    return this.kept.get(keyOf(idOf(uri), pathOf(uri)));
  }

  /** Take over drafts that closed windows left for files of this one. Runs again when folders change. */
  load(): Promise<void> {
    return (this.loaded = this.loads.run(() => this.loadAll()));
  }

  private async loadAll(): Promise<void> {
    const isOurs = (uri: vscode.Uri): boolean => vscode.workspace.getWorkspaceFolder(uri) !== undefined;
    const found = await this.store.load(({ uri }) => isOurs(vscode.Uri.parse(uri)));
    // A window can close after a landing, but before it hears of it.
    const landed = await Promise.all(found.map(async ({ over, uri, text }) => !over && (await holds(uri, text))));
    found.filter((_, index) => landed[index]).forEach((draft) => void this.store.remove(draft));
    const drafts = found.filter((_, index) => !landed[index]);
    drafts.forEach((draft) => this.kept.set(keyOf(draft.id, draft.path), draft));
    await this.over(drafts.filter(({ over }) => !over));
  }

  /** A review has ended, and its tabs are closed. Keep what was typed there and did not land. */
  async ended(ended: Ended): Promise<void> {
    const { review } = ended;
    if (this.isClosing || review.proposal === undefined) {
      return;
    }
    const typed = review.proposal.files.flatMap((file) => {
      const uri = virtualUri(PROPOSAL, review.proposed.id, file.path);
      this.forgetKeys(uri);
      const draft = draftOf(review, file, this.files.get(uri));
      if (draft === undefined) {
        void this.store.remove({ id: review.proposed.id, path: file.path }); // what was stored before the user took it back
      }
      return draft ?? [];
    });
    const left = await Promise.all(typed.map((draft) => leftOf(draft, ended)));
    const drafts = left.flatMap((draft) => draft ?? []);
    typed.filter((_, index) => left[index] === undefined).forEach((draft) => void this.store.remove(draft));
    drafts.forEach((draft) => this.kept.set(keyOf(draft.id, draft.path), draft));
    const isLate = drafts.every(({ path, base }) => ended.accepted.get(path) === base);
    await this.over(drafts, isLate);
  }

  /** Keep what was typed in a tab that an earlier window left, even while this extension was not running. */
  async leftBehind({ uri, text }: Closed): Promise<void> {
    await this.loaded;
    const [id, path] = [idOf(uri), pathOf(uri)];
    const known = this.kept.get(keyOf(id, path)) ?? (await draftOfFile(id, path));
    if (text === undefined || known === undefined || known.text === normalize(text)) {
      return;
    }
    const draft = { ...known, text: normalize(text), at: Date.now() };
    this.kept.set(keyOf(id, path), draft);
    if (known.over) {
      await this.store.put(draft);
      this.changed.fire();
    } else {
      await this.over([draft]);
    }
  }

  /** Show a draft beside its file; the arrows in the diff copy single changes. */
  async open(draft: Draft): Promise<void> {
    const isWaiting = userWaits();
    const target = await targetOf(draft);
    await openAwaited(isWaiting, fileNames([draft.path]), vscode.l10n.t('Show Draft'), async () => {
      if (target.scheme === 'untitled') {
        await vscode.workspace.openTextDocument(target); // a diff would open one that has no path, which questions call by its text
      }
      const left = virtualUri(DRAFT, draft.id, draft.path);
      this.texts.set(left, draft.text);
      const title = withoutMarkup(vscode.l10n.t('{0} (your draft → the file)', baseName(draft.path))); // the list of open editors makes icons of it
      return vscode.commands.executeCommand('vscode.diff', left, target, title, { preview: false, override: true });
    });
  }

  /** Apply the whole draft to its file in the editor, without saving, if its place is unambiguous. */
  async apply(draft: Draft): Promise<void> {
    if (this.uncovered.isNow) {
      showTooEarly();
      return;
    }
    const name = baseName(draft.path);
    const target = await targetOf(draft);
    let document: vscode.TextDocument;
    try {
      document = await vscode.workspace.openTextDocument(target);
    } catch (error) {
      void notify('warning', vscode.l10n.t(
        '{0} was not changed because VS Code cannot open it as text. Your draft was kept. {1}',
        name,
        messageOf(error),
      ));
      return;
    }
    const now = document.getText();
    // If the file is gone, the draft becomes the new file.
    const current = target.scheme === 'untitled' && now === '' ? draft.base : normalize(now);
    const text = reapplied(draft.base, draft.text, current);
    if (text === undefined) {
      void notify('warning', vscode.l10n.t(
        '{0} has changed in the places where your draft differs. Copy your changes one by one, with the arrows between the two sides.',
        name,
      ));
      return;
    }
    if (!isDraftOnScreen(draft, target, normalize(now), text, this.plain)) {
      return;
    }
    if (!(await replaceText(document, text))) {
      void notify('warning', vscode.l10n.t('VS Code refused the edit, and {0} was not changed. Your draft was kept. Try again.', name));
      return;
    }
    if (text !== current && !document.isUntitled && !document.isDirty && !isSaved(document)) {
      await replaceText(document, now); // VS Code would never save it
      void notify('warning', vscode.l10n.t('{0} was not changed because it is read-only in the editor. Your draft was kept.', name));
      return;
    }
    this.forget(draft);
    showStatusMessage(vscode.l10n.t('Your draft was applied to {0}. Save the file to keep it.', name));
  }

  /** Discard a draft after asking. */
  async discard(draft: Draft): Promise<void> {
    const question = vscode.l10n.t('Discard your draft of {0}?', visible(pathNow(draft)));
    if ((await mayAsk(question)) && (await confirm(question, [], vscode.l10n.t('Discard')))) {
      this.forget(draft);
    }
  }

  /** The window is closing: store what was typed last. */
  async close(): Promise<void> {
    this.isClosing = true;
    await Promise.all([...this.typed.keys()].map((key) => this.keep(vscode.Uri.parse(key))));
  }

  dispose(): void {
    this.listener.dispose();
    this.typed.forEach(clearTimeout);
  }

  private keepSoon(uri: vscode.Uri): void {
    const key = uri.toString();
    clearTimeout(this.typed.get(key));
    this.typed.set(key, setTimeout(() => void this.keep(uri), SETTLED_MS));
  }

  private forgetKeys(uri: vscode.Uri): void {
    clearTimeout(this.typed.get(uri.toString()));
    this.typed.delete(uri.toString());
  }

  private async keep(uri: vscode.Uri): Promise<void> {
    this.forgetKeys(uri);
    const review = this.proposals.get(idOf(uri));
    const file = review?.proposal?.files.find(({ path }) => path === pathOf(uri));
    if (review === undefined || file === undefined) {
      return;
    }
    const draft = draftOf(review, file, findDocument(uri.toString())?.getText() ?? this.files.get(uri));
    await (draft === undefined
      ? this.store.remove({ id: review.proposed.id, path: file.path })
      : this.store.put(draft));
  }

  /** The reviews of these drafts have ended; tell the user once. `isLate`: typed after the user had accepted. */
  private async over(drafts: readonly Draft[], isLate = false): Promise<void> {
    this.changed.fire();
    const [first] = drafts;
    if (first === undefined) {
      return;
    }
    await Promise.all(drafts.map((draft) => this.store.put(Object.assign(draft, { over: true }))));
    const names = fileNames(drafts.map(({ path }) => path));
    const show = drafts.length === 1 ? vscode.l10n.t('Show Draft') : vscode.l10n.t('Show Drafts');
    const message = isLate
      ? vscode.l10n.t('What you typed into {0} after you accepted it was not applied. It was kept as a draft.', names)
      : vscode.l10n.t('What you typed into the proposal for {0} was not applied. It was kept as a draft.', names);
    void notify('information', message, show).then(async (chosen) => {
      if (chosen !== undefined) {
        await (drafts.length === 1 ? this.open(first) : vscode.commands.executeCommand('agentfs.drafts.focus'));
      }
    });
  }

  private forget(draft: Draft): void {
    this.plain.close(draft.id);
    this.kept.delete(keyOf(draft.id, draft.path));
    void this.store.remove(draft);
    this.changed.fire();
  }
}

function replaceText(document: vscode.TextDocument, text: string): Thenable<boolean> {
  const edit = new vscode.WorkspaceEdit();
  const whole = new vscode.Range(document.positionAt(0), document.positionAt(document.getText().length));
  edit.replace(document.uri, whole, text);
  return vscode.workspace.applyEdit(edit);
}

function keyOf(id: string, path: string): string {
  return `${id} ${path}`;
}
