import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLong, mayBeCovered, roomWith, rowsOf } from '../../src/review/rows';
import { Standing } from '../../src/util/standing';

test('lines take more rows where they are wrapped, and tabs and wide characters more columns', () => {
  assert.equal(rowsOf(['', 'short', 'x'.repeat(40), 'x'.repeat(41)]), 5);
  assert.deepEqual(['x'.repeat(40), 'x'.repeat(41), `\t${'x'.repeat(33)}`, '中'.repeat(21)].map(isLong), [false, true, true, true]);
});

test('notifications at the bottom may cover the lower part of an editor, but not the first rows', () => {
  const covered = (toEnd: number, all: number): boolean => mayBeCovered({ above: 0, toEnd, all }, false);
  assert.deepEqual([covered(5, 5), covered(18, 20), covered(19, 20), covered(24, 40), covered(25, 40)], [false, false, true, false, true]);
});

test('with a large font fewer rows are free, and lines take more of them; with a small one it is as usual', () => {
  const rooms = [[14, 0], [10, 0], [28, 0], [14, 2], [14, 38]] as const;
  assert.deepEqual(rooms.map(([size, row]) => roomWith(size, row).freeRows), [18, 18, 9, 12, 9]);
  assert.deepEqual(rooms.map(([size, row]) => roomWith(size, row).columns), [40, 40, 20, 40, 40]);
  assert.equal(rowsOf(['x'.repeat(40)], roomWith(28, 0).columns), 2);
  assert.equal(mayBeCovered({ above: 0, toEnd: 10, all: 10 }, false, 9), true);
});

test('of an editor whose text goes on below, they may cover the lower part, however few rows it has', () => {
  const covered = (toEnd: number): boolean => mayBeCovered({ above: 0, toEnd, all: 15, isFull: true }, false);
  assert.deepEqual([covered(9), covered(10)], [false, true]);
});

test('notifications at the top may cover the first rows, but not the lower part', () => {
  const covered = (above: number, all: number): boolean => mayBeCovered({ above, toEnd: all, all }, true);
  assert.deepEqual([covered(1, 40), covered(17, 40), covered(18, 40), covered(25, 100), covered(40, 100)], [true, true, false, true, false]);
});

test('what stands may go by itself after a while, but not while the window is not in use', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let used: Promise<void> | undefined;
  const standing = new Standing(() => used);
  standing.add(false);
  const end = standing.add(true);
  t.mock.timers.tick(16_000);
  assert.ok(standing.some, 'one stays until it is answered');
  end();
  assert.ok(!standing.some);

  standing.add(false);
  used = Promise.resolve();
  t.mock.timers.tick(16_000);
  await used;
  used = undefined;
  assert.ok(standing.some);
  t.mock.timers.tick(16_000);
  assert.ok(!standing.some);

  standing.add(true);
  standing.clear();
  assert.ok(!standing.some);
});
