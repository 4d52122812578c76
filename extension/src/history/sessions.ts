/** Groups landed changes by session and agent, and puts the user's checkpoints between them. */
import type { Checkpoint } from './checkpoints';
import type { HistoryRecord } from './store';

/** Begins the names of the sessions in which the user undoes changes here. */
export const USERS_SESSION = 'vscode-history-';

/** What one agent changed in one session, newest first. */
export interface SessionChanges {
  readonly id: string;
  readonly session: string;
  /** Absent while the server hasn't told it of any of the changes. */
  readonly connection?: string;
  readonly agent: string;
  readonly records: readonly HistoryRecord[];
}

export type Entry = SessionChanges | HistoryRecord | Checkpoint;

export function isSession(entry: Entry): entry is SessionChanges {
  return 'records' in entry;
}

export function isCheckpoint(entry: Entry): entry is Checkpoint {
  return 'name' in entry;
}

/**
 * The entries of a list of changes, newest first. The place of a session is that of its newest change; a checkpoint
 * separates what a session changed before it from what it changed after. What the user undid stands by itself: each such
 * change has a session of its own. `older` are the checkpoints before all of the changes.
 */
export function entriesOf(records: readonly HistoryRecord[], checkpoints: readonly Checkpoint[] = []): { entries: Entry[]; older: readonly Checkpoint[] } {
  const entries: (Group | HistoryRecord | Checkpoint)[] = [];
  const older = [...checkpoints];
  const groups = new Map<string, Group[]>();
  for (const record of records) {
    for (let [next] = older; next !== undefined && next.at >= record.at; [next] = older) {
      entries.push(next);
      older.shift();
      groups.clear();
    }
    const group = record.session.startsWith(USERS_SESSION) ? undefined : groupOf(record, groups);
    if (group === undefined) {
      entries.push(record);
      continue;
    }
    if (group.records.length === 0) {
      group.since = older[0]?.id ?? '';
      entries.push(group);
    }
    group.connection ??= record.connection;
    group.records.push(record);
  }
  return { entries: entries.map((entry) => (entry instanceof Group ? entry.done : entry)), older };
}

/** Which rows the entries have, in their order. */
export function shapeOf(records: readonly HistoryRecord[], checkpoints: readonly Checkpoint[]): unknown {
  const { entries, older } = entriesOf(records, checkpoints);
  return [...entries, ...older].map((entry) => (isSession(entry) ? entry.records.map(({ id }) => id) : entry.id));
}

class Group {
  connection: string | undefined;
  /** The id of the checkpoint before its changes. */
  since = '';
  readonly records: HistoryRecord[] = [];

  constructor(private readonly session: string, private readonly agent: string) {}

  /** The rows of a tree keep their state by their id, so neither a new change nor a new checkpoint may change it. */
  get done(): SessionChanges {
    const { session, connection, agent, records, since } = this;
    return { id: JSON.stringify([connection ?? '', session, agent, since]), session, ...(connection === undefined ? {} : { connection }), agent, records };
  }
}

/** The record's group, which is created for its newest record. A record without a connection is too new to have been told by the server. */
function groupOf({ session, agent, connection }: HistoryRecord, groups: Map<string, Group[]>): Group {
  const name = JSON.stringify([session, agent]);
  const known = groups.get(name) ?? [];
  const found = known.find((group) => connection === undefined || group.connection === undefined || group.connection === connection);
  if (found !== undefined) {
    return found;
  }
  const group = new Group(session, agent);
  groups.set(name, [...known, group]);
  return group;
}
