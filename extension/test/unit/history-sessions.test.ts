import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entriesOf as listOf, isCheckpoint, isSession, type Entry } from '../../src/history/sessions';
import type { Checkpoint } from '../../src/history/checkpoints';
import type { HistoryRecord } from '../../src/history/store';

/** Changes are given newest first, each as "id session agent connection". */
function changes(...told: string[]): HistoryRecord[] {
  return told.map((each, index) => {
    const [id = '', session = '', agent = '', connection = ''] = each.split(' ');
    const own = connection === '' ? {} : { connection };
    const rest = { tool: 'edit', explanation: '', paths: ['a'], added: 1, removed: 0, landing: 'disk' as const, isReviewed: true, files: [], preview: '' };
    return { id, at: 1000 - index, session, agent, ...own, ...rest };
  });
}

const entriesOf = (records: HistoryRecord[]): Entry[] => listOf(records).entries;

const shown = (entries: Entry[]): string[] =>
  entries.map((entry) => (isSession(entry) ? `${entry.agent}: ${entry.records.map(({ id }) => id).join(' ')}` : entry.id));

test('a session stands where its newest change does, with all of its changes', () => {
  const entries = entriesOf(changes('5 s Ada k', '4 t Bob k', '3 s Ada k', '2 t Bob k', '1 u Ada k'));
  assert.deepEqual(shown(entries), ['Ada: 5 3', 'Bob: 4 2', 'Ada: 1']);
});

test('two agents in one session are two groups, and so is the same name on another connection', () => {
  const entries = entriesOf(changes('4 s Ada k', '3 s Bob k', '2 s Ada l', '1 s Ada l'));
  assert.deepEqual(shown(entries), ['Ada: 4', 'Bob: 3', 'Ada: 2 1']);
  assert.equal(new Set(entries.map(({ id }) => id)).size, 3);
});

test('what the user undid stands by itself', () => {
  const entries = entriesOf(changes('3 vscode-history-1 Undo k', '2 s Ada k', '1 vscode-history-2 Undo k'));
  assert.deepEqual(shown(entries), ['3', 'Ada: 2', '1']);
});

test('a change that the server has not told yet belongs to the newest of its sessions', () => {
  const entries = entriesOf(changes('4 s Ada', '3 s Ada', '2 s Ada k', '1 s Ada l'));
  assert.deepEqual(shown(entries), ['Ada: 4 3 2', 'Ada: 1']);
  const [group] = entries;
  assert.ok(group !== undefined && isSession(group));
  assert.equal(group.connection, 'k');
});

test('a new change leaves the row of its session what it is', () => {
  const [before] = entriesOf(changes('1 s Ada k'));
  const [after] = entriesOf(changes('3 s Ada', '2 s Ada k', '1 s Ada k'));
  assert.equal(after?.id, before?.id);
});

test('names that contain what separates them are not mixed up', () => {
  const [one, other] = [changes('1 s Ada k'), changes('2 s Ada k')].flat() as [HistoryRecord, HistoryRecord];
  const entries = entriesOf([{ ...one, session: 's","x', agent: 'y' }, { ...other, session: 's', agent: 'x","y' }]);
  assert.equal(new Set(entries.map(({ id }) => id)).size, 2);
});

/** Changes have the times 1000, 999, and so on. */
const checkpoints = (...at: number[]): Checkpoint[] => at.map((each) => ({ id: `c${each}`, name: `at ${each}`, at: each }));

test('a checkpoint separates what a session changed before it and after', () => {
  const { entries, older } = listOf(changes('4 s Ada k', '3 s Ada k', '2 t Bob k', '1 s Ada k'), checkpoints(999.5, 998, 990));
  assert.deepEqual(shown(entries), ['Ada: 4', 'c999.5', 'Ada: 3', 'c998', 'Bob: 2', 'Ada: 1']);
  assert.deepEqual(older.map(({ id }) => id), ['c990']);
  assert.ok(entries[1] !== undefined && isCheckpoint(entries[1]));
  assert.equal(new Set(entries.map(({ id }) => id)).size, 6);
});

test('a new checkpoint leaves the rows below it what they are', () => {
  const records = changes('2 s Ada k', '1 s Ada k');
  const [before] = listOf(records, checkpoints(500)).entries;
  const [checkpoint, after] = listOf(records, checkpoints(2000, 500)).entries;
  assert.deepEqual([checkpoint?.id, after?.id], ['c2000', before?.id]);
  assert.deepEqual(listOf([], checkpoints(2, 1)).older.length, 2);
});
