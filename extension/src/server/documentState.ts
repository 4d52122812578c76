/** Tells the server what the text sync does not: which documents are unsaved, and in which encoding. */
import * as vscode from 'vscode';
import type { DocumentState } from '../protocol/types';

/** `send` a document's state whenever it is another than the one told last. */
export class DocumentStates implements vscode.Disposable {
  private readonly told = new Map<string, string>();
  private listeners: vscode.Disposable[] = [];

  constructor(private readonly send: (state: DocumentState) => void) {}

  /** A connection begins, the first or one made anew where the server was gone; `dispose` is its end. */
  listen(): void {
    this.dispose();
    const tell = (document: vscode.TextDocument): void => this.tell(document);
    this.listeners = [
      vscode.workspace.onDidChangeTextDocument(({ document }) => tell(document)),
      vscode.workspace.onDidSaveTextDocument(tell),
      vscode.workspace.onDidCloseTextDocument((document) => this.told.delete(document.uri.toString())),
    ];
  }

  /** The server has just been told that this document is open, and of nothing else. */
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

/** By the editor's name for it, which the server understands. Editors before 1.100 do not tell. */
function encodingOf(document: vscode.TextDocument): string | undefined {
  const { encoding } = document as { encoding?: unknown };
  return typeof encoding === 'string' ? encoding : undefined;
}
