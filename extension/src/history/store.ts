/** Stores landed changes, newest first, and their texts while there is room. */
import * as vscode from 'vscode';
import type { RecordedHashes } from './undone';

export interface RecordedText {
  path: string;
  operation: string;
  before: string;
  after: string;
}

/** A landed change. `files` has the texts if they were seen here; otherwise `preview` has the server's diff. */
export interface HistoryRecord {
  /** The proposal's id, as in the server's history; for changes without a review here, an id of this window's own. */
  id: string;
  at: number;
  tool: string;
  session: string;
  /** The id of the server that recorded it; absent until the server's history has been asked. */
  connection?: string;
  agent: string;
  explanation: string;
  paths: readonly string[];
  added: number;
  removed: number;
  /** "editor": unsaved in the editor; "reverted": no longer there, and never saved. */
  landing: 'disk' | 'editor' | 'reverted';
  /** Whether the user has accepted it; a mode or a rule let the others through. */
  isReviewed: boolean;
  /** Whether the user accepted another text than the one proposed. */
  isAmended?: boolean;
  files: readonly RecordedText[];
  preview: string;
  /** Absent until the server's history has been asked. */
  hashes?: readonly RecordedHashes[];
}

export class HistoryStore {
  private readonly changed = new vscode.EventEmitter<void>();
  /** What lists show of the records has changed. */
  readonly onDidChange = this.changed.event;
  private records: HistoryRecord[] = [];

  constructor(
    private readonly maxRecords = 1000,
    private readonly maxCharacters = 64 * 1024 * 1024,
  ) {}

  get all(): readonly HistoryRecord[] {
    return this.records;
  }

  get(id: string): HistoryRecord | undefined {
    return this.records.find((record) => record.id === id);
  }

  /** Add or replace a record. If there are too many, drop the oldest texts, then the oldest records. */
  add(record: HistoryRecord): void {
    let room = this.maxCharacters;
    const others = this.records.filter(({ id }) => id !== record.id);
    this.records = [record, ...others].slice(0, this.maxRecords).map((each) => {
      room -= sizeOf(each);
      return room >= 0 ? each : { ...each, files: [], preview: '' };
    });
    this.changed.fire();
  }

  /** Update where a change is that landed in the editor. */
  setLanding(id: string, landing: HistoryRecord['landing']): void {
    this.records = this.records.map((record) => (record.id === id ? { ...record, landing } : record));
    this.changed.fire();
  }

  /**
   * Merge a part of the server's history, in its order: the newest part, or one that is older than what is known. Texts seen
   * here stay, with their time and the state of changes left in the editor, and so do records that the server doesn't have,
   * which go by their time. Fires no event if nothing visible changes: redrawing the list would move it under the mouse.
   */
  merge(records: readonly HistoryRecord[], areOlder = false): void {
    const told = new Map(records.map((record) => [record.id, { ...record, ...seenOf(this.get(record.id)) }]));
    const others = this.records.filter(({ id }) => !told.has(id));
    const known = others.filter(({ hashes }) => hashes !== undefined);
    const merged = areOlder ? [...known, ...told.values()] : [...told.values(), ...known];
    for (const record of others.filter(({ hashes }) => hashes === undefined)) {
      const next = merged.findIndex(({ at }) => at <= record.at);
      merged.splice(next < 0 ? merged.length : next, 0, record);
    }
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

/** Everything except the texts. */
function shownOf(records: readonly HistoryRecord[]): string {
  return JSON.stringify(
    records.map((record) => [
      record.id,
      record.at,
      record.tool,
      record.session,
      record.connection,
      record.agent,
      record.explanation,
      record.paths,
      record.added,
      record.removed,
      record.landing,
      record.isReviewed,
      record.isAmended,
      record.hashes,
    ]),
  );
}

function sizeOf({ files, preview }: HistoryRecord): number {
  return files.reduce((sum, file) => sum + file.before.length + file.after.length, preview.length);
}
