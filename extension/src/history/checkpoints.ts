/**
 * Stores the user's checkpoints: names of moments, to which the files can be restored. Each is a file in the folder that
 * VS Code keeps for this workspace, so that several windows neither overwrite each other's nor lose them at a restart.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';

export interface Checkpoint {
  readonly id: string;
  readonly name: string;
  /** The moment, in ms since 1970. */
  readonly at: number;
}

const ENDING = '.json';

export class CheckpointStore {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private checkpoints: readonly Checkpoint[] = [];

  constructor(private readonly folder: string) {}

  /** Newest first. */
  get all(): readonly Checkpoint[] {
    return this.checkpoints;
  }

  /** Read them again: another window may have changed them. */
  async load(): Promise<void> {
    const names = await readdir(this.folder).catch(() => []);
    const read = await Promise.all(names.filter((name) => name.endsWith(ENDING)).map((name) => this.read(name)));
    const found = read.flatMap((one) => one ?? []).sort((one, other) => other.at - one.at);
    if (JSON.stringify(found) !== JSON.stringify(this.checkpoints)) {
      this.checkpoints = found;
      this.changed.fire();
    }
  }

  async create(name: string, at: number): Promise<void> {
    await this.write({ id: randomUUID(), name, at });
  }

  async rename(checkpoint: Checkpoint, name: string): Promise<void> {
    await this.write({ ...checkpoint, name });
  }

  async delete({ id }: Checkpoint): Promise<void> {
    await rm(this.pathOf(id), { force: true });
    await this.load();
  }

  private async write({ id, name, at }: Checkpoint): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    const beside = `${this.pathOf(id)}.new`; // another window never reads half of it
    await writeFile(beside, JSON.stringify({ name, at }));
    await rename(beside, this.pathOf(id));
    await this.load();
  }

  private async read(file: string): Promise<Checkpoint | undefined> {
    try {
      const { name, at } = JSON.parse(await readFile(join(this.folder, file), 'utf8')) as Record<string, unknown>;
      const isValid = typeof name === 'string' && typeof at === 'number' && Number.isFinite(at);
      return isValid ? { id: file.slice(0, -ENDING.length), name, at } : undefined;
    } catch {
      return undefined; // it has just been deleted, or is damaged
    }
  }

  private pathOf(id: string): string {
    return join(this.folder, id + ENDING);
  }
}
