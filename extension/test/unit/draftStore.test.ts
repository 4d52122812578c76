import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DraftStore, type Draft } from '../../src/review/draftStore';
import { Presence } from '../../src/review/presence';

const folder = mkdtempSync(join(tmpdir(), 'agentfs-drafts-'));
after(() => rmSync(folder, { recursive: true }));

const everywhere = (): boolean => true;

/** A window's store, until the window is gone. */
const windowOf = (own: string): { store: DraftStore; presence: Presence } => {
  const presence = new Presence(() => Promise.resolve());
  return { store: new DraftStore(own, presence, assert.ifError), presence };
};

const draft = (id: string, more: Partial<Draft> = {}): Draft => ({
  id,
  path: 'src/a.py',
  uri: 'file:///w/src/a.py',
  agent: 'Ada',
  explanation: '',
  base: 'one\n',
  text: 'mine\n',
  at: 1,
  over: true,
  ...more,
});

test('what is put there is there for the next window, newest first', async () => {
  const own = join(folder, 'kept');
  const { store } = windowOf(own);
  await store.put(draft('a'));
  await store.put(draft('b', { at: 2 }));
  await store.put(draft('a', { text: 'mine too\n' }));
  const found = await windowOf(own).store.load(everywhere);
  assert.deepEqual(
    found.map(({ id, text }) => [id, text]),
    [
      ['b', 'mine\n'],
      ['a', 'mine too\n'],
    ],
  );
  await store.remove(draft('a'));
  assert.deepEqual((await store.load(everywhere)).map(({ id }) => id), ['b']);
});

test('what can’t be read is none, and a folder that is not there is empty', async () => {
  const own = join(folder, 'damaged');
  assert.deepEqual(await windowOf(own).store.load(everywhere), []);
  await windowOf(own).store.put(draft('a'));
  writeFileSync(join(own, 'half.json'), '{"id": "b", "pa');
  writeFileSync(join(own, 'other.json'), '{"id": 7}');
  assert.deepEqual((await windowOf(own).store.load(everywhere)).map(({ id }) => id), ['a']);
});

test('what another window has files of is not loaded, and makes no room', async () => {
  const own = join(folder, 'windows');
  const { store } = windowOf(own);
  await store.put(draft('other', { uri: 'file:///other/a.py', at: 0 }));
  for (let at = 1; at < 103; at += 1) {
    await store.put(draft(`d${at}`, { at }));
  }
  const here = await store.load(({ uri }) => uri.startsWith('file:///w/'));
  assert.deepEqual([here.length, here.at(-1)?.id], [100, 'd3']);
  const there = await store.load(({ uri }) => uri.startsWith('file:///other/'));
  assert.deepEqual(there.map(({ id }) => id), ['other']);
});

test('a draft that can’t be stored is reported once, until one could', async () => {
  const own = join(folder, 'blocked');
  const reported: unknown[] = [];
  const store = new DraftStore(own, windowOf(own).presence, (error) => reported.push(error));
  writeFileSync(own, 'in the way');
  await store.put(draft('a'));
  await store.put(draft('a'));
  assert.equal(reported.length, 1);
  rmSync(own);
  await store.put(draft('a'));
  assert.deepEqual((await store.load(everywhere)).map(({ id }) => id), ['a']);
  rmSync(own, { recursive: true });
  writeFileSync(own, 'in the way again');
  await store.put(draft('a'));
  assert.equal(reported.length, 2);
});

test('the oldest make room', async () => {
  const own = join(folder, 'many');
  const { store } = windowOf(own);
  for (let at = 0; at < 103; at += 1) {
    await store.put(draft(`d${at}`, { at }));
  }
  const found = await store.load(everywhere);
  assert.deepEqual([found.length, found[0]?.id, found.at(-1)?.id], [100, 'd102', 'd3']);
  assert.equal(readdirSync(own).length, 100);
});

test('the draft of a review is its window’s, this one’s or another’s, until the window is gone', async () => {
  const own = join(folder, 'elsewhere');
  const ids = async (store: DraftStore): Promise<string[]> => (await store.load(everywhere)).map(({ id }) => id).sort();
  const here = windowOf(own);
  const there = windowOf(own);
  await there.store.put(draft('waits', { over: false }));
  await there.store.put(draft('over', { path: 'src/b.py' }));
  assert.deepEqual(await ids(there.store), ['over'], 'it will handle the end of its own review');
  assert.deepEqual(await ids(here.store), ['over']);
  await there.presence.close(Promise.resolve());
  assert.deepEqual(await ids(here.store), ['over', 'waits']);
});

test('a window that is closing is gone only when its last change has landed', async () => {
  const closing = new Presence(() => Promise.resolve());
  const other = new Presence(() => Promise.resolve());
  const order: string[] = [];
  const ask = async (): Promise<unknown> => order.push(`there: ${await other.isThere(closing.address)}`);
  let landed = (): void => undefined;
  const closed = closing.close(new Promise((resolve) => (landed = () => resolve(order.push('landed')))));
  const asked = ask();
  assert.ok(await closing.isThere(other.address));
  landed();
  await Promise.all([asked, closed]);
  await ask();
  assert.deepEqual(order, ['landed', 'there: false', 'there: false']);
});

test('a window that fails to answer is gone', async () => {
  const closing = new Presence(() => Promise.reject(new Error('closed')));
  assert.equal(await new Presence(() => Promise.resolve()).isThere(closing.address), false);
});
