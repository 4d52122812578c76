/**
 * Tells whether the user can have seen what is accepted. VS Code doesn't show texts that are too large or the ends of
 * long lines; settings can hide whitespace and characters, and make text unreadable with colors and fonts. The plain
 * view shows what the diff editor may leave out.
 */
import * as vscode from 'vscode';
import { findDocument } from '../proposals/applyEdits';
import { notify } from '../util/window';
import type { Proposal } from '../protocol/types';
import type { Review } from '../proposals/review';
import { baseName, brief, INVISIBLE, messageOf, UNUSUAL, visible } from '../util/display';
import { anyChanged, blanksChanged, normalize } from '../util/text';
import type { ShownText } from '../proposals/settleParams';
import type { Question } from '../server/questions';
import type { Draft } from './draftStore';
import { DRAFT, PROPOSAL, virtualUri, type ReviewFileSystem } from './fileSystem';
import { notifyDraftHidden, notifyHidden, notifyNotShown, pathNow, showTooEarly } from '../proposals/notifications';
import type { PlainFile, PlainView } from './plainView';
import { isAloneInFront } from './tabs';
import { hidingSettings, settingsHidingQuestions } from './workspaceSettings';

/** An editor that is opening has its text by then. */
const SOON_MS = 1000;

/** VS Code's default for how many UTF-16 units of a line it draws. */
const USUAL_LIMIT = 10_000;

/** If lines don't wrap, longer ones may go past the right edge of a side of the diff. */
const USUAL_COLUMNS = 80;

/**
 * Whitespace that pushes text out of view. Users can turn off wrapping in a single editor, which VS Code doesn't
 * report; but they see that ordinary text goes on behind the right edge.
 */
const PADDING = /(?:\t|[^\S\t]{4}){10}/;

/** Characters that are two columns wide, roughly. */
const WIDE = /[\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\ufe30-\uffe6]/g;

/**
 * Characters that fonts may draw wider than the columns that VS Code counts to wrap lines: all but Western letters and
 * signs that fonts for code have, and letters that VS Code counts as full width.
 */
const UNMEASURED = new RegExp(
  String.raw`[^\t\x20-\x7e\xa0-\u017f\u01a0\u01a1\u01af\u01b0\u0300-\u036f\u0384-\u03ce\u0400-\u045f\u0490\u0491\u1ea0-\u1ef9` +
    '‐-―‗-„†-•…‰′″‹›€№™←-↕∂∆∏∑−√∞∫≈≠≤≥─│┌┐└┘├┤┬┴┼═-╬▀▄█▌▐-▓■□○●' +
    String.raw`\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff01-\uff5e\u{20000}-\u{3ffff}]`,
  'gu',
);

/** One emoji fits into what is free behind each row. */
const FIRST_EMOJI = /\p{ExtPict}\ufe0f?/u;

/** How many columns such a character may take; those of `WIDEST` take more. */
const UNMEASURED_COLUMNS = 4;

/** Whole sentences, and signs of scripts, in one character. */
const WIDEST = /[\u0bf5-\u0bfa\u2e3a\u2e3b\ua9c1-\ua9cd\ufbb2-\ufdff\u{12000}-\u{1254f}]/u;

/** Lines of so many columns are within each side of a diff, unless a window is very small. */
const NARROW_COLUMNS = 40;

/** VS Code doesn't wrap the lines of texts with more lines or UTF-16 units. */
const LARGE = { lines: 300_000, units: 20 * 1024 * 1024 };

/** VS Code marks no characters of a text if it would mark more than this. */
const MAX_MARKS = 1000;

/**
 * The settings that make the editor draw these characters, as signs or codes. No setting makes it draw all that are
 * `UNUSUAL`: it skips words with letters of other scripts, texts with many such characters, and those it doesn't know.
 */
const DRAWN_BY: Readonly<Record<string, RegExp>> = {
  'editor.renderControlCharacters': /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/,
  'editor.unicodeHighlight.invisibleCharacters': INVISIBLE,
};

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
  return hasShownAll(review.proposed.id, plainFilesOf(review, files, shown, isAlone), plain, notifyHidden);
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
    whyUnseen(plainFilesOf(review, files, shown, isAlone), plain) === undefined
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
function plainFilesOf({ proposed: { id } }: Review, files: Proposal['files'], shown: ShownText, isAlone: boolean): PlainFile[] {
  return files.map((file) => {
    const base = file.base_text;
    const uri = virtualUri(PROPOSAL, id, file.path);
    const now = normalize(shown(file.path) ?? '');
    const name = visible(baseName(file.path));
    const why = isAlone
      ? vscode.l10n.t('The editor shows the proposal for {0} without the text that it replaces.', name)
      : whyHidden(settings(uri), name, base, now);
    return { uri, path: pathNow(file), why, base, now };
  });
}

