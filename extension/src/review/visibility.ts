/**
 * Whether the user can have seen what is accepted: VS Code leaves out texts that are too large for it and the ends of long
 * lines, and, by a setting, blanks at either end of a line. The manifest has those shown unless the user or a workspace
 * says otherwise.
 */
import * as vscode from 'vscode';
import { findDocument } from '../proposals/applyEdits';
import { notify } from '../util/window';
import type { Proposal } from '../protocol/types';
import type { Review } from '../proposals/review';
import { firstChanged, firstInBlanks, normalise } from '../util/text';
import type { ShownText } from '../proposals/settleParams';
import { PROPOSAL, virtualUri, type ReviewFileSystem } from './fileSystem';
import { notifyBlanks, notifyCharacters, notifyCut, notifyLimit, notifyNotShown } from '../proposals/notifications';

/** An editor that is being opened has its text by then. */
const SOON_MS = 1000;

/** UTF-16 units in a line of which VS Code draws no more, unless the user or a workspace says otherwise. */
const USUAL_LIMIT = 10_000;

/** More do not fit into a row of an editor that wraps lines at its right edge. */
const LONGEST_ROW = 2000;

/** A setting by which the diff editor leaves something out. */
interface Hiding {
  setting: string;
  /** Its value that has it shown. */
  shown?: unknown;
  /** The line of the proposed text where something may be left out, by what is set. */
  lineOf: (config: vscode.WorkspaceConfiguration, base: string, now: string) => number | undefined;
  /** Says so; whether it is to be shown. */
  tell: (path: string) => Promise<boolean>;
}

/** Those that VS Code draws as signs or codes: controls, and what turns the direction of text. */
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** Those that VS Code puts a box around, as they take no room or look like a blank. */
const INVISIBLE =
  /[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|\udb40[\udc00-\udfff]/;

const HIDINGS: readonly Hiding[] = [
  {
    setting: 'diffEditor.ignoreTrimWhitespace',
    shown: false,
    lineOf: (config, base, now) =>
      config.get('diffEditor.ignoreTrimWhitespace', true) ? firstInBlanks(base, now) : undefined,
    tell: notifyBlanks,
  },
  {
    // Of the rows of a wrapped line it is the limit, too. VS Code takes it from a settings file alone.
    setting: 'editor.stopRenderingLineAfter',
    lineOf: (config, base, now) => {
      const limit = limitOf(config);
      return limit < LONGEST_ROW ? firstChanged(base, now, isLonger(limit)) : undefined;
    },
    tell: notifyLimit,
  },
  {
    // Not the limit itself: VS Code is slow to draw a line of megabytes, and fast to wrap it.
    setting: 'diffEditor.wordWrap',
    shown: 'on',
    lineOf: (config, base, now) => (isWrapped(config) ? undefined : firstChanged(base, now, isLonger(limitOf(config)))),
    tell: notifyCut,
  },
  hidingOf('editor.renderControlCharacters', CONTROLS),
  hidingOf('editor.unicodeHighlight.invisibleCharacters', INVISIBLE),
];

/** A setting without which the editor draws nothing of such characters. */
function hidingOf(setting: string, characters: RegExp): Hiding {
  return {
    setting,
    shown: true,
    lineOf: (config, base, now) =>
      config.get(setting, true) ? undefined : firstChanged(base, now, (line) => characters.test(line)),
    tell: (path) => notifyCharacters(path, setting),
  };
}

function isLonger(limit: number): (line: string) => boolean {
  return (line) => line.length > limit;
}

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

/** A file of a review that the user can't have seen; without `hidden` nothing of it. */
interface Unseen {
  path: string;
  uri: vscode.Uri;
  hidden?: { by: Hiding; line: number };
}

/** Whether all that is proposed for these files can have been seen; what can't is said, and `again` shows the review anew. */
export async function isOnScreen(
  review: Review,
  files: Proposal['files'],
  shown: ShownText,
  again: () => Promise<void>,
): Promise<boolean> {
  const unseen = await firstUnseen(review, files, shown);
  if (unseen === undefined) {
    return true;
  }
  const { path, uri, hidden } = unseen;
  if (hidden === undefined) {
    void offer(notifyNotShown(path), async () => {
      await vscode.workspace.openTextDocument(uri); // a text that is there already is never too large to show
      await again();
    });
  } else {
    void offer(hidden.by.tell(path), () => showHidden(uri, hidden.by, hidden.line));
  }
  return false;
}

/** Whether all of a review in front can have been seen. */
export async function isSeen(review: Review, shown: ShownText): Promise<boolean> {
  const { proposal } = review;
  return proposal !== undefined && (await firstUnseen(review, proposal.files, shown)) === undefined;
}

async function firstUnseen(
  { proposed: { id, files: all } }: Review,
  files: Proposal['files'],
  shown: ShownText,
): Promise<Unseen | undefined> {
  for (const { path, base_text: base } of files) {
    const uri = virtualUri(PROPOSAL, id, path);
    if (!(await isShown(uri, all.length > 1))) {
      return { path, uri };
    }
    const config = settings(uri);
    const now = normalise(shown(path) ?? '');
    for (const by of HIDINGS) {
      const line = by.lineOf(config, base, now);
      if (line !== undefined) {
        return { path, uri, hidden: { by, line } };
      }
    }
  }
  return undefined;
}

/** How many UTF-16 units of a line, or of a row of a wrapped one, are drawn; VS Code reads it in this way. */
function limitOf(config: vscode.WorkspaceConfiguration): number {
  const limit = Number.parseInt(String(config.get('editor.stopRenderingLineAfter')), 10);
  return Number.isNaN(limit) ? USUAL_LIMIT : limit < 0 ? Infinity : limit;
}

/** Whether diffs wrap lines at the right edge of the editor. */
function isWrapped(config: vscode.WorkspaceConfiguration): boolean {
  const ofDiffs = config.get('diffEditor.wordWrap');
  const ofEditors = config.get('editor.wordWrap');
  return ofDiffs === 'on' || (ofDiffs !== 'off' && (ofEditors === 'on' || ofEditors === 'bounded'));
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

/** Have the diff of a proposed file show what it leaves out, by the setting that says so, and bring that line into view. */
async function showHidden(uri: vscode.Uri, { setting, shown }: Hiding, line: number): Promise<void> {
  const config = settings(uri);
  const found = config.inspect(setting);
  const ofLanguage = [found?.defaultLanguageValue, found?.globalLanguageValue, found?.workspaceLanguageValue];
  const isOfLanguage = ofLanguage.some((value) => value !== undefined);
  const isOfWorkspace = (isOfLanguage ? found?.workspaceLanguageValue : found?.workspaceValue) !== undefined;
  const target = isOfWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await config.update(setting, shown, target, isOfLanguage);
  editorOf(uri)?.revealRange(
    new vscode.Range(line, 0, line, 0),
    vscode.TextEditorRevealType.InCenterIfOutsideViewport,
  );
}

/** As they are for the language of the text, as the diff editor has them. */
function settings(uri: vscode.Uri): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration(undefined, findDocument(uri.toString()) ?? uri);
}

function editorOf(uri: vscode.Uri): vscode.TextEditor | undefined {
  const wanted = uri.toString();
  return vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === wanted);
}
