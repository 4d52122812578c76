/** Ends the typing in reviews, and closes their tabs without a question. `diffEditor.ts` says which. */
import * as vscode from 'vscode';
import { findDocument } from '../proposals/applyEdits';
import type { ReviewFileSystem } from './fileSystem';
import { allTabs, proposalsIn } from './tabs';

/** A proposed file that was shown in a tab, and what the user has made of it; undefined where it was never read. */
export interface Closed {
  uri: vscode.Uri;
  text: string | undefined;
  /** It held what was not saved: the user has typed there. */
  wasUnsaved: boolean;
}

/** A key may come in between, and makes the document unsaved again; hardly so often. */
const MOST_ROUNDS = 100;

/**
 * Make documents read-only in the editor, and keep the text that they have then: what is typed until that moment is
 * in it. Nothing is saved, as the user's formatters would change what was typed. In the editor of several files the user can type on,
 * which VS Code no longer counts as unsaved.
 */
export async function makeReadOnly(files: ReviewFileSystem, uris: readonly vscode.Uri[]): Promise<void> {
  const documents = (await Promise.all(uris.map(documentAt))).flatMap((document) => document ?? []);
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    documents.forEach(({ uri }) => files.lock(uri));
    // The editor hears of the lock and asks for the file; the second time it has read the answer.
    await caughtUp();
    await caughtUp();
    const unsaved = documents.filter(({ isDirty, isClosed }) => isDirty && !isClosed);
    if (unsaved.length === 0) {
      break;
    }
    const deletion = new vscode.WorkspaceEdit();
    for (const { uri } of unsaved) {
      files.letDelete(uri);
      deletion.deleteFile(uri);
    }
    await vscode.workspace.applyEdit(deletion);
  }
  keepTexts(files, documents);
}

/** Close tabs. One call at a time, as the texts of two of them would get in each other's way. */
export async function closeTabs(files: ReviewFileSystem, which: (tab: vscode.Tab) => boolean): Promise<readonly Closed[]> {
  const shown = allTabs().filter(which).flatMap(proposalsIn);
  await caughtUp();
  const documents = (await Promise.all(shown.map(documentAt))).flatMap((document) => document ?? []);
  const unsaved = new Set(documents.filter(({ isDirty }) => isDirty));
  // What VS Code brought back after a reload is none of the files here yet.
  documents.filter(({ uri }) => !files.has(uri)).forEach((document) => files.set(document.uri, document.getText()));
  await makeReadOnly(files, shown);
  for (const { tabs } of vscode.window.tabGroups.all) {
    const closing = tabs.filter(which);
    if (closing.length > 0) {
      // A tab that takes the place of one would get the focus, whatever has it. Where none does, VS Code keeps the
      // focus where it is, or puts it on what is left if it was in the tab.
      await vscode.window.tabGroups.close(closing, closing.length < tabs.length);
    }
  }
  await caughtUp();
  keepTexts(files, documents);
  return shown.map((uri) => {
    const document = documents.find((one) => one.uri.toString() === uri.toString());
    return { uri, text: document?.getText(), wasUnsaved: document !== undefined && unsaved.has(document) };
  });
}

/**
 * Wait until what is on the screen is in the documents and the tabs here: keys and all else come in the order in which
 * this is answered.
 */
export async function caughtUp(): Promise<void> {
  await vscode.commands.executeCommand('setContext', 'agentfs.ui.caughtUp', true);
}

function keepTexts(files: ReviewFileSystem, documents: readonly vscode.TextDocument[]): void {
  for (const document of documents) {
    const text = document.getText();
    if (files.has(document.uri) && files.get(document.uri) !== text) {
      files.set(document.uri, text);
    }
  }
}

/** A draft that VS Code brings back after a reload has its tab before its document; that may fail where nothing is left of it. */
async function documentAt(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return findDocument(uri.toString()) ?? (await vscode.workspace.openTextDocument(uri));
  } catch {
    return undefined;
  }
}
