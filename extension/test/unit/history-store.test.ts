import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HistoryStore, type HistoryRecord } from '../../src/history/store';

function record(id: string, size = 1): HistoryRecord {
  const text = 'x'.repeat(size);
  return {
    id,
    at: Number(id),
    tool: 'edit',
    session: 's',
    agent: '',
    explanation: '',
    paths: ['a'],
    added: 1,
    removed: 0,
    landing: 'disk',
    isReviewed: true,
    files: [{ path: 'a', operation: 'update', before: '', after: text }],
    preview: '',
  };
}

test('the newest stands first', () => {
  const ledger = new HistoryStore();
  ledger.add(record('1'));
  ledger.add(record('2'));
  assert.deepEqual(ledger.all.map(({ id }) => id), ['2', '1']);
});

test('old texts make room, their records stay', () => {
  const ledger = new HistoryStore(10, 100);
  ledger.add(record('1', 60));
  ledger.add(record('2', 60));
  assert.equal(ledger.get('2')?.files.length, 1);
  assert.equal(ledger.get('1')?.files.length, 0);
});

test('old records make room too', () => {
  const ledger = new HistoryStore(2);
  ['1', '2', '3'].forEach((id) => ledger.add(record(id)));
  assert.deepEqual(ledger.all.map(({ id }) => id), ['3', '2']);
});

test('what the server tells of a change counts, with the texts that were seen here', () => {
  const ledger = new HistoryStore();
  ledger.add(record('2'));
  ledger.merge([
    { ...record('3'), files: [] },
    { ...record('2'), files: [], agent: 'Ada' },
  ]);
  assert.equal(ledger.get('2')?.files.length, 1);
  assert.equal(ledger.get('2')?.agent, 'Ada');
  assert.equal(ledger.get('3')?.files.length, 0);
});

test('what the server’s history does not hold stays, each at its time', () => {
  const ledger = new HistoryStore();
  ledger.add(record('2'));
  ledger.merge([record('3'), record('1')]);
  assert.deepEqual(ledger.all.map(({ id }) => id), ['3', '2', '1']);
});

test('the server’s order counts, whatever the clock said, also for older changes that are loaded later', () => {
  const ledger = new HistoryStore();
  const told = (id: string): HistoryRecord => ({ ...record(id), hashes: [] });
  ledger.merge([told('5'), told('9')]);
  ledger.merge([told('8'), told('1')], true);
  ledger.merge([told('6'), told('5'), told('9')]);
  ledger.add(record('7'));
  ledger.merge([told('6'), told('5'), told('9')]);
  assert.deepEqual(ledger.all.map(({ id }) => id), ['7', '6', '5', '9', '8', '1']);
});

test('a change that is told of before its review is over is one record', () => {
  const ledger = new HistoryStore();
  ledger.merge([{ ...record('1'), files: [] }]);
  ledger.add(record('1'));
  assert.deepEqual(ledger.all.map(({ id, files }) => [id, files.length]), [['1', 1]]);
});

test('a list that shows the same already is not drawn anew', () => {
  const ledger = new HistoryStore();
  ledger.add(record('1'));
  ledger.add(record('2'));
  let count = 0;
  ledger.onDidChange(() => (count += 1));

  const told = { ...record('2'), at: 3, files: [] };
  ledger.merge([told, record('1')]);
  assert.equal(count, 0);
  assert.equal(ledger.get('2')?.at, 2, 'the time that stands there stays');

  ledger.merge([{ ...told, added: 2 }]);
  assert.equal(count, 1);
});

test('what became of a change that was left in the editor is not what the server’s history says of its landing', () => {
  const ledger = new HistoryStore();
  const left = { ...record('1'), landing: 'editor' as const };
  ledger.add(left);
  ledger.setLanding('1', 'disk');
  ledger.merge([left]);
  assert.equal(ledger.get('1')?.landing, 'disk');
});
