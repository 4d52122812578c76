import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { EndedFolders } from '../../src/server/endedFolders';

const root = mkdtempSync(join(tmpdir(), 'agentfs-ended-'));
after(() => rmSync(root, { recursive: true }));

/** Two windows, and a promise of the next change that the second one hears of. */
function twoWindows(place: string): { first: EndedFolders; second: EndedFolders; heard: () => Promise<void> } {
  let tell = (): void => undefined;
  const first = new EndedFolders(place, () => undefined);
  const second = new EndedFolders(place, () => tell());
  after(() => [first, second].forEach((one) => one.dispose()));
  return { first, second, heard: () => new Promise((resolve) => (tell = resolve)) };
}

test('another window is told when auto mode is ended in a folder, and when it is resumed', { timeout: 60_000 }, async () => {
  const { first, second, heard } = twoWindows(join(root, 'told', 'made'));
  for (const isEnded of [true, false]) {
    const told = heard();
    first.set(['file:///a'], isEnded);
    await told;
    assert.deepEqual(['file:///a', 'file:///b'].map((folder) => second.has(folder)), [isEnded, false]);
  }
});

test('two windows that end it in different folders keep both', () => {
  const { first, second } = twoWindows(join(root, 'both'));
  first.set(['file:///a'], true);
  second.set(['file:///b'], true);
  first.set(['file:///c'], false);
  assert.deepEqual(['file:///a', 'file:///b', 'file:///c'].map((folder) => first.has(folder)), [true, true, false]);
});

test('the oldest are forgotten first, beyond a thousand', () => {
  const place = join(root, 'many');
  const { first } = twoWindows(place);
  first.set(['file:///new'], true);
  for (let at = 1; at <= 1000; at += 1) {
    writeFileSync(join(place, String(at)), '');
    utimesSync(join(place, String(at)), at, at);
  }
  first.set(['file:///newest'], true);
  assert.equal(readdirSync(place).length, 1000);
  assert.deepEqual(['file:///new', 'file:///newest'].map((folder) => first.has(folder)), [true, true]);
  assert.ok(!readdirSync(place).includes('1') && readdirSync(place).includes('3'));
});

test('what cannot be stored is reported, and ends nothing', () => {
  const file = join(root, 'file');
  writeFileSync(file, '');
  const { first } = twoWindows(join(file, 'folder'));
  assert.throws(() => first.set(['file:///a'], true));
  assert.equal(first.has('file:///a'), false);
});
