/** Makes reviews read-only, and closes their tabs without asking. `diffEditor.ts` decides which. */
import * as vscode from 'vscode';
import { findDocument } from '../proposals/applyEdits';
import { caughtUp } from '../util/caughtUp';
import type { ReviewFileSystem } from './fileSystem';
import { allTabs, proposalsIn } from './tabs';

/** A proposed file that a tab showed, with the user's edits; `text` is undefined if it was never loaded. */
export interface Closed {
  uri: vscode.Uri;
  text: string | undefined;
  /** Whether it had unsaved changes: the user typed there. */
  wasUnsaved: boolean;
}

/** A key press can make the document unsaved again, so try again; this many in a row are unlikely. */
const MAX_ROUNDS = 100;

/**
 * Make documents read-only in the editor, and keep their text, including everything typed until that moment. Don't save
 * them: the user's formatters would change what was typed. In the editor of several files the user can type on; VS Code
 * no longer counts that as unsaved.
 */
export async function makeReadOnly(files: ReviewFileSystem, uris: readonly vscode.Uri[]): Promise<void> {
  const documents = (await Promise.all(uris.map(documentAt))).flatMap((document) => document ?? []);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    documents.forEach(({ uri }) => files.lock(uri));
    // The editor hears of the lock, and then reads the file's state; after the second call it has the answer.
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

/**
 * Close tabs. Don't run two calls at once: both set the texts of their documents. What replaces a tab gets no key that was
 * meant for it.
 */
export async function closeTabs(files: ReviewFileSystem, which: (tab: vscode.Tab) => boolean): Promise<readonly Closed[]> {
  await caughtUp();
  const shown = allTabs().filter(which).flatMap(proposalsIn);
  const documents = (await Promise.all(shown.map(documentAt))).flatMap((document) => document ?? []);
  const unsaved = new Set(documents.filter(({ isDirty }) => isDirty));
  // After a reload, `files` doesn't know the documents that VS Code restored.
  documents.filter(({ uri }) => !files.has(uri)).forEach((document) => files.set(document.uri, document.getText()));
  // What was typed but doesn't count as unsaved would be replaced by what `files` has.
  keepTexts(files, documents.filter(({ isDirty }) => !isDirty));
  await makeReadOnly(files, shown);
  for (const { tabs } of vscode.window.tabGroups.all) {
    // VS Code asks about a tab that has come meanwhile, if it restores unsaved text there.
    const closing = tabs.filter((tab) => which(tab) && proposalsIn(tab).every((uri) => shown.some((one) => one.toString() === uri.toString())));
    if (closing.length > 0) {
      // Without `true`, VS Code would focus a text, even if the user is searching in it: keys would replace what is found.
      await vscode.window.tabGroups.close(closing, true);
    }
  }
  await caughtUp();
  keepTexts(files, documents);
  return shown.map((uri) => {
    const document = documents.find((one) => one.uri.toString() === uri.toString());
    return { uri, text: document?.getText(), wasUnsaved: document !== undefined && unsaved.has(document) };
  });
}

function keepTexts(files: ReviewFileSystem, documents: readonly vscode.TextDocument[]): void {
  for (const document of documents) {
    const text = document.getText();
    if (files.has(document.uri) && files.get(document.uri) !== text) {
      files.set(document.uri, text);
    }
  }
}

/** After a reload, a restored tab may not have its document yet. Opening that fails if nothing is left of it. */
async function documentAt(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return findDocument(uri.toString()) ?? (await vscode.workspace.openTextDocument(uri));
  } catch {
    return undefined;
  }
}
