import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { CheckpointStore } from '../../src/history/checkpoints';

/** A folder that does not exist yet. */
function folder(t: TestContext): string {
  const home = mkdtempSync(join(tmpdir(), 'agentfs-checkpoints-'));
  t.after(() => rmSync(home, { recursive: true }));
  return join(home, 'checkpoints');
}

const names = (store: CheckpointStore): string[] => store.all.map(({ name }) => name);

test('checkpoints are listed newest first, renamed, and deleted, also after a restart', async (t) => {
  const place = folder(t);
  const store = new CheckpointStore(place);
  await store.load();
  assert.deepEqual(store.all, []);
  await store.create('first', 1);
  await store.create('third', 3);
  await store.create('second', 2);
  assert.deepEqual(names(store), ['third', 'second', 'first']);
  const [third, second] = store.all;
  assert.ok(third !== undefined && second !== undefined);
  await store.rename(second, 'the second');
  await store.delete(third);

  const later = new CheckpointStore(place);
  await later.load();
  assert.deepEqual(later.all.map(({ name, at }) => [name, at]), [['the second', 2], ['first', 1]]);
  assert.deepEqual(readdirSync(place).filter((name) => !name.endsWith('.json')), []);
});

test('two windows keep each other’s checkpoints, and see them when they look again', async (t) => {
  const place = folder(t);
  const [one, other] = [new CheckpointStore(place), new CheckpointStore(place)];
  await Promise.all([one.create('mine', 1), other.create('theirs', 2)]);
  await Promise.all([one.load(), other.load()]);
  assert.deepEqual([names(one), names(other)], [['theirs', 'mine'], ['theirs', 'mine']]);
  const told: string[][] = [];
  one.onDidChange(() => told.push(names(one)));
  await one.load();
  await other.delete(other.all[0] ?? assert.fail());
  await one.load();
  assert.deepEqual(told, [['mine']], 'the list is drawn anew only if it has changed');
});

test('a damaged file is no checkpoint', async (t) => {
  const place = folder(t);
  const store = new CheckpointStore(place);
  await store.create('good', 1);
  for (const [index, text] of ['', '{', 'null', '{"name": 1, "at": 2}', '{"name": "x", "at": "y"}'].entries()) {
    writeFileSync(join(place, `${index}.json`), text);
  }
  await store.load();
  assert.deepEqual(names(store), ['good']);
});
