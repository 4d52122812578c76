/** What landed, newest first, with its texts as long as there is room. */
import * as vscode from 'vscode';

export interface RecordedText {
  path: string;
  operation: string;
  before: string;
  after: string;
}

/** A change that landed. `files`: with texts, where they were seen; `preview`: else the server's diff. */
export interface HistoryRecord {
  /** The proposal's, which is also the server's history's; of what nobody reviewed here one of this window's own. */
  id: string;
  at: number;
  tool: string;
  agent: string;
  explanation: string;
  paths: readonly string[];
  added: number;
  removed: number;
  /** "editor": it was left there, unsaved; "reverted": it was, and is no longer. */
  landing: 'disk' | 'editor' | 'reverted';
  files: readonly RecordedText[];
  preview: string;
}

export class HistoryStore {
  private readonly changed = new vscode.EventEmitter<void>();
  /** What a list shows of them is another. */
  readonly onDidChange = this.changed.event;
  private records: HistoryRecord[] = [];

  constructor(
    private readonly mostRecords = 1000,
    private readonly mostCharacters = 64 * 1024 * 1024,
  ) {}

  get all(): readonly HistoryRecord[] {
    return this.records;
  }

  get(id: string): HistoryRecord | undefined {
    return this.records.find((record) => record.id === id);
  }

  /** Add one, in place of what is known of it; the oldest texts, and then the oldest records, make room. */
  add(record: HistoryRecord): void {
    let room = this.mostCharacters;
    const others = this.records.filter(({ id }) => id !== record.id);
    this.records = [record, ...others].slice(0, this.mostRecords).map((each) => {
      room -= sizeOf(each);
      return room >= 0 ? each : { ...each, files: [], preview: '' };
    });
    this.changed.fire();
  }

  /** What became of a change that was left in the editor. */
  setLanding(id: string, landing: HistoryRecord['landing']): void {
    this.records = this.records.map((record) => (record.id === id ? { ...record, landing } : record));
    this.changed.fire();
  }

  /**
   * What the server's own history says of changes; texts that were seen here are kept, with the time and what became of a change
   * that was left in the editor, and what it does not hold stays as it was seen. A list that shows the same already is left alone: it is drawn anew under the mouse.
   */
  merge(records: readonly HistoryRecord[]): void {
    const told = new Map(records.map((record) => [record.id, { ...record, ...seenOf(this.get(record.id)) }]));
    const others = this.records.filter(({ id }) => !told.has(id));
    const merged = [...told.values(), ...others].sort((one, other) => other.at - one.at);
    const isSame = shownOf(merged) === shownOf(this.records);
    this.records = merged;
    if (!isSame) {
      this.changed.fire();
    }
  }
}

function seenOf(known: HistoryRecord | undefined): Partial<HistoryRecord> {
  if (known === undefined) {
    return {};
  }
  const { at, files, preview, landing } = known;
  return { at, files, preview, ...(landing === 'editor' ? {} : { landing }) };
}

/** All but the texts. */
function shownOf(records: readonly HistoryRecord[]): string {
  return JSON.stringify(
    records.map((record) => [
      record.id,
      record.at,
      record.tool,
      record.agent,
      record.explanation,
      record.paths,
      record.added,
      record.removed,
      record.landing,
    ]),
  );
}

function sizeOf({ files, preview }: HistoryRecord): number {
  return files.reduce((sum, file) => sum + file.before.length + file.after.length, preview.length);
}
