/**
 * Reviews in the file itself (`agentfs.review.style`): which one is open, and what the user has seen of it. The file stays
 * as it is until the user decides. What can't be known to be in sight there is left to the diff.
 */
import * as vscode from 'vscode';
import { nameOf, showTooEarly, showUnseen } from '../proposals/notifications';
import type { Review } from '../proposals/review';
import type { ProposalStore } from '../proposals/store';
import type { ReviewedFile } from '../protocol/types';
import { currentSettings } from '../server/lifecycle';
import { baseName, visible } from '../util/display';
import { normalize, withEol } from '../util/text';
import { hideNotifications, showStatusMessage } from '../util/window';
import { PROPOSAL, virtualUri, type ReviewFileSystem } from './fileSystem';
import { MOMENT_MS } from './focus';
import { keyOf, type AcceptedHunks, type Replacement } from './hunks';
import { inlineHunks, type InlineHunk } from './inlineHunks';
import { holdsBase, whyNot, whyNotOpen } from './inlineObstacles';
import { InlineView } from './inlineView';
import { allTabs } from './tabs';

const NONE: readonly string[] = [];

/** What the keys decide on in the editor in front: the proposed text and its hunks. */
export interface InlineTarget {
  review: Review;
  editor: vscode.TextEditor;
  /** The proposed text's. */
  uri: vscode.Uri;
  hunks(): InlineHunk[];
  /** The hunk whose comment this is. */
  hunkOf(thread: unknown): InlineHunk | undefined;
  text(): string;
  replace(what: Replacement): void;
  draw(): void;
  goTo(hunk: InlineHunk | undefined): void;
}

