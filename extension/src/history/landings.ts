/**
 * Keeps track of changes that landed in the editor, unsaved: the user may save them, undo them, or close the file
 * without saving.
 */
import * as vscode from 'vscode';
import { isSaved } from '../proposals/applyEdits';
import { normalize } from '../util/text';
import type { HistoryRecord, HistoryStore } from './store';

/** What an earlier window left in the editor may have been saved or reverted since. */
const STARTED_AT = Date.now();

/** VS Code reports a text change, the end of its unsaved state, and a save one after the other. */
const SETTLED_MS = 200;

export class LandingWatcher implements vscode.Disposable {
  private readonly timers = new Map<vscode.TextDocument, NodeJS.Timeout>();
  private readonly listeners: vscode.Disposable;

  constructor(private readonly store: HistoryStore) {
    const look = (document: vscode.TextDocument): void => this.lookSoon(document);
    this.listeners = vscode.Disposable.from(
      vscode.workspace.onDidChangeTextDocument(({ document }) => look(document)),
      vscode.workspace.onDidSaveTextDocument(look),
      vscode.workspace.onDidCloseTextDocument(look),
    );
  }

  dispose(): void {
    this.listeners.dispose();
    this.timers.forEach(clearTimeout);
  }

  private lookSoon(document: vscode.TextDocument): void {
    if (this.recordsOf(document).length > 0) {
      clearTimeout(this.timers.get(document));
      this.timers.set(document, setTimeout(() => this.look(document), SETTLED_MS));
    }
  }

  private look(document: vscode.TextDocument): void {
    this.timers.delete(document);
    for (const record of this.recordsOf(document)) {
      const landing = isUnsaved(record) ? 'editor' : record.landing === 'editor' && isSaved(document) ? 'disk' : 'reverted';
      this.store.setLanding(record.id, landing);
    }
  }

  /** The changes of this file that were not on disk when last checked. */
  private recordsOf({ uri }: vscode.TextDocument): readonly HistoryRecord[] {
    const path = vscode.workspace.asRelativePath(uri);
    return uri.scheme !== 'file' ? [] : this.store.all.filter((record) => isFollowed(record) && record.paths.includes(path));
  }
}

/** Whether it is known what becomes of a change that was not on disk when last checked. */
function isFollowed({ landing, at }: HistoryRecord): boolean {
  return landing !== 'disk' && at >= STARTED_AT;
}

/** Whether part of the change is in the editor now, unsaved. */
export function isUnsaved(record: HistoryRecord): boolean {
  return isFollowed(record) && record.paths.some((path) => isUnsavedIn(record, path));
}

function isUnsavedIn({ landing, files }: HistoryRecord, path: string): boolean {
  const document = vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'file' && vscode.workspace.asRelativePath(uri) === path);
  if (document === undefined) {
    return false;
  }
  const file = files.find((one) => one.path === path);
  const text = file && normalize(document.getText());
  if (text !== undefined && text === file?.after) {
    return !isSaved(document); // isDirty is false for files that are read-only in the editor
  }
  return landing === 'editor' && document.isDirty && (text === undefined || text !== file?.before);
}
