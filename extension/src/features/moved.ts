/**
 * Watches the files of the reviews that are open: when one is no longer what the agent saw, the review says
 * so. Whether accepting is a conflict is the server's to judge; this only tells beforehand.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { findDocument } from '../hand';
import type { Proposal } from '../protocol';
import type { Moved, Review, ReviewQueue } from '../queue';
import { normalise } from '../texts';

type File = Proposal['files'][number];

/** A text is compared this long after its last change. */
const SETTLED_MS = 150;

export class MovedFiles implements vscode.Disposable {
  private readonly watched = new Map<string, vscode.Disposable>();

  constructor(private readonly queue: ReviewQueue) {}

  /** Begin to watch a review whose texts are known; once is enough. */
  watch(review: Review): void {
    const { proposal } = review;
    if (proposal === undefined || this.watched.has(proposal.id)) {
      return;
    }
    const watches = proposal.files.map((file) => this.watchFile(review, file));
    this.watched.set(proposal.id, vscode.Disposable.from(...watches));
  }

  /** The review is over. */
  forget(id: string): void {
    this.watched.get(id)?.dispose();
    this.watched.delete(id);
  }

  dispose(): void {
    [...this.watched.keys()].forEach((id) => this.forget(id));
  }

  private watchFile(review: Review, file: File): vscode.Disposable {
    const uri = vscode.Uri.parse(file.uri);
    // For a document the disk at this moment counts, for a closed file what the server has seen.
    const base = file.version === null ? Promise.resolve(file.base_hash) : hashOf(uri);
    let timer: NodeJS.Timeout | undefined;
    const look = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        void base.then((hash) => movedNow(file, uri, hash)).then((moved) => this.note(review, file, moved));
      }, SETTLED_MS);
    };
    const folder = vscode.Uri.joinPath(uri, '..');
    const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, '*'));
    const lookIfOwn = (changed: vscode.Uri): void => {
      if (changed.toString() === uri.toString()) {
        look();
      }
    };
    return vscode.Disposable.from(
      watcher,
      watcher.onDidChange(lookIfOwn),
      watcher.onDidCreate(lookIfOwn),
      watcher.onDidDelete(lookIfOwn),
      vscode.workspace.onDidChangeTextDocument(({ document }) => lookIfOwn(document.uri)),
      new vscode.Disposable(() => clearTimeout(timer)),
    );
  }

  private note(review: Review, file: File, moved: Moved | undefined): void {
    if (review.deciding || review.moved.get(file.path) === moved) {
      return;
    }
    if (moved === undefined) {
      review.moved.delete(file.path);
    } else {
      review.moved.set(file.path, moved);
    }
    this.queue.changed.fire();
  }
}

/** Whether the file is another than the one proposed for; `hash` is that of the disk then. */
async function movedNow(file: File, uri: vscode.Uri, hash: string | null): Promise<Moved | undefined> {
  const document = findDocument(file.uri);
  if (document !== undefined && normalise(document.getText()) !== file.base_text) {
    return 'editor';
  }
  if (document !== undefined && !document.isDirty) {
    return undefined; // it has the disk's text, whatever else of the disk is another
  }
  const now = await hashOf(uri);
  return now === hash ? undefined : now === null ? 'gone' : 'disk';
}

/** As the server writes it; null where there is no file. */
async function hashOf(uri: vscode.Uri): Promise<string | null> {
  try {
    const bytes = await readFile(uri.fsPath);
    return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  } catch {
    return null;
  }
}
