/** What landed, newest first, with its texts as long as there is room. No vscode. */
import { Signal } from './signal';

export interface LandedText {
  path: string;
  operation: string;
  before: string;
  after: string;
}

/** A change that landed. `files`: with texts, where they were seen; `preview`: else the server's diff. */
export interface Entry {
  /** The proposal's, which is also the server's history's; of what nobody reviewed here one of this window's own. */
  id: string;
  at: number;
  tool: string;
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
  /** What a list shows of them is another. */
  readonly changed = new Signal<void>();
  private entries: Entry[] = [];

  constructor(
    private readonly mostEntries = 1000,
    private readonly mostCharacters = 64 * 1024 * 1024,
  ) {}

  get all(): readonly Entry[] {
    return this.entries;
  }

  get(id: string): Entry | undefined {
    return this.entries.find((entry) => entry.id === id);
  }

  /** Add one, in place of what is known of it; the oldest texts, and then the oldest entries, make room. */
  add(entry: Entry): void {
    let room = this.mostCharacters;
    const others = this.entries.filter(({ id }) => id !== entry.id);
    this.entries = [entry, ...others].slice(0, this.mostEntries).map((each) => {
      room -= sizeOf(each);
      return room >= 0 ? each : { ...each, files: [], preview: '' };
    });
    this.changed.fire();
  }

  /**
   * What the server's own history says of changes; texts that were seen here are kept, with the time, and what it does
   * not hold stays as it was seen. A list that shows the same already is left alone: it is drawn anew under the mouse.
   */
  merge(entries: readonly Entry[]): void {
    const told = new Map(entries.map((entry) => [entry.id, { ...entry, ...seenOf(this.get(entry.id)) }]));
    const others = this.entries.filter(({ id }) => !told.has(id));
    const merged = [...told.values(), ...others].sort((one, other) => other.at - one.at);
    const isSame = shownOf(merged) === shownOf(this.entries);
    this.entries = merged;
    if (!isSame) {
      this.changed.fire();
    }
  }
}

function seenOf(known: Entry | undefined): Partial<Entry> {
  return known === undefined ? {} : { at: known.at, files: known.files, preview: known.preview };
}

/** All but the texts. */
function shownOf(entries: readonly Entry[]): string {
  return JSON.stringify(
    entries.map((entry) => [
      entry.id,
      entry.at,
      entry.tool,
      entry.agent,
      entry.explanation,
      entry.paths,
      entry.added,
      entry.removed,
      entry.landing,
    ]),
  );
}

function sizeOf({ files, preview }: Entry): number {
  return files.reduce((sum, file) => sum + file.before.length + file.after.length, preview.length);
}
