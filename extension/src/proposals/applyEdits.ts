/**
 * The editor's part of a landing: applies edits to known document versions, and saves
 * (docs/protocol.md#93-how-it-lands). It knows nothing about decisions.
 */
import * as vscode from 'vscode';
import { messageOf } from '../util/display';
import { normalize } from '../util/text';
import type { AppliedFile, SavedFile, WorkspaceEdit } from '../protocol/types';

/** Converts an edit from the wire into a VS Code edit. */
export type Convert = (edit: WorkspaceEdit) => Promise<vscode.WorkspaceEdit>;

/** Apply all of `edit` or nothing. Returns the result for each file. */
export async function applyEdits(edit: WorkspaceEdit, convert: Convert): Promise<AppliedFile[]> {
  const converted = await convert(edit);
  // Don't await anything between this check and the call below: the versions may change.
  const stale = edit.documentChanges.flatMap(({ textDocument }) => {
    const reason = whyStale(textDocument.uri, textDocument.version);
    return reason === undefined ? [] : [{ uri: textDocument.uri, applied: false, reason }];
  });
  const applied = stale.length === 0 && (await vscode.workspace.applyEdit(converted));
  return edit.documentChanges.map(({ textDocument: { uri } }) => {
    if (applied) {
      return { uri, applied };
    }
    const own = stale.find((one) => one.uri === uri);
    return own ?? { uri, applied, reason: vscode.l10n.t('The editor refused the edit.') };
  });
}

/** Save a document the way the Save command does, with the user's formatters and code actions. */
export async function save(uri: string): Promise<SavedFile> {
  const document = findDocument(uri);
  if (document === undefined) {
    return { uri, saved: false, reason: vscode.l10n.t('The document was closed.') };
  }
  try {
    // While auto save is saving, or just after it, save() returns false.
    const saved = (await document.save()) || (await isSavedSoon(document));
    if (saved) {
      return { uri, saved };
    }
    const reason = document.isDirty
      ? vscode.l10n.t('The editor could not save it.')
      : vscode.l10n.t('It is read-only in the editor.');
    return { uri, saved, reason };
  } catch (error) {
    return { uri, saved: false, reason: messageOf(error) };
  }
}

/**
 * Save a document at the user's request, even one that is read-only in the editor: VS Code applies extensions' edits to
 * it, but neither marks it as unsaved nor saves it. To make it writable takes the focus, and so needs a user who waits.
 */
export async function saveWritable(uri: string, isWaiting: () => Promise<boolean>): Promise<SavedFile> {
  const document = findDocument(uri);
  if (document === undefined || document.isDirty) {
    return save(uri);
  }
  if (!(await isWaiting())) {
    return { uri, saved: false };
  }
  await vscode.window.showTextDocument(document, { preview: false });
  await vscode.commands.executeCommand('workbench.action.files.setActiveEditorWriteableInSession');
  return { uri, saved: (await vscode.workspace.save(document.uri)) !== undefined };
}

const SOON_MS = 2000;

const savedVersions = new WeakMap<vscode.TextDocument, number>();

/** Remember which version of each document was saved: documents that are read-only in the editor are never dirty. */
export function watchSaves(): vscode.Disposable {
  return vscode.workspace.onDidSaveTextDocument((document) => savedVersions.set(document, document.version));
}

/** Whether the document's current version was saved. */
export function isSaved(document: vscode.TextDocument): boolean {
  return !document.isDirty && savedVersions.get(document) === document.version;
}

/**
 * Follows the change of the text `before` that has just landed in the document with this URI, until the result is asked
 * what has become of it.
 */
export function followChange(uri: string, before: string | undefined): () => 'unsaved' | 'saved' | 'lost' {
  const document = findDocument(uri);
  const version = document?.version ?? 0;
  const after = document?.getText();
  let isUndone = false;
  const listener = vscode.workspace.onDidChangeTextDocument(({ document: changed, reason }) => {
    if (changed === document && reason !== undefined) {
      const now = changed.getText();
      isUndone = normalize(now) === before || (isUndone && now !== after);
    }
  });
  return () => {
    listener.dispose();
    if (document === undefined || isUndone) {
      return 'lost';
    }
    const isOpen = !document.isClosed;
    if (isOpen && document.isDirty) {
      return 'unsaved';
    }
    if ((savedVersions.get(document) ?? -1) >= version) {
      return 'saved';
    }
    return isOpen && document.version === version ? 'unsaved' : 'lost'; // never dirty if it is read-only in the editor
  };
}

/** Whether the document's current version is saved, waiting a moment for a save that is under way. */
function isSavedSoon(document: vscode.TextDocument): Promise<boolean> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      listener.dispose();
      resolve(isSaved(document));
    };
    const timer = setTimeout(done, document.isDirty ? SOON_MS : 0);
    const listener = vscode.workspace.onDidSaveTextDocument((saved) => {
      if (saved === document) {
        done();
      }
    });
  });
}

/** The open document with this URI, however the URI is encoded. */
export function findDocument(uri: string): vscode.TextDocument | undefined {
  const wanted = vscode.Uri.parse(uri).toString();
  return vscode.workspace.textDocuments.find(
    (document) => !document.isClosed && document.uri.toString() === wanted,
  );
}

function whyStale(uri: string, version: number | null): string | undefined {
  const document = findDocument(uri);
  if (document === undefined) {
    return version === null ? undefined : vscode.l10n.t('The document was closed.');
  }
  return version === null || document.version === version
    ? undefined
    : vscode.l10n.t('The document has changed in the meantime.');
}
