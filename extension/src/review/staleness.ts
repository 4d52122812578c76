/**
 * Watches the files of the reviews that were opened: when one is no longer what the agent saw, the review says
 * so, also where that happened before it was opened. Whether accepting is a conflict is the server's to judge;
 * this only tells beforehand.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { findDocument } from '../proposals/applyEdits';
import type { Proposal, Proposed } from '../protocol/types';
import type { Staleness, Review } from '../proposals/review';
import type { ProposalStore } from '../proposals/store';
import { baseName } from '../util/display';
import { normalise } from '../util/text';

type File = Proposal['files'][number];

/** A text is compared this long after its last change. */
const SETTLED_MS = 150;

export class StalenessWatcher implements vscode.Disposable {
  private readonly watched = new Map<string, vscode.Disposable>();
  /** What the disk held of the open files of each proposal when it came, by URI. */
  private readonly disks = new Map<string, ReadonlyMap<string, Promise<string | null>>>();

  constructor(private readonly proposals: ProposalStore) {}

  /** A proposal comes. Of closed files it tells what the disk held; of open ones that is looked at now. */
  arrived({ id, files }: Proposed): void {
    const open = files.filter(({ version }) => version !== null);
    this.disks.set(id, new Map(open.map(({ uri }) => [uri, hashOf(vscode.Uri.parse(uri))])));
  }

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
    this.disks.delete(id);
  }

  dispose(): void {
    [...this.watched.keys()].forEach((id) => this.forget(id));
  }

  private watchFile(review: Review, file: File): vscode.Disposable {
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

/** The name a file has now, where it or a folder above it was renamed. */
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

/** Whether the file is another than the one proposed for; `hash` is that of the disk then. */
async function stalenessOf(file: File, uri: vscode.Uri, hash: string | null): Promise<Staleness | undefined> {
  const document = findDocument(file.uri);
  if (document !== undefined && normalise(document.getText()) !== file.base_text) {
    return { kind: 'editor' };
  }
  if (document !== undefined && !document.isDirty) {
    return undefined; // it has the disk's text, whatever else of the disk is another
  }
  const now = await hashOf(uri);
  if (now === hash || now === file.base_hash) {
    return undefined;
  }
  return { kind: now === null ? 'gone' : 'disk' };
}

/** As the server writes it; null where there is no file. */
export async function hashOf(uri: vscode.Uri): Promise<string | null> {
  try {
    const bytes = await readFile(uri.fsPath);
    return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  } catch {
    return null;
  }
}
