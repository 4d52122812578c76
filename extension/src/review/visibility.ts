/**
 * Tells whether the user can have seen what is accepted. VS Code doesn't show texts that are too large, and may hide parts
 * of others (`hidden.ts`). The plain view shows what the diff editor may leave out.
 */
import * as vscode from 'vscode';
import { findDocument } from '../proposals/applyEdits';
import { areNotificationsShown, areTallNotificationsShown, hideNotifications, notify } from '../util/window';
import type { Proposal } from '../protocol/types';
import type { Review } from '../proposals/review';
import { baseName, brief, messageOf, visible } from '../util/display';
import { normalize } from '../util/text';
import type { ShownText } from '../proposals/settleParams';
import type { Question } from '../server/questions';
import type { Draft } from './draftStore';
import { isCovered, mayCover, uncover, type Compared } from './covered';
import { DRAFT, PROPOSAL, virtualUri, type ReviewFileSystem } from './fileSystem';
import { whyHidden } from './hidden';
import { notifyDraftHidden, notifyHidden, notifyNotShown, pathNow, showTooEarly } from '../proposals/notifications';
import type { PlainFile, PlainView } from './plainView';
import { isAloneInFront } from './tabs';
import { settingsHidingQuestions } from './workspaceSettings';

/** An editor that is opening has its text by then. */
const SOON_MS = 1000;

/**
 * What a review shows at this moment. Call this before awaiting anything: VS Code may report later key presses before
 * the code after an await runs, even if the promise is already resolved.
 */
export function textsOf(files: ReviewFileSystem, { proposed: { id }, proposal }: Review): ShownText {
  const texts = new Map(
    proposal?.files.map(({ path }) => {
      const uri = virtualUri(PROPOSAL, id, path);
      return [path, findDocument(uri.toString())?.getText() ?? files.get(uri)];
    }),
  );
  return (path) => texts.get(path);
}

/** Whether all of these files can have been seen. If not, tells the user and shows it; `again` reopens the review. */
export async function isOnScreen(
  review: Review,
  files: Proposal['files'],
  shown: ShownText,
  plain: PlainView,
  again: () => Promise<void>,
): Promise<boolean> {
  const isAlone = isAloneInFront();
  const closed = await firstNotShown(review, files);
  if (closed !== undefined) {
    void offer(notifyNotShown(closed), async () => {
      const uri = virtualUri(PROPOSAL, review.proposed.id, closed);
      await vscode.workspace.openTextDocument(uri); // VS Code shows texts of any size if their document is already open
      await again();
    });
    return false;
  }
  const plainFiles = plainFilesOf(review, files, shown, isAlone);
  return hasShownAll(review.proposed.id, plainFiles, plain, notifyHidden) && (plainFiles.some(isPlain) ? isPlainUncovered(plain) : isUncovered(comparedOf(review, shown)));
}

/** A file of a change that an editor of several files shows read-only: the texts of both sides, with `\n` line ends. */
export interface ShownFile {
  path: string;
  uri: vscode.Uri;
  left: vscode.Uri;
  base: string;
  now: string;
}

/** Whether all of these files can have been seen. If not, tells the user and shows them; `again` reopens the editor. */
export async function areOnScreen(id: string, files: readonly ShownFile[], plain: PlainView, again: () => Thenable<void>): Promise<boolean> {
  for (const { uri, path } of files) {
    if (!(await isShown(uri, true))) {
      void offer(notifyNotShown(path), async () => {
        await vscode.workspace.openTextDocument(uri); // VS Code shows texts of any size if their document is already open
        await again();
      });
      return false;
    }
  }
  const judged = files.map((file) => ({ ...file, why: whyHidden(settings(file.uri), visible(baseName(file.path)), file.base, file.now, true) }));
  return hasShownAll(id, judged, plain, notifyHidden) && (judged.some(isPlain) ? isPlainUncovered(plain) : isUncovered(files, true));
}

/**
 * Take notifications away from where a review opens, if ours may cover some of it: Accept needs no second press then. Before it
 * opens: VS Code may have something to say about its diff.
 */
export function uncoverPlaceOf(files: ReviewFileSystem, review: Review): void {
  if (areNotificationsShown() && mayCover(comparedOf(review, textsOf(files, review)), review.proposed.files.length > 1)) {
    hideNotifications(false);
  }
}

/** Whether no notifications of ours may cover the diff of these files. If they may, takes them away. */
function isUncovered(files: readonly Compared[], areSeveral = files.length > 1): boolean {
  const areCovered = isCovered(files, areSeveral);
  if (areCovered) {
    uncover();
  }
  return !areCovered;
}

/** The same of the plain view, which is free of those of usual height. */
function isPlainUncovered(plain: PlainView): boolean {
  const areCovered = areTallNotificationsShown();
  if (areCovered) {
    uncover();
    plain.lookAgain();
  }
  return !areCovered;
}

/** Whether the plain view shows this file, too. */
function isPlain({ why }: PlainFile): boolean {
  return why !== undefined;
}

/** Both texts of each file of a review. */
function comparedOf({ proposed: { id }, proposal }: Review, shown: ShownText): Compared[] {
  return (proposal?.files ?? []).map(({ path, base_text: base, proposed_text: text }) => ({
    uri: virtualUri(PROPOSAL, id, path),
    base,
    now: normalize(shown(path) ?? text),
  }));
}