export class InlineReviews implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  /** Another review is shown, or none. */
  readonly onDidChange = this.changed.event;
  /** The paths of the files in which a review is shown, for the conditions of menus and keys. */
  paths: readonly string[] = NONE;
  private view: InlineView | undefined;
  /** What was shown in the file that was closed last. */
  private closed: InlineView | undefined;
  /** The hunk to which an early press of Accept has led, and when. */
  private asked: { hunk: string; at: number } | undefined;
  /** Why what is shown may not have been in sight: a setting, or the room for it, has been changed since. */
  private obstacle: string | undefined;
  /** The reviews that are shown as diffs, as they can't be shown here, or the user wants that. */
  private readonly diffs = new WeakSet<Review>();
  private isListening = false;
  private readonly controller = vscode.comments.createCommentController('agentfs', 'agentfs');
  private readonly parts: readonly vscode.Disposable[];

  constructor(
    private readonly proposals: ProposalStore,
    private readonly files: ReviewFileSystem,
    private readonly accepted: AcceptedHunks,
  ) {
    this.parts = [
      this.changed,
      this.controller,
      vscode.window.tabGroups.onDidChangeTabs(({ opened, closed }) => this.tabsChanged(opened, closed)),
      vscode.workspace.onDidRenameFiles(({ files: renamed }) => renamed.forEach((one) => this.fileRenamed(one))),
      proposals.onDidChange((review) => review === this.view?.review && this.draw()),
      vscode.workspace.onDidChangeConfiguration(() => this.listenForComments()),
      vscode.workspace.onDidChangeConfiguration(() => this.lookForObstacles()),
      vscode.window.tabGroups.onDidChangeTabGroups(({ opened }) => opened.length > 0 && this.lookForObstacles()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.listenForComments()),
    ];
    this.listenForComments();
  }

  /** The review that the editor in front shows. */
  get current(): Review | undefined {
    return this.front() && this.view?.review;
  }

  /** Whether this is the file in which the review is shown. */
  isIn(review: Review | undefined, uri: vscode.Uri): boolean {
    return review !== undefined && this.view?.review === review && this.view.uri.toString() === uri.toString();
  }

  /** Whether this review is to be shown in its file, if that can be done. */
  wants(review: Review): boolean {
    const [only, ...more] = review.proposed.files;
    return currentSettings().style === 'inline' && !this.diffs.has(review) && only?.operation === 'update' && more.length === 0;
  }

  /**
   * Show a review in its file, and go there. False if not all of it would be in sight; tells the user why. Rejects if the
   * user has gone to another editor meanwhile.
   */
  async show(review: Review): Promise<boolean> {
    const file = review.proposal?.files[0];
    if (file === undefined || !this.wants(review)) {
      return false;
    }
    const text = textUri(review, file);
    if (!this.files.has(text)) {
      this.files.set(text, withEol(file.proposed_text, file.eol));
    }
    const uri = vscode.Uri.parse(file.uri);
    // Once it is open, the settings of its language are known, too.
    const why = this.whyNot(review, file) ?? (await whyNotOpen(file, uri)) ?? this.whyNot(review, file);
    if (why !== undefined) {
      this.leaveToDiff(review, why);
      return false;
    }
    this.hide();
    const view = (this.view = new InlineView(this.controller, review, file, uri, () => this.front()));
    this.paths = [uri.path];
    this.changed.fire(); // before the editor has the focus: keys that decide would be typed into it
    await vscode.window.showTextDocument(uri, { preview: false, viewColumn: tabsOf(uri)[0]?.group.viewColumn ?? vscode.ViewColumn.Active });
    if (this.view === view) {
      this.draw();
      view.goTo(view.hunks[0], true);
    }
    return true;
  }

  /** Remove what is shown, or only if it is of this review. */
  hide(review = this.view?.review): void {
    if (this.view !== undefined && this.view.review === review) {
      this.view.dispose();
      this.view = undefined;
      this.asked = undefined;
      this.obstacle = undefined;
      this.paths = NONE;
      this.changed.fire();
    }
  }

  /** From now on this review is shown as a diff, which the caller opens. */
  leaveToDiff(review: Review, why?: string): void {
    this.diffs.add(review);
    this.hide(review);
    if (why !== undefined) {
      showStatusMessage(vscode.l10n.t('Shown as a diff. {0}', why));
    }
  }

  /**
   * Why the review in front can't be accepted here: `'unseen'` if some of it has not been in view, to which the user is
   * led, or the reason why it can't be seen here. `only`: of that hunk alone.
   */
  whyUnseen(only?: InlineHunk): 'unseen' | { toDiff: string } | undefined {
    const { view } = this;
    if (view === undefined) {
      return 'unseen';
    }
    const name = visible(baseName(view.file.path));
    if (!holdsBase(view.file)) {
      return { toDiff: vscode.l10n.t('{0} is no longer what the agent has read.', name) };
    }
    if (this.obstacle !== undefined) {
      return { toDiff: this.obstacle };
    }
    const all = this.hunksOf(view.review, view.file); // not only what is drawn by now
    const unseen = (only === undefined ? all : [only]).filter((hunk) => !view.hasSeen(hunk));
    const [first] = unseen;
    if (first === undefined) {
      return undefined;
    }
    const hunk = JSON.stringify(first.start);
    if (this.asked?.hunk !== hunk) {
      this.asked = { hunk, at: performance.now() };
      hideNotifications(true);
      view.goTo(first);
      showUnseen(unseen.length);
      return 'unseen';
    }
    if (performance.now() - this.asked.at < 2 * MOMENT_MS) {
      showTooEarly();
      return 'unseen';
    }
    return { toDiff: vscode.l10n.t('A hunk of {0} does not fit into the editor, or is hidden there.', name) };
  }

  target(): InlineTarget | undefined {
    const { view } = this;
    const editor = this.front();
    if (view === undefined || editor === undefined || view.review.state !== 'waiting') {
      return undefined;
    }
    const { review, file } = view;
    const uri = textUri(review, file);
    return {
      review,
      editor,
      uri,
      hunks: () => this.hunksOf(review, file),
      hunkOf: (thread) => this.hunksOf(review, file).find((hunk) => keyOf(hunk) === view.keyOf(thread)),
      text: () => this.textOf(review, file),
      replace: ({ from, to, text }) => {
        const now = this.textOf(review, file);
        this.files.set(uri, withEol(now.slice(0, from) + text + now.slice(to), file.eol));
      },
      draw: () => this.draw(),
      goTo: (hunk) => view.goTo(hunk),
    };
  }

  /** Go to the next (1) or previous (-1) hunk from the cursor, around the end. */
  step(by: 1 | -1): void {
    const all = this.view?.hunks ?? [];
    const line = this.front()?.selection.active.line ?? 0;
    const ahead = all.filter((hunk) => (by > 0 ? hunk.line > line : hunk.after < line));
    const others = ahead.length > 0 ? ahead : all;
    this.view?.goTo(others.at(by > 0 ? 0 : -1));
  }

  dispose(): void {
    this.hide();
    vscode.Disposable.from(...this.parts).dispose();
  }

  /** The editor in front, if it is that of the file. */
  private front(): vscode.TextEditor | undefined {
    const editor = vscode.window.activeTextEditor;
    const { uri } = this.view ?? {};
    // An editor in a peek shows the same text without our comments, and is in no column.
    const isOurs = uri !== undefined && editor?.viewColumn !== undefined && editor.document.uri.toString() === uri.toString();
    return isOurs && tabsOf(uri).some(({ isActive }) => isActive) ? editor : undefined;
  }

  /**
   * VS Code asks for ranges when it opens an editor, and when the user turns comments on. Only with this style, as it keeps
   * each document about which it asks loaded for minutes.
   */
  private listenForComments(): void {
    const isInline = currentSettings().style === 'inline';
    if (isInline !== this.isListening) {
      this.isListening = isInline;
      const controller: { commentingRangeProvider?: vscode.CommentingRangeProvider | undefined } = this.controller;
      const provideCommentingRanges = ({ uri }: vscode.TextDocument): vscode.Range[] => {
        this.view?.commentsAppear(uri);
        return [];
      };
      controller.commentingRangeProvider = isInline ? { provideCommentingRanges } : undefined;
      if (!isInline && this.view !== undefined) {
        this.leaveToDiff(this.view.review); // we would no longer hear that comments are hidden
      }
    }
  }

  private whyNot(review: Review, file: ReviewedFile): string | undefined {
    return whyNot(file, this.textOf(review, file), this.hunksOf(review, file));
  }

  private lookForObstacles(): void {
    this.obstacle ??= this.view && this.whyNot(this.view.review, this.view.file);
  }

  private draw(): void {
    this.view?.draw(this.hunksOf(this.view.review, this.view.file));
  }

  private textOf(review: Review, file: ReviewedFile): string {
    return normalize(this.files.get(textUri(review, file)) ?? file.proposed_text);
  }

  private hunksOf(review: Review, file: ReviewedFile): InlineHunk[] {
    const { base_text: base } = file;
    return inlineHunks(base, this.accepted.of(textUri(review, file).toString(), base, this.textOf(review, file)));
  }

  /** Closing the file decides nothing. */
  private tabsChanged(opened: readonly vscode.Tab[], closed: readonly vscode.Tab[]): void {
    this.closed = opened.some((tab) => this.closed !== undefined && isTextOf(tab, this.closed.uri)) ? undefined : this.closed;
    const { uri } = this.view ?? {};
    if (this.view !== undefined && uri !== undefined && closed.some((tab) => isTextOf(tab, uri)) && tabsOf(uri).length === 0) {
      this.proposals.setAside(this.view.review, true);
      this.closed = this.view;
      this.hide();
    }
  }

  /** VS Code has closed the file's tab, and opened one for the new name. The review can't be accepted, and its diff says so. */
  private fileRenamed({ oldUri, newUri }: { oldUri: vscode.Uri; newUri: vscode.Uri }): void {
    const isIt = ({ path }: vscode.Uri): boolean => path === oldUri.path || path.startsWith(`${oldUri.path}/`);
    const view = [this.view, this.closed].find((one) => one !== undefined && isIt(one.uri));
    const moved = view && newUri.with({ path: newUri.path + view.uri.path.slice(oldUri.path.length) });
    if (view?.review.state === 'waiting' && moved !== undefined && tabsOf(moved).length > 0) {
      const { review } = view;
      this.closed = undefined;
      this.proposals.setAside(review, false);
      this.leaveToDiff(review);
      showStatusMessage(vscode.l10n.t('{0} was renamed. Open its review, which is a diff now.', nameOf(review)));
    }
  }
}

function textUri({ proposed: { id } }: Review, { path }: ReviewedFile): vscode.Uri {
  return virtualUri(PROPOSAL, id, path);
}

function tabsOf(uri: vscode.Uri): readonly vscode.Tab[] {
  return allTabs().filter((tab) => isTextOf(tab, uri));
}

function isTextOf({ input }: vscode.Tab, uri: vscode.Uri): boolean {
  return input instanceof vscode.TabInputText && input.uri.toString() === uri.toString();
}
