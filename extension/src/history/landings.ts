/**
 * Keeps track of changes that landed in the editor, unsaved: the user may save them, undo them, or close the file
 * without saving.
 */
import * as vscode from 'vscode';
import { isSaved } from '../proposals/applyEdits';
import { hashOf } from '../review/staleness';
import { allTabs } from '../review/tabs';
import { normalize } from '../util/text';
import { uriOf } from './diff';
import type { HistoryRecord, HistoryStore } from './store';
import type { RecordedHashes } from './undone';

/** What an earlier window left in the editor may have been saved or reverted since. */
const STARTED_AT = Date.now();

/** VS Code reports a text change, the end of its unsaved state, and a save one after the other. */
const SETTLED_MS = 200;

export class LandingWatcher implements vscode.Disposable {
  private readonly timers = new Map<vscode.TextDocument, NodeJS.Timeout>();
  /** The changes that an earlier window left in the editor, by id. */
  private readonly earlier = new Set<string>();
  private readonly listeners: vscode.Disposable;

  constructor(private readonly store: HistoryStore) {
    const look = (document: vscode.TextDocument): void => this.lookSoon(document);
    this.listeners = vscode.Disposable.from(
      store.onDidChange(() => this.noteEarlier()),
      // VS Code brings unsaved texts back after a reload, but opens them only once they are in front.
      vscode.window.tabGroups.onDidChangeTabs(({ opened, changed, closed }) => [...opened, ...changed, ...closed].forEach((tab) => this.lookAtTab(tab))),
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
    if (this.recordsOf(document).length + this.earlierOf(document.uri).length > 0) {
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
    this.earlierOf(document.uri).forEach((record) => void this.lookAtFiles(record));
  }

  private noteEarlier(): void {
    const left = this.store.all.filter(({ id, at, landing }) => landing === 'editor' && at < STARTED_AT && !this.earlier.has(id));
    for (const record of left) {
      this.earlier.add(record.id);
      void this.lookAtFiles(record);
    }
  }

  /** What has become of a change that an earlier window left in the editor, if its files tell. */
  private async lookAtFiles({ id, hashes = [] }: HistoryRecord): Promise<void> {
    const found = new Set(await Promise.all(hashes.map(whereIs)));
    const [only = 'editor', ...more] = found;
    const landing = more.length === 0 ? only : 'editor';
    if (landing === 'disk') {
      this.earlier.delete(id); // what is typed after that is another change
    }
    if (landing !== this.store.get(id)?.landing) {
      this.store.setLanding(id, landing);
    }
  }

  private lookAtTab({ input }: vscode.Tab): void {
    if (input instanceof vscode.TabInputText) {
      this.earlierOf(input.uri).forEach((record) => void this.lookAtFiles(record));
    }
  }

  private earlierOf(uri: vscode.Uri): readonly HistoryRecord[] {
    const path = vscode.workspace.asRelativePath(uri);
    return uri.scheme !== 'file' ? [] : this.store.all.filter(({ id, paths }) => this.earlier.has(id) && paths.includes(path));
  }

  /** The changes of this file that were not on disk when last checked. */
  private recordsOf({ uri }: vscode.TextDocument): readonly HistoryRecord[] {
    const path = vscode.workspace.asRelativePath(uri);
    return uri.scheme !== 'file' ? [] : this.store.all.filter((record) => isFollowed(record) && record.paths.includes(path));
  }
}

/** Where a file's part of a change is that an earlier window left in the editor: there, as long as nothing else is known. */
async function whereIs({ path, before, after }: RecordedHashes): Promise<HistoryRecord['landing']> {
  const uri = uriOf(path);
  const isIt = (other: vscode.Uri): boolean => other.toString() === uri?.toString();
  const isUnsaved =
    vscode.workspace.textDocuments.some((document) => document.isDirty && isIt(document.uri)) ||
    allTabs().some(({ isDirty, input }) => isDirty && input instanceof vscode.TabInputText && isIt(input.uri));
  const hash = uri === undefined || isUnsaved ? undefined : await hashOf(uri);
  return hash === after ? 'disk' : hash === before ? 'reverted' : 'editor';
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
