/**
 * Keeps it true of a change that landed in the editor whether it still waits there: the user may save it, undo it, or
 * close the file without saving.
 */
import * as vscode from 'vscode';
import { isSaved } from '../proposals/applyEdits';
import { normalise } from '../util/text';
import type { HistoryRecord, HistoryStore } from './store';

/** VS Code tells of a change of the text, that it is no longer unsaved, and of a save one after the other. */
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

  /** The changes of this file that were not on disk when they were looked at last. */
  private recordsOf({ uri }: vscode.TextDocument): readonly HistoryRecord[] {
    const path = vscode.workspace.asRelativePath(uri);
    return uri.scheme !== 'file' ? [] : this.store.all.filter(({ landing, paths }) => landing !== 'disk' && paths.includes(path));
  }
}

/** Whether some of a change waits in the editor now. */
export function isUnsaved(record: HistoryRecord): boolean {
  return record.landing !== 'disk' && record.paths.some((path) => isUnsavedIn(record, path));
}

function isUnsavedIn({ landing, files }: HistoryRecord, path: string): boolean {
  const document = vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'file' && vscode.workspace.asRelativePath(uri) === path);
  if (document === undefined) {
    return false;
  }
  const file = files.find((one) => one.path === path);
  const text = file && normalise(document.getText());
  if (text !== undefined && text === file?.after) {
    return !isSaved(document); // where it is read-only in the editor, it does not count as unsaved there
  }
  return landing === 'editor' && document.isDirty && (text === undefined || text !== file?.before);
}
