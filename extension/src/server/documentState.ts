/** Tells the server what the text sync doesn't: which documents are unsaved, and their encodings. */
import * as vscode from 'vscode';
import { allTabs, isUnsavedElsewhere } from '../review/tabs';
import type { DocumentState } from '../protocol/types';

/** Calls `send` when a document's state differs from the one last sent. */
export class DocumentStates implements vscode.Disposable {
  private readonly told = new Map<string, string>();
  private listeners: vscode.Disposable[] = [];

  constructor(private readonly send: (state: DocumentState) => void) {}

  /** Call this when a connection begins; `dispose` when it ends. */
  listen(): void {
    this.dispose();
    const tell = (document: vscode.TextDocument): void => this.tell(document);
    this.listeners = [
      vscode.workspace.onDidChangeTextDocument(({ document }) => tell(document)),
      vscode.workspace.onDidSaveTextDocument(tell),
      vscode.workspace.onDidCloseTextDocument((document) => this.told.delete(document.uri.toString())),
    ];
  }

  /** The server has just been told that this document is open, but nothing else about it. */
  opened(document: vscode.TextDocument): void {
    this.told.delete(document.uri.toString());
    this.tell(document);
  }

  private tell(document: vscode.TextDocument): void {
    if (document.uri.scheme !== 'file') {
      return;
    }
    const uri = document.uri.toString();
    const encoding = encodingOf(document);
    const state = { uri, dirty: document.isDirty, ...(encoding === undefined ? {} : { encoding }) };
    const written = JSON.stringify(state);
    if (this.told.get(uri) !== written) {
      this.told.set(uri, written);
      this.send(state);
    }
  }

  dispose(): void {
    vscode.Disposable.from(...this.listeners).dispose();
  }
}

/** Calls `send` when an editor such as a notebook's has unsaved changes of a file, and when it has none any more. */
export class UnsavedElsewhere implements vscode.Disposable {
  private told: ReadonlySet<string> = new Set();
  private listeners: vscode.Disposable[] = [];

  constructor(private readonly send: (state: DocumentState) => void) {}

  /** Call this when a connection begins; `dispose` when it ends. */
  listen(): void {
    this.dispose();
    this.told = new Set();
    this.listeners = [
      vscode.window.tabGroups.onDidChangeTabs(() => this.tell()),
      vscode.window.tabGroups.onDidChangeTabGroups(() => this.tell()),
      // An editor's tab may become unsaved before its text does.
      vscode.workspace.onDidChangeTextDocument(() => this.told.size > 0 && this.tell()),
    ];
    this.tell();
  }

  dispose(): void {
    vscode.Disposable.from(...this.listeners).dispose();
  }

  private tell(): void {
    const before = this.told;
    const uris = allTabs().flatMap(({ isDirty, input }) => (isDirty ? fileIn(input) : []));
    this.told = new Set(uris.filter(isUnsavedElsewhere).map(String));
    [...before].filter((uri) => !this.told.has(uri)).forEach((uri) => this.send({ uri, unsaved_elsewhere: false }));
    [...this.told].filter((uri) => !before.has(uri)).forEach((uri) => this.send({ uri, unsaved_elsewhere: true }));
  }
}

/** The file of a tab that does not show it as text. */
function fileIn(input: unknown): readonly vscode.Uri[] {
  const isOther = input instanceof vscode.TabInputNotebook || input instanceof vscode.TabInputCustom;
  return isOther && input.uri.scheme === 'file' ? [input.uri] : [];
}

/** The editor's name for the encoding, which the server understands. VS Code before 1.100 doesn't report it. */
function encodingOf(document: vscode.TextDocument): string | undefined {
  const { encoding } = document as { encoding?: unknown };
  return typeof encoding === 'string' ? encoding : undefined;
}
