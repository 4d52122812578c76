/**
 * Whether the user can have seen what is accepted: VS Code leaves out texts that are too large for it and, by a setting,
 * blanks at either end of a line. The manifest has them shown unless the user or a workspace says otherwise.
 */
import * as vscode from 'vscode';
import { findDocument } from '../hand';
import { notify } from '../notifications';
import type { Proposal } from '../protocol';
import type { Review } from '../queue';
import { firstInBlanks, normalise } from '../texts';
import type { ShownText } from '../verdict';
import { PROPOSAL, virtualUri } from '../virtual';
import { tellBlanks, tellNotShown } from './telling';

/** An editor that is being opened has its text by then. */
const SOON_MS = 1000;

const IGNORED = 'ignoreTrimWhitespace';

/** Whether all that is proposed for these files can have been seen; what can't is said, and `again` shows the review anew. */
export async function isOnScreen(
  { proposed: { id, files: all } }: Review,
  files: Proposal['files'],
  shown: ShownText,
  again: () => Promise<void>,
): Promise<boolean> {
  for (const { path, base_text: base } of files) {
    const uri = virtualUri(PROPOSAL, id, path);
    if (!(await isShown(uri, all.length > 1))) {
      void offer(tellNotShown(path), async () => {
        await vscode.workspace.openTextDocument(uri); // a text that is there already is never too large to show
        await again();
      });
      return false;
    }
    const line = settings(uri).get(IGNORED, true) && firstInBlanks(base, normalise(shown(path) ?? ''));
    if (typeof line === 'number') {
      void offer(tellBlanks(path), () => showBlanks(uri, line));
      return false;
    }
  }
  return true;
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

/** Have the diff of a proposed file mark blanks, by the setting that says otherwise, and bring a line of it into view. */
async function showBlanks(uri: vscode.Uri, line: number): Promise<void> {
  const config = settings(uri);
  const found = config.inspect(IGNORED);
  const ofLanguage = [found?.defaultLanguageValue, found?.globalLanguageValue, found?.workspaceLanguageValue];
  const isOfLanguage = ofLanguage.some((value) => value !== undefined);
  const isOfWorkspace = (isOfLanguage ? found?.workspaceLanguageValue : found?.workspaceValue) !== undefined;
  const target = isOfWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await config.update(IGNORED, false, target, isOfLanguage);
  editorOf(uri)?.revealRange(
    new vscode.Range(line, 0, line, 0),
    vscode.TextEditorRevealType.InCenterIfOutsideViewport,
  );
}

/** As they are for the language of the text, as the diff editor has them. */
function settings(uri: vscode.Uri): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration('diffEditor', findDocument(uri.toString()) ?? uri);
}

function editorOf(uri: vscode.Uri): vscode.TextEditor | undefined {
  const wanted = uri.toString();
  return vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === wanted);
}
