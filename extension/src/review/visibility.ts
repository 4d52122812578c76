/**
 * Whether the user can have seen what is accepted: VS Code leaves out texts that are too large for it and the ends of long
 * lines, and, by settings, blanks, characters, and whatever colours and fonts make of a text. What the diff editor may leave
 * out, the plain view shows.
 */
import * as vscode from 'vscode';
import { findDocument } from '../proposals/applyEdits';
import { notify } from '../util/window';
import type { Proposal } from '../protocol/types';
import type { Review } from '../proposals/review';
import { baseName, brief, visible } from '../util/display';
import { anyChanged, blanksChanged, normalise } from '../util/text';
import type { ShownText } from '../proposals/settleParams';
import { PROPOSAL, virtualUri, type ReviewFileSystem } from './fileSystem';
import { notifyHidden, notifyNotShown } from '../proposals/notifications';
import type { PlainFile, PlainView } from './plainView';
import { hidingSettings } from './workspaceSettings';

/** An editor that is being opened has its text by then. */
const SOON_MS = 1000;

/** UTF-16 units in a line of which VS Code draws no more, unless the user or a workspace says otherwise. */
const USUAL_LIMIT = 10_000;

/** Where lines are not wrapped, more may be behind the right edge of a side of the diff. */
const USUAL_COLUMNS = 80;

/**
 * Blanks that push text out of view. Users may turn wrapping off in a single editor, which VS Code tells nobody: other text
 * is seen to go on behind the right edge.
 */
const PADDING = /(?:\t|[^\S\t]{4}){10}/;

/** Characters that take two columns, roughly. */
const WIDE = /[\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\ufe30-\uffe6]/g;

/** VS Code wraps no lines of texts that have more lines or UTF-16 units. */
const LARGE = { lines: 300_000, units: 20 * 1024 * 1024 };

/** Those that VS Code draws as signs or codes: controls, and what turns the direction of text. */
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** Those that VS Code puts a box around, as they take no room or look like a blank. */
const INVISIBLE =
  /[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|\udb40[\udc00-\udfff]/;

/** Settings without which the editor draws nothing of such characters. */
const DRAWN_BY: Readonly<Record<string, RegExp>> = {
  'editor.renderControlCharacters': CONTROLS,
  'editor.unicodeHighlight.invisibleCharacters': INVISIBLE,
};

/**
 * What a review shows at this moment. To be taken before anything is waited for: VS Code may tell of keys that were
 * pressed after the one that accepts before a promise goes on, even one that is resolved.
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

/** Whether all that is proposed for these files can have been seen. What can't is said and shown; `again` shows the review anew. */
export async function isOnScreen(
  review: Review,
  files: Proposal['files'],
  shown: ShownText,
  plain: PlainView,
  again: () => Promise<void>,
): Promise<boolean> {
  const closed = await firstNotShown(review, files);
  if (closed !== undefined) {
    void offer(notifyNotShown(closed), async () => {
      const uri = virtualUri(PROPOSAL, review.proposed.id, closed);
      await vscode.workspace.openTextDocument(uri); // a text that is there already is never too large to show
      await again();
    });
    return false;
  }
  const all = plainFilesOf(review, files, shown);
  const hidden = all.find((file) => file.why !== undefined && !plain.hasShown(file));
  // All of them: VS Code may draw the editor of several files anew, and not all of it, where it has less room.
  if (hidden?.why !== undefined && plain.show(all)) {
    notifyHidden(hidden.why);
  }
  return hidden === undefined;
}

/** Whether all of a review in front can have been seen. */
export async function isSeen(review: Review, shown: ShownText, plain: PlainView): Promise<boolean> {
  const files = review.proposal?.files;
  return (
    files !== undefined &&
    (await firstNotShown(review, files)) === undefined &&
    plainFilesOf(review, files, shown).every((file) => file.why === undefined || plain.hasShown(file))
  );
}

/** The path of the first of these files of which the editor shows nothing. */
async function firstNotShown({ proposed: { id, files: all } }: Review, files: Proposal['files']): Promise<string | undefined> {
  for (const { path } of files) {
    if (!(await isShown(virtualUri(PROPOSAL, id, path), all.length > 1))) {
      return path;
    }
  }
  return undefined;
}

/** What differs in these files, and why the diff editor may leave some of it out. */
function plainFilesOf({ proposed: { id } }: Review, files: Proposal['files'], shown: ShownText): PlainFile[] {
  return files.map(({ path, base_text: base }) => {
    const uri = virtualUri(PROPOSAL, id, path);
    const now = normalise(shown(path) ?? '');
    return { uri, why: whyHidden(settings(uri), visible(baseName(path)), base, now), base, now };
  });
}

/** Why the diff editor may leave out some of what differs in the file `name`; undefined where it shows all. */
function whyHidden(config: vscode.WorkspaceConfiguration, name: string, base: string, now: string): string | undefined {
  const hiding = hidingSettings(config);
  if (hiding.length > 0) {
    return vscode.l10n.t('Settings of this workspace may make changes of {0} unreadable: {1}.', name, brief(hiding.join(', '), 200));
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
    (key) => !config.get(key, true) && anyChanged(base, now, (line) => DRAWN_BY[key]?.test(line) === true),
  );
  return setting === undefined
    ? undefined
    : vscode.l10n.t(
        'Changed lines of {0} have invisible characters, or some that reorder text, which the setting {1} hides.',
        name,
        setting,
      );
}

/** Whether the editor may not draw all of a line, or not in the room that it has. */
function isWider(config: vscode.WorkspaceConfiguration, wrapped: boolean): (line: string) => boolean {
  const limit = limitOf(config);
  const tab = config.get('editor.tabSize', 4);
  const count = (line: string, sought: RegExp): number => line.match(sought)?.length ?? 0;
  const columns = (line: string): number => line.length + count(line, /\t/g) * (tab - 1) + count(line, WIDE);
  const isCut = (line: string): boolean => columns(line) > USUAL_COLUMNS && (!wrapped || PADDING.test(line.trimEnd()));
  return (line) => line.length > limit || isCut(line);
}

/** How many UTF-16 units of a line, or of a row of a wrapped one, are drawn; VS Code reads it in this way. */
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

async function offer(wanted: Promise<boolean>, show: () => Promise<void>): Promise<void> {
  try {
    if (await wanted) {
      await show();
    }
  } catch (error) {
    void notify('error', error instanceof Error ? error.message : String(error));
  }
}

/** Whether the review in front has the text of this proposed file, now or in a moment. */
async function isShown(uri: vscode.Uri, isOneOfSeveral: boolean): Promise<boolean> {
  // In the editor of several files those have no editor that are not in view; it shows all that it could load.
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

/** As they are for the language of the text, as the diff editor has them. */
function settings(uri: vscode.Uri): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration(undefined, findDocument(uri.toString()) ?? uri);
}

function editorOf(uri: vscode.Uri): vscode.TextEditor | undefined {
  const wanted = uri.toString();
  return vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === wanted);
}
