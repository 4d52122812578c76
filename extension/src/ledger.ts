/** What landed in this window, newest first, with its texts as long as there is room. No vscode. */
import { Signal } from './signal';

export interface LandedText {
  path: string;
  operation: string;
  before: string;
  after: string;
}

/** A change that landed. `files`: with texts, where they were seen; `preview`: else the server's diff. */
export interface Entry {
  /** The server's id where it keeps a history, else one of this window's own. */
  id: string;
  at: number;
  agent: string;
  explanation: string;
  paths: readonly string[];
  added: number;
  removed: number;
  /** "editor": it waits there, unsaved. */
  landing: 'disk' | 'editor';
  files: readonly LandedText[];
  preview: string;
}

export class Ledger {
  readonly changed = new Signal<void>();
  private entries: Entry[] = [];

  constructor(
    private readonly mostEntries = 200,
    private readonly mostCharacters = 64 * 1024 * 1024,
  ) {}

  get all(): readonly Entry[] {
    return this.entries;
  }

  get(id: string): Entry | undefined {
    return this.entries.find((entry) => entry.id === id);
  }

  /** Add one; the oldest texts, and then the oldest entries, make room. */
  add(entry: Entry): void {
    let room = this.mostCharacters;
    this.entries = [entry, ...this.entries].slice(0, this.mostEntries).map((each) => {
      room -= sizeOf(each);
      return room >= 0 ? each : { ...each, files: [], preview: '' };
    });
    this.changed.fire();
  }

  /** What the server's own history says, in place of what was seen here; texts seen are kept. */
  replace(entries: readonly Entry[]): void {
    this.entries = entries.map((entry) => ({ ...entry, ...textsOf(this.get(entry.id)) }));
    this.changed.fire();
  }
}

function textsOf(known: Entry | undefined): Partial<Entry> {
  return known === undefined ? {} : { files: known.files, preview: known.preview };
}

function sizeOf({ files, preview }: Entry): number {
  return files.reduce((sum, file) => sum + file.before.length + file.after.length, preview.length);
}
