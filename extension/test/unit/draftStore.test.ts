import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DraftStore, type Draft } from '../../src/review/draftStore';

const folder = mkdtempSync(join(tmpdir(), 'agentfs-drafts-'));
after(() => rmSync(folder, { recursive: true }));

const everywhere = (): boolean => true;

const draft = (id: string, more: Partial<Draft> = {}): Draft => ({
  id,
  path: 'src/a.py',
  uri: 'file:///w/src/a.py',
  agent: 'Ada',
  explanation: '',
  base: 'one\n',
  text: 'mine\n',
  at: 1,
  over: false,
  ...more,
});

test('what is put there is there for the next window, newest first', async () => {
  const own = join(folder, 'kept');
  const store = new DraftStore(own);
  await store.put(draft('a'));
  await store.put(draft('b', { at: 2 }));
  await store.put(draft('a', { text: 'mine too\n' }));
  const found = await new DraftStore(own).load(everywhere);
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
  assert.deepEqual(await new DraftStore(own).load(everywhere), []);
  await new DraftStore(own).put(draft('a'));
  writeFileSync(join(own, 'half.json'), '{"id": "b", "pa');
  writeFileSync(join(own, 'other.json'), '{"id": 7}');
  assert.deepEqual((await new DraftStore(own).load(everywhere)).map(({ id }) => id), ['a']);
});

test('what another window has files of is not loaded, and makes no room', async () => {
  const own = join(folder, 'windows');
  const store = new DraftStore(own);
  await store.put(draft('other', { uri: 'file:///other/a.py', at: 0 }));
  for (let at = 1; at < 103; at += 1) {
    await store.put(draft(`d${at}`, { at }));
  }
  const here = await store.load(({ uri }) => uri.startsWith('file:///w/'));
  assert.deepEqual([here.length, here.at(-1)?.id], [100, 'd3']);
  const there = await store.load(({ uri }) => uri.startsWith('file:///other/'));
  assert.deepEqual(there.map(({ id }) => id), ['other']);
});

test('the oldest make room', async () => {
  const own = join(folder, 'many');
  const store = new DraftStore(own);
  for (let at = 0; at < 103; at += 1) {
    await store.put(draft(`d${at}`, { at }));
  }
  const found = await store.load(everywhere);
  assert.deepEqual([found.length, found[0]?.id, found.at(-1)?.id], [100, 'd102', 'd3']);
  assert.equal(readdirSync(own).length, 100);
});

test('the draft of a review that waits in another window is that one’s until it is gone', async () => {
  const own = join(folder, 'elsewhere');
  const store = new DraftStore(own);
  await store.put(draft('waits'));
  await store.put(draft('over', { over: true, path: 'src/b.py' }));
  const other = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'inherit'] });
  for (const name of readdirSync(own)) {
    const kept = JSON.parse(readFileSync(join(own, name), 'utf8')) as Draft;
    writeFileSync(join(own, name), JSON.stringify({ ...kept, process: other.pid }));
  }
  const idsNow = async (): Promise<string[]> => (await store.load(everywhere)).map(({ id }) => id).sort();
  const meanwhile = await idsNow();
  other.stdin.end();
  await once(other, 'exit');
  assert.deepEqual(meanwhile, ['over']);
  assert.deepEqual(await idsNow(), ['over', 'waits']);
});
