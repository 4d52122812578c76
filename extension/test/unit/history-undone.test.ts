import assert from 'node:assert/strict';
import { test } from 'node:test';
import { undoneOf } from '../../src/history/undone';
import type { HistoryRecord } from '../../src/history/store';

/** Changes, newest first: "id tool path:before>after …", where - is no file. */
function undoneIn(...told: string[]): string[] {
  const records = told.map((each) => {
    const [id = '', tool = '', ...files] = each.split(' ');
    const hashes = files.map((file) => {
      const [path = '', before = '', after = ''] = file.split(/[:>]/);
      return { path, before: before === '-' ? null : before, after: after === '-' ? null : after };
    });
    return { id, tool, hashes } as unknown as HistoryRecord;
  });
  return [...undoneOf(records)];
}

test('what an undo has brought back to how it was before is undone, and the undo is not', () => {
  assert.deepEqual(undoneIn('u undo a:1>0', 'e edit a:0>1'), ['e']);
  assert.deepEqual(undoneIn('u undo a:1>-', 'e write a:->1'), ['e']);
  assert.deepEqual(undoneIn('e edit a:0>1'), []);
});

test('an undo of several changes has undone all of them, and none before', () => {
  assert.deepEqual(undoneIn('u undo a:3>1 b:8>7', 'g edit a:2>3', 'f edit b:7>8', 'e edit a:1>2', 'd edit a:0>1'), ['g', 'f', 'e']);
});

test('an undo that was undone has undone nothing', () => {
  assert.deepEqual(undoneIn('v undo a:0>1', 'u undo a:1>0', 'e edit a:0>1'), ['u']);
  assert.deepEqual(undoneIn('w undo a:1>0', 'v undo a:0>1', 'u undo a:1>0', 'e edit a:0>1'), ['v', 'e']);
});

test('an undo in between stays, and with it what it undid', () => {
  assert.deepEqual(undoneIn('v undo a:1>0', 'u undo a:2>1', 'f edit a:1>2', 'e edit a:0>1'), ['f', 'e']);
});

test('changes that are undone one after the other are all undone', () => {
  const changes = ['g edit a:2>3', 'f edit a:1>2', 'e edit a:0>1'];
  assert.deepEqual(undoneIn('u3 undo a:1>0', 'u2 undo a:2>1', 'u1 undo a:3>2', ...changes), ['g', 'f', 'e']);
});

test('a change is undone once all of its files are, and only as far as the texts tell', () => {
  assert.deepEqual(undoneIn('u undo a:1>0', 'e batch a:0>1 b:7>8'), []);
  assert.deepEqual(undoneIn('v undo b:8>7', 'u undo a:1>0', 'e batch a:0>1 b:7>8'), ['e']);
  assert.deepEqual(undoneIn('u undo a:2>3', 'e edit a:0>1'), [], 'somebody has changed the file meanwhile');
  assert.deepEqual(undoneIn('e edit a:1>0', 'd edit a:0>1'), [], 'an agent may change back what it has changed');
  assert.deepEqual(undoneIn('u undo', 'e edit'), []);
});

test('many undos in a row are no work, though what they undid is not loaded', () => {
  assert.deepEqual(undoneIn(...Array.from({ length: 100 }, (_, at) => `u${at} undo a:${at + 1}>${at}`)), []);
});
