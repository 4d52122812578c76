import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ledger, type Entry } from './ledger';

function entry(id: string, size = 1): Entry {
  const text = 'x'.repeat(size);
  return {
    id,
    at: Number(id),
    tool: 'edit',
    agent: '',
    explanation: '',
    paths: ['a'],
    added: 1,
    removed: 0,
    landing: 'disk',
    files: [{ path: 'a', operation: 'update', before: '', after: text }],
    preview: '',
  };
}

test('the newest stands first', () => {
  const ledger = new Ledger();
  ledger.add(entry('1'));
  ledger.add(entry('2'));
  assert.deepEqual(ledger.all.map(({ id }) => id), ['2', '1']);
});

test('old texts make room, their entries stay', () => {
  const ledger = new Ledger(10, 100);
  ledger.add(entry('1', 60));
  ledger.add(entry('2', 60));
  assert.equal(ledger.get('2')?.files.length, 1);
  assert.equal(ledger.get('1')?.files.length, 0);
});

test('old entries make room too', () => {
  const ledger = new Ledger(2);
  ['1', '2', '3'].forEach((id) => ledger.add(entry(id)));
  assert.deepEqual(ledger.all.map(({ id }) => id), ['3', '2']);
});

test('what the server tells of a change counts, with the texts that were seen here', () => {
  const ledger = new Ledger();
  ledger.add(entry('2'));
  ledger.merge([
    { ...entry('3'), files: [] },
    { ...entry('2'), files: [], agent: 'Ada' },
  ]);
  assert.equal(ledger.get('2')?.files.length, 1);
  assert.equal(ledger.get('2')?.agent, 'Ada');
  assert.equal(ledger.get('3')?.files.length, 0);
});

test('what the server’s history does not hold stays, each at its time', () => {
  const ledger = new Ledger();
  ledger.add(entry('2'));
  ledger.merge([entry('3'), entry('1')]);
  assert.deepEqual(ledger.all.map(({ id }) => id), ['3', '2', '1']);
});

test('a change that is told of before its review is over is one entry', () => {
  const ledger = new Ledger();
  ledger.merge([{ ...entry('1'), files: [] }]);
  ledger.add(entry('1'));
  assert.deepEqual(ledger.all.map(({ id, files }) => [id, files.length]), [['1', 1]]);
});

test('a list that shows the same already is not drawn anew', () => {
  const ledger = new Ledger();
  ledger.add(entry('1'));
  ledger.add(entry('2'));
  let count = 0;
  ledger.changed.subscribe(() => (count += 1));

  const told = { ...entry('2'), at: 3, files: [] };
  ledger.merge([told, entry('1')]);
  assert.equal(count, 0);
  assert.equal(ledger.get('2')?.at, 2, 'the time that stands there stays');

  ledger.merge([{ ...told, added: 2 }]);
  assert.equal(count, 1);
});