/** Why the diff editor may leave out some differences of the file `name`; undefined if it shows everything. */
function whyHidden(config: vscode.WorkspaceConfiguration, name: string, base: string, now: string): string | undefined {
  const hiding = hidingSettings(config);
  if (hiding.length > 0) {
    return vscode.l10n.t('Settings of this workspace may make the name or changes of {0} unreadable: {1}.', name, brief(hiding.join(', '), 200));
  }
  const isUnmarked = anyChanged(base, now, (line) => INVISIBLE.test(line)) && [base, now].some(isCrowded);
  if (isUnmarked || anyChanged(base, now, (line) => UNUSUAL.test(line))) {
    return vscode.l10n.t(
      'Changed lines of {0} have invisible characters, or some that reorder text, which the editor may not show.',
      name,
    );
  }
  if (anyChanged(base, now, isWider(config, [base, now].every((text) => isWrapped(config, text))))) {
    return vscode.l10n.t('Changed lines of {0} may be longer than what the editor shows of a line.', name);
  }
  if (config.get('diffEditor.ignoreTrimWhitespace', true) && blanksChanged(base, now)) {
    return vscode.l10n.t(
      '{0} may have whitespace changes at the beginning or end of lines, which the setting diffEditor.ignoreTrimWhitespace hides.',
      name,
    );
  }
  const setting = Object.keys(DRAWN_BY).find(
    (key) => config.get(key, true) !== true && anyChanged(base, now, (line) => DRAWN_BY[key]?.test(line) === true),
  );
  return setting === undefined
    ? undefined
    : vscode.l10n.t('Changed lines of {0} have invisible characters, which the setting {1} may hide.', name, setting);
}

/** Tells which lines the editor may not draw in full, or not within its width. */
function isWider(config: vscode.WorkspaceConfiguration, wrapped: boolean): (line: string) => boolean {
  const limit = limitOf(config);
  const tab = config.get('editor.tabSize', 4);
  const count = (line: string, sought: RegExp): number => line.match(sought)?.length ?? 0;
  const columns = (line: string): number => line.length + count(line, /\t/g) * (tab - 1) + count(line, WIDE);
  const isCut = (line: string): boolean => columns(line) > USUAL_COLUMNS && (!wrapped || PADDING.test(line.trimEnd()));
  const isPushed = (line: string): boolean => {
    const unmeasured = count(line.replace(FIRST_EMOJI, ''), UNMEASURED);
    return WIDEST.test(line) || (unmeasured > 0 && columns(line) + unmeasured * UNMEASURED_COLUMNS > NARROW_COLUMNS);
  };
  return (line) => line.length > limit || isCut(line) || isPushed(line);
}

/** How many UTF-16 units of a line, or of a row of a wrapped line, the editor draws; parsed the way VS Code does. */
function limitOf(config: vscode.WorkspaceConfiguration): number {
  const limit = Number.parseInt(String(config.get('editor.stopRenderingLineAfter')), 10);
  return Number.isNaN(limit) ? USUAL_LIMIT : limit < 0 ? Infinity : limit;
}

/** Whether diffs wrap the lines of a text at the right edge of the editor. */
function isWrapped(config: vscode.WorkspaceConfiguration, text: string): boolean {
  const ofDiffs = config.get('diffEditor.wordWrap');
  const ofEditors = config.get('editor.wordWrap');
  const isLarge = text.length > LARGE.units || text.split('\n').length > LARGE.lines;
  const isOn = ofDiffs === 'on' || (ofDiffs !== 'off' && (ofEditors === 'on' || ofEditors === 'bounded'));
  return isOn && !isLarge;
}

/** Whether VS Code may mark no characters of a text. It also marks letters that look like others, and only it knows which. */
function isCrowded(text: string): boolean {
  return (text.match(/[^\0-\x7f]/gu)?.length ?? 0) > MAX_MARKS;
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
