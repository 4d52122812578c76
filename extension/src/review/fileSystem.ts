/**
 * The documents of a review that are not files: the proposal, which the user may edit, and the text it is compared
 * with. They live in memory; saving them changes nothing in the workspace.
 */
import * as vscode from 'vscode';
import { visible } from '../util/display';
import { fromBytes, toBytes } from '../util/text';

/** The right side of a review: `agentfs-proposal://<id>/<path>`. */
export const PROPOSAL = 'agentfs-proposal';
/** The left side: the text that the proposal changes; read-only. */
export const BASE = 'agentfs-base';
/** What the user typed into a proposal that has ended; read-only. */
export const DRAFT = 'agentfs-draft';
/** Both sides of a change that has landed, or that is looked through with others; read-only. */
export const LANDED = 'agentfs-landed';

/** VS Code shows its path, above a review for example: characters that hide or reorder the name are codes there. */
export function virtualUri(scheme: string, id: string, path: string): vscode.Uri {
  const shown = visible(path);
  return vscode.Uri.from({ scheme, authority: id, path: `/${shown}`, query: shown === path ? '' : path });
}

/** The proposal id in a URI of these schemes. */
export function idOf(uri: vscode.Uri): string {
  return uri.authority;
}

/** The workspace path in a URI of these schemes. */
export function pathOf(uri: vscode.Uri): string {
  return uri.query === '' ? uri.path.slice(1) : uri.query;
}

/** Serves read-only texts. */
export class ReadOnlyTexts implements vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();

  set(uri: vscode.Uri, text: string): void {
    this.texts.set(uri.toString(), text);
  }

  has(uri: vscode.Uri): boolean {
    return this.texts.has(uri.toString());
  }

  delete(uri: vscode.Uri): void {
    this.texts.delete(uri.toString());
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? '';
  }
}

interface Held {
  bytes: Uint8Array;
  mtime: number;
}

/** Serves proposals as files, so that the user can edit them. Saving one keeps the draft in memory. */
export class ReviewFileSystem implements vscode.FileSystemProvider {
  private readonly changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  private readonly held = new Map<string, Held>();
  private readonly locked = new Set<string>();
  private readonly deleting = new Set<string>();
  private readonly listener = vscode.workspace.onWillDeleteFiles(({ files }) => {
    files.filter(({ scheme }) => scheme === PROPOSAL).forEach((uri) => this.deleting.add(uri.toString()));
  });
  readonly onDidChangeFile = this.changes.event;

  dispose(): void {
    this.listener.dispose();
  }

  /** Store a text until it is removed. */
  set(uri: vscode.Uri, text: string): void {
    const marked = text.startsWith('\ufeff') || needsMark(uri);
    this.held.set(uri.toString(), { bytes: toBytes(text, marked), mtime: Date.now() });
  }

  /** Store a document's text if it doesn't count as unsaved, as where a setting makes it read-only: its tab would take it along. */
  keepClean(document: vscode.TextDocument): void {
    if (!document.isDirty) {
      this.set(document.uri, document.getText());
    }
  }

  /** The text that was last stored or saved there. */
  get(uri: vscode.Uri): string | undefined {
    const held = this.held.get(uri.toString());
    return held && fromBytes(held.bytes);
  }

  has(uri: vscode.Uri): boolean {
    return this.held.has(uri.toString());
  }

  forget(uri: vscode.Uri): void {
    this.held.delete(uri.toString());
    this.locked.delete(uri.toString());
  }

  /** Make it read-only in the editor. This has no effect while it has unsaved changes: see `letDelete`. */
  lock(uri: vscode.Uri): void {
    this.locked.add(uri.toString());
    this.changes.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  unlock(uri: vscode.Uri): void {
    if (this.locked.delete(uri.toString())) {
      this.changes.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    }
  }

  /**
   * Let the editor start to delete it. Before it deletes a file, the editor discards the document's unsaved state but
   * keeps its text; then it finds the file read-only. No stable API makes a document with unsaved text read-only.
   */
  letDelete(uri: vscode.Uri): void {
    this.locked.delete(uri.toString());
  }

  /** Always refused: it is read-only by then, or is about to be. */
  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    if (this.deleting.delete(uri.toString())) {
      this.lock(uri);
    }
    const held = this.held.get(uri.toString());
    if (held !== undefined) {
      const { mtime, bytes } = held;
      const permissions = this.locked.has(uri.toString()) ? { permissions: vscode.FilePermission.Readonly } : {};
      return { type: vscode.FileType.File, ctime: 0, mtime, size: bytes.byteLength, ...permissions };
    }
    const below = `${uri.toString().replace(/\/$/, '')}/`;
    if (uri.path === '/' || [...this.held.keys()].some((key) => key.startsWith(below))) {
      return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
    }
    throw vscode.FileSystemError.FileNotFound(uri);
  }

  readFile(uri: vscode.Uri): Uint8Array {
    const held = this.held.get(uri.toString());
    if (held === undefined) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    return held.bytes;
  }

  writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    this.held.set(uri.toString(), { bytes, mtime: Date.now() });
    this.changes.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(): void {
    // The editor creates parent folders when it saves; there are none here.
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
}

/** Whether the user's settings, for all languages or one, would decode plain UTF-8 as something else. */
function needsMark(uri: vscode.Uri): boolean {
  const files = vscode.workspace.getConfiguration('files', uri);
  const ofLanguages = files.inspect('encoding')?.languageIds ?? [];
  return (
    files.get<string>('encoding', 'utf8') !== 'utf8' ||
    files.get<boolean>('autoGuessEncoding', false) ||
    ofLanguages.length > 0
  );
}
