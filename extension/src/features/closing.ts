/** Closes tabs of reviews without a question. Which ones, and what follows from it, is `review.ts`. */
import * as vscode from 'vscode';
import { findDocument, save } from '../hand';
import { allTabs, proposalsIn } from './tabs';

/**
 * Drafts are saved before: that keeps them in memory, and their tabs close silently. What the user's formatters make
 * of a draft then is not what was typed, so `keep` gets that. One call
 * at a time, as two of them would save the same draft at once, which the editor refuses. The proposed files that were shown in the tabs.
 */
export async function closeTabs(
  which: (tab: vscode.Tab) => boolean,
  keep: (uri: vscode.Uri, text: string) => void = () => undefined,
): Promise<readonly vscode.Uri[]> {
  const shown = allTabs().filter(which).flatMap(proposalsIn);
  await caughtUp();
  for (const uri of shown) {
    const document = await documentAt(uri);
    if (document?.isDirty === true) {
      const text = document.getText();
      await save(document.uri.toString());
      keep(document.uri, text);
    }
  }
  for (const { tabs } of vscode.window.tabGroups.all) {
    const closing = tabs.filter(which);
    if (closing.length > 0) {
      // A tab that takes the place of one would get the focus, whatever has it. Where none does, VS Code keeps the
      // focus where it is, or puts it on what is left if it was in the tab.
      await vscode.window.tabGroups.close(closing, closing.length < tabs.length);
    }
  }
  return shown;
}

/**
 * Wait until what is on the screen is in the documents and the tabs here: keys and all else come in the order in which
 * this is answered.
 */
export async function caughtUp(): Promise<void> {
  await vscode.commands.executeCommand('setContext', 'agentfs.ui.caughtUp', true);
}

/** A draft that VS Code brings back after a reload has its tab before its document; that may fail where nothing is left of it. */
async function documentAt(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return findDocument(uri.toString()) ?? (await vscode.workspace.openTextDocument(uri));
  } catch {
    return undefined;
  }
}
