/**
 * Watches the files of opened reviews, and marks a review if a file has changed since the agent saw it, even if that
 * was before the review opened. The server decides whether accepting is a conflict; this only warns beforehand.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { findDocument } from '../proposals/applyEdits';
import type { Proposed, ReviewedFile } from '../protocol/types';
import type { Staleness, Review } from '../proposals/review';
import type { ProposalStore } from '../proposals/store';
import { baseName } from '../util/display';
import { normalize } from '../util/text';

/** A text is compared this long after its last change. */
const SETTLED_MS = 150;

export class StalenessWatcher implements vscode.Disposable {
  private readonly watched = new Map<string, vscode.Disposable>();
  /** The hashes on disk of each proposal's open files when it arrived, by URI. */
  private readonly disks = new Map<string, ReadonlyMap<string, Promise<string | null>>>();

  constructor(private readonly proposals: ProposalStore) {}

  /** A proposal has arrived. It includes the disk's hash for closed files; read that of open files now. */
  arrived({ id, files }: Proposed): void {
    const open = files.filter(({ version }) => version !== null);
    this.disks.set(id, new Map(open.map(({ uri }) => [uri, hashOf(vscode.Uri.parse(uri))])));
  }

  /** Watch the files of a review whose texts are loaded. Does nothing if they are already watched. */
  watch(review: Review): void {
    const { proposal } = review;
    if (proposal === undefined || this.watched.has(proposal.id)) {
      return;
    }
    const watches = proposal.files.map((file) => this.watchFile(review, file));
    this.watched.set(proposal.id, vscode.Disposable.from(...watches));
  }

  /** The review has ended. */
  forget(id: string): void {
    this.watched.get(id)?.dispose();
    this.watched.delete(id);
    this.disks.delete(id);
  }

  dispose(): void {
    [...this.watched.keys()].forEach((id) => this.forget(id));
  }

  private watchFile(review: Review, file: ReviewedFile): vscode.Disposable {
    const uri = vscode.Uri.parse(file.uri);
    const base = this.disks.get(review.proposed.id)?.get(file.uri) ?? Promise.resolve(file.base_hash);
    let renamedTo: string | undefined;
    const lookNow = async (): Promise<void> => {
      const stale = await stalenessOf(file, uri, await base);
      const isRenamed = stale?.kind === 'gone' && renamedTo !== undefined;
      this.proposals.setStaleness(review, file.path, isRenamed ? { kind: 'renamed', to: renamedTo ?? '' } : stale);
    };
    let timer: NodeJS.Timeout | undefined;
    const look = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => void lookNow(), SETTLED_MS);
    };
    const folder = vscode.Uri.joinPath(uri, '..');
    const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, '*'));
    const lookIfOwn = (changed: vscode.Uri): void => {
      if (changed.toString() === uri.toString()) {
        look();
      }
    };
    void lookNow();
    return vscode.Disposable.from(
      watcher,
      watcher.onDidChange(lookIfOwn),
      watcher.onDidCreate(lookIfOwn),
      watcher.onDidDelete(lookIfOwn),
      vscode.workspace.onDidChangeTextDocument(({ document }) => lookIfOwn(document.uri)),
      vscode.workspace.onDidRenameFiles(({ files }) => {
        renamedTo = newNameOf(uri, files) ?? renamedTo;
        look();
      }),
      new vscode.Disposable(() => clearTimeout(timer)),
    );
  }
}

/** The new name of a file if it or a parent folder was renamed. */
function newNameOf(
  uri: vscode.Uri,
  renamed: readonly { oldUri: vscode.Uri; newUri: vscode.Uri }[],
): string | undefined {
  const { path } = uri;
  const own = renamed.find(({ oldUri }) => path === oldUri.path || path.startsWith(`${oldUri.path}/`));
  if (own === undefined) {
    return undefined;
  }
  const now = own.newUri.path + path.slice(own.oldUri.path.length);
  return baseName(now) === baseName(path) ? vscode.workspace.asRelativePath(own.newUri.with({ path: now })) : baseName(now);
}

/** How the file has changed since the proposal; `hash` is that of the disk at that time. */
async function stalenessOf(file: ReviewedFile, uri: vscode.Uri, hash: string | null): Promise<Staleness | undefined> {
  const document = findDocument(file.uri);
  if (document !== undefined && normalize(document.getText()) !== file.base_text) {
    return { kind: 'editor' };
  }
  if (document !== undefined && !document.isDirty) {
    return undefined; // the document equals the base; what else may have changed on disk doesn't matter
  }
  const now = await hashOf(uri);
  if (now === hash || now === file.base_hash) {
    return undefined;
  }
  return { kind: now === null ? 'gone' : 'disk' };
}

/** In the server's format; null if there is no file. */
export async function hashOf(uri: vscode.Uri): Promise<string | null> {
  try {
    const bytes = await readFile(uri.fsPath);
    return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  } catch {
    return null;
  }
}
