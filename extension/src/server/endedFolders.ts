/**
 * The folders in which the user has ended auto mode, for all windows: a file for each, in a folder that every window
 * watches. VS Code's own storage doesn't tell a window what another one has stored. Doesn't use the vscode API.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, watch, writeFileSync, type FSWatcher } from 'node:fs';
import * as path from 'node:path';

/** How many folders to remember; the oldest are forgotten first. */
const MAX_FOLDERS = 1000;

export class EndedFolders {
  private watcher: FSWatcher | undefined;

  /** `changed` is called when this or another window has changed something in `place`. */
  constructor(
    private readonly place: string,
    changed: () => void,
  ) {
    try {
      mkdirSync(place, { recursive: true });
      this.watcher = watch(place, changed).on('error', () => this.dispose());
    } catch {
      // Either nothing can be stored there, which `set` reports, or the system has no watcher left.
    }
  }

  has(folder: string): boolean {
    return existsSync(this.fileOf(folder));
  }

  /** Throws if it can't be stored. */
  set(folders: readonly string[], isEnded: boolean): void {
    for (const file of folders.map((folder) => this.fileOf(folder))) {
      if (isEnded) {
        writeFileSync(file, '');
      } else {
        rmSync(file, { force: true });
      }
    }
    this.forgetOldest();
  }

  dispose(): void {
    this.watcher?.close();
    this.watcher = undefined;
  }

  private fileOf(folder: string): string {
    return path.join(this.place, createHash('sha256').update(folder).digest('hex'));
  }

  private forgetOldest(): void {
    const files = readdirSync(this.place).map((name) => path.join(this.place, name));
    if (files.length > MAX_FOLDERS) {
      const at = new Map(files.map((file) => [file, statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0]));
      const newest = files.sort((one, other) => (at.get(other) ?? 0) - (at.get(one) ?? 0));
      newest.slice(MAX_FOLDERS).forEach((file) => rmSync(file, { force: true }));
    }
  }
}