/**
 * Whether all that applying a draft to its file at `target` would make of `base`, namely `now`, can have been seen in
 * their diff: it includes what the agent proposed. If not, tells the user and shows it.
 */
export function isDraftOnScreen({ id, path, uri: told }: Draft, target: vscode.Uri, base: string, now: string, plain: PlainView): boolean {
  const uri = virtualUri(DRAFT, id, path);
  const name = visible(baseName(path));
  const why = editorOf(uri) === undefined
    ? vscode.l10n.t('The editor does not show your draft of {0}.', name)
    : whyHidden(settings(target), name, base, now);
  const file = { uri, path: pathNow({ uri: told }), why, base, now };
  return hasShownAll(id, [file], plain, notifyDraftHidden);
}

/** Whether a question of the server can have been read. If not, shows it. */
export function isQuestionOnScreen({ id, message }: Question, plain: PlainView): boolean {
  const hiding = settingsHidingQuestions(vscode.workspace.getConfiguration());
  const why = hiding.length === 0
    ? undefined
    : vscode.l10n.t('Settings of this workspace may make questions unreadable: {0}.', brief(hiding.join(', '), 200));
  return hasShownAll(id, [{ uri: vscode.Uri.from({ scheme: 'agentfs-question', path: id }), path: '', why, base: '', now: message }], plain);
}

/** Whether the diff or the plain view has shown all of these files. If not, shows it, and tells the user why with `say`. */
function hasShownAll(id: string, files: readonly PlainFile[], plain: PlainView, say?: (why: string) => void): boolean {
  const why = whyUnseen(files, plain);
  if (why !== undefined) {
    if (plain.show(id, files)) {
      say?.(why);
    } else {
      showTooEarly();
    }
  }
  return why === undefined;
}

/** Whether everything in an active review can have been seen. */
export async function isSeen(review: Review, shown: ShownText, plain: PlainView): Promise<boolean> {
  const files = review.proposal?.files;
  const isAlone = isAloneInFront();
  return (
    files !== undefined &&
    (await firstNotShown(review, files)) === undefined &&
    whyUnseen(plainFilesOf(review, files, shown, isAlone), plain) === undefined &&
    !isCovered(comparedOf(review, shown), files.length > 1)
  );
}

/**
 * Why some of these files can't have been seen. Beside the plain view VS Code may redraw the editor of several files, and
 * not all of it when it has less room: the plain view must have shown them all.
 */
function whyUnseen(files: readonly PlainFile[], plain: PlainView): string | undefined {
  const why = files.find((file) => file.why !== undefined)?.why;
  return files.every((file) => plain.hasShown(file)) ? undefined : why;
}

/** The path of the first of these files that no editor shows. */
async function firstNotShown({ proposed: { id, files: all } }: Review, files: Proposal['files']): Promise<string | undefined> {
  for (const { path } of files) {
    if (!(await isShown(virtualUri(PROPOSAL, id, path), all.length > 1))) {
      return path;
    }
  }
  return undefined;
}

/** The differences of these files, each with the reason why the editor, which `isAlone` or a diff, may leave some out. */
function plainFilesOf({ proposed: { id, files: all } }: Review, files: Proposal['files'], shown: ShownText, isAlone: boolean): PlainFile[] {
  return files.map((file) => {
    const base = file.base_text;
    const uri = virtualUri(PROPOSAL, id, file.path);
    const now = normalize(shown(file.path) ?? '');
    const name = visible(baseName(file.path));
    const why = isAlone
      ? vscode.l10n.t('The editor shows the proposal for {0} without the text that it replaces.', name)
      : whyHidden(settings(uri), name, base, now, all.length > 1);
    return { uri, path: pathNow(file), why, base, now };
  });
}

async function offer(wanted: Promise<boolean>, show: () => Promise<void>): Promise<void> {
  try {
    if (await wanted) {
      await show();
    }
  } catch (error) {
    void notify('error', messageOf(error));
  }
}

/** Whether the active review shows the text of this proposed file, now or in a moment. */
async function isShown(uri: vscode.Uri, isOneOfSeveral: boolean): Promise<boolean> {
  // The editor of several files shows all files that it could load, but creates editors only for those in view.
  const isThere = (): boolean => (isOneOfSeveral ? findDocument(uri.toString()) : editorOf(uri)) !== undefined;
  return isThere() || new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      listeners.dispose();
      resolve(isThere());
    };
    const look = (): void => {
      if (isThere()) {
        end();
      }
    };
    const timer = setTimeout(end, SOON_MS);
    const listeners = vscode.Disposable.from(
      vscode.window.onDidChangeVisibleTextEditors(look),
      vscode.workspace.onDidOpenTextDocument(look),
    );
  });
}

/** The settings for the text's language, as the diff editor applies them. */
function settings(uri: vscode.Uri): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration(undefined, findDocument(uri.toString()) ?? uri);
}

function editorOf(uri: vscode.Uri): vscode.TextEditor | undefined {
  const wanted = uri.toString();
  return vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === wanted);
}
