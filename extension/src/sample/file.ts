/** The sample's scratch file: created beside the user's files without touching any, and removed once the user has seen what goes. */
import { readFile, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { findDocument } from '../proposals/applyEdits';
import { mayAsk } from '../review/userWaits';
import { baseName, messageOf } from '../util/display';
import { confirm, notify } from '../util/window';

/** More leftover files than anybody keeps. */
const MAX_FILES = 100;

/** How many of its lines are shown before it is deleted. */
const LINES_SHOWN = 20;

/** Create the file in `folder` under a name that is free there. Rejects if the folder takes no file. */
export async function createFile(folder: vscode.Uri, text: string): Promise<vscode.Uri> {
  for (let count = 1; ; count += 1) {
    const uri = vscode.Uri.joinPath(folder, `agentfs-sample${count === 1 ? '' : `-${count}`}.md`);
    try {
      // Fails if anything has this name, even a link that leads nowhere.
      await writeFile(uri.fsPath, text, { flag: 'wx' });
      return uri;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || count === MAX_FILES) {
        throw error;
      }
    }
  }
}

/** Whether the file is there. */
export async function isThere(uri: vscode.Uri): Promise<boolean> {
  return (await textOf(uri)) !== undefined;
}

/** Delete the file, after the user has seen its text and agreed. VS Code moves it to the trash if there is one. */
export async function removeFile(uri: vscode.Uri): Promise<void> {
  const name = baseName(uri.path);
  const text = await textOf(uri);
  if (text === undefined) {
    return;
  }
  const question = vscode.l10n.t('Delete {0}?', name);
  if (!(await mayAsk(question)) || !(await confirm(question, linesOf(text), vscode.l10n.t('Delete')))) {
    return;
  }
  if ((await textOf(uri)) !== text) {
    void notify('warning', vscode.l10n.t('{0} was not deleted, because it has just changed.', name));
    return;
  }
  const deletion = new vscode.WorkspaceEdit();
  deletion.deleteFile(uri, { ignoreIfNotExists: true });
  if (!(await vscode.workspace.applyEdit(deletion))) {
    void notify('error', vscode.l10n.t('{0} could not be deleted.', name));
  }
}

/** The text of the file, as an editor shows it if one does; undefined if there is none. */
async function textOf(uri: vscode.Uri): Promise<string | undefined> {
  const document = findDocument(uri.toString());
  if (document !== undefined) {
    return document.getText();
  }
  return readFile(uri.fsPath, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      void notify('error', messageOf(error));
    }
    return undefined;
  });
}

function linesOf(text: string): string[] {
  const lines = text.trimEnd().split(/\r\n|\r|\n/);
  const rest = lines.length - LINES_SHOWN;
  return rest > 0 ? [...lines.slice(0, LINES_SHOWN), vscode.l10n.t('… and {0} more lines', rest)] : lines;
}
