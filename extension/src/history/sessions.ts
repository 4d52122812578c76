/** Groups landed changes by session and agent. */
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

export type Entry = SessionChanges | HistoryRecord;

export function isSession(entry: Entry): entry is SessionChanges {
  return 'records' in entry;
}

/**
 * The entries of a list of changes, newest first. The place of a session is that of its newest change. What the user
 * undid stands by itself: each such change has a session of its own.
 */
export function entriesOf(records: readonly HistoryRecord[]): Entry[] {
  const entries: (Group | HistoryRecord)[] = [];
  const groups = new Map<string, Group[]>();
  for (const record of records) {
    const group = record.session.startsWith(USERS_SESSION) ? undefined : groupOf(record, groups, entries);
    if (group === undefined) {
      entries.push(record);
    } else {
      group.connection ??= record.connection;
      group.records.push(record);
    }
  }
  return entries.map((entry) => (entry instanceof Group ? entry.done : entry));
}

class Group {
  connection: string | undefined;
  readonly records: HistoryRecord[] = [];

  constructor(private readonly session: string, private readonly agent: string) {}

  /** The rows of a tree keep their state by their id, so a new change of the session must not change it. */
  get done(): SessionChanges {
    const { session, connection, agent, records } = this;
    return { id: JSON.stringify([connection ?? '', session, agent]), session, ...(connection === undefined ? {} : { connection }), agent, records };
  }
}

/** The record's group, which is created for its newest record. A record without a connection is too new to have been told by the server. */
function groupOf({ session, agent, connection }: HistoryRecord, groups: Map<string, Group[]>, entries: (Group | HistoryRecord)[]): Group {
  const name = JSON.stringify([session, agent]);
  const known = groups.get(name) ?? [];
  const found = known.find((group) => connection === undefined || group.connection === undefined || group.connection === connection);
  if (found !== undefined) {
    return found;
  }
  const group = new Group(session, agent);
  groups.set(name, [...known, group]);
  entries.push(group);
  return group;
}
