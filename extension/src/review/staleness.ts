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
import { holds } from './draftFiles';

/** A text is compared this long after its last change. */
const SETTLED_MS = 150;

export class StalenessWatcher implements vscode.Disposable {
  private readonly watched = new Map<string, vscode.Disposable>();
  /** The hashes on disk of each proposal's open files when it arrived, by URI. */
  private readonly disks = new Map<string, ReadonlyMap<string, Promise<string | null>>>();

  /** Where each proposal's files are now, by their URI when it arrived. */
  private readonly places = new Map<string, Map<string, vscode.Uri>>();
  private readonly renames: vscode.Disposable;
  /** Of a folder that comes or goes, VS Code does not tell what is in it. */
  private readonly folders = vscode.workspace.createFileSystemWatcher('**/*', false, true, false);

  constructor(private readonly proposals: ProposalStore) {
    this.renames = vscode.workspace.onDidRenameFiles(({ files }) => {
      for (const places of this.places.values()) {
        places.forEach((place, uri) => places.set(uri, placeAfter(files, place)));
      }
    });
  }

  /** A proposal has arrived. It includes the disk's hash for closed files; read that of open files now. */
  arrived({ id, files }: Proposed): void {
    this.places.set(id, new Map(files.map(({ uri }) => [uri, vscode.Uri.parse(uri)])));
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
    this.places.delete(id);
  }

  dispose(): void {
    this.renames.dispose();
    this.folders.dispose();
    [...this.watched.keys()].forEach((id) => this.forget(id));
  }

  private watchFile(review: Review, file: ReviewedFile): vscode.Disposable {
    const uri = vscode.Uri.parse(file.uri);
    const base = this.disks.get(review.proposed.id)?.get(file.uri) ?? Promise.resolve(file.base_hash);
    const place = (): vscode.Uri => this.places.get(review.proposed.id)?.get(file.uri) ?? uri;
    const lookNow = async (): Promise<void> => {
      const stale = await stalenessOf(file, uri, await base);
      const isRenamed = stale?.kind === 'gone' && (await hashOf(place())) !== null;
      this.proposals.setStaleness(review, file.path, isRenamed ? { kind: 'renamed', to: newName(uri, place()) } : stale);
    };
    let timer: NodeJS.Timeout | undefined;
    const look = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => void lookNow(), SETTLED_MS);
    };
    const folder = vscode.Uri.joinPath(uri, '..');
    const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, '*'));
    const lookIfOwn = (changed: vscode.Uri): void => {
      if ([uri, place()].some((own) => own.toString() === changed.toString())) {
        look();
      }
    };
    const lookIfWithin = ({ path }: vscode.Uri): void => {
      if (uri.path.startsWith(`${path}/`)) {
        look();
      }
    };
    void lookNow();
    return vscode.Disposable.from(
      watcher,
      this.folders.onDidCreate(lookIfWithin),
      this.folders.onDidDelete(lookIfWithin),
      watcher.onDidChange(lookIfOwn),
      watcher.onDidCreate(lookIfOwn),
      watcher.onDidDelete(lookIfOwn),
      vscode.workspace.onDidChangeTextDocument(({ document }) => lookIfOwn(document.uri)),
      vscode.workspace.onDidCloseTextDocument(({ uri: closed }) => lookIfOwn(closed)),
      vscode.workspace.onDidRenameFiles(look),
      new vscode.Disposable(() => clearTimeout(timer)),
    );
  }
}

/** Where a file is after it or a parent folder may have been renamed. */
function placeAfter(renamed: readonly { oldUri: vscode.Uri; newUri: vscode.Uri }[], place: vscode.Uri): vscode.Uri {
  const { path } = place;
  const own = renamed.find(({ oldUri }) => path === oldUri.path || path.startsWith(`${oldUri.path}/`));
  return own === undefined ? place : own.newUri.with({ path: own.newUri.path + path.slice(own.oldUri.path.length) });
}

/** The file's name; its path if that is what has changed. */
function newName(before: vscode.Uri, now: vscode.Uri): string {
  const name = baseName(now.path);
  return name === baseName(before.path) ? vscode.workspace.asRelativePath(now) : name;
}

/** How the file has changed since the proposal; `hash` is that of the disk at that time. */
async function stalenessOf(file: ReviewedFile, uri: vscode.Uri, hash: string | null): Promise<Staleness | undefined> {
  const document = findDocument(file.uri);
  if (document !== undefined && normalize(document.getText()) !== file.base_text) {
    return { kind: 'editor' };
  }
  const now = await hashOf(uri);
  const isSame = now === file.base_hash || (await isBase(file, document, now, hash));
  return isSame ? undefined : { kind: now === null ? 'gone' : 'disk' };
}

/** Whether what is on disk, `now`, still goes with the text that the agent changed. */
async function isBase(file: ReviewedFile, document: vscode.TextDocument | undefined, now: string | null, hash: string | null): Promise<boolean> {
  if (document?.isDirty === false) {
    return now !== null || hash === null; // the document equals the base; what else may have changed on disk doesn't matter
  }
  const wasClosed = document === undefined && file.version !== null; // what was unsaved is on disk, or gone
  return wasClosed && now !== null ? holds(file.uri, file.base_text) : now === hash;
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
