import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LatestTask } from '../../src/util/latestTask';

test('asked for ten times while it runs, it runs once more', async () => {
  let runs = 0;
  let release: () => void = () => undefined;
  const task = new LatestTask(async () => {
    runs += 1;
    if (runs === 1) {
      await new Promise<void>((resolve) => (release = resolve));
    }
  });
  const first = task.run();
  await Promise.resolve();
  const more = Array.from({ length: 10 }, () => task.run());
  release();
  await Promise.all([first, ...more]);
  assert.equal(runs, 2);
});

test('asked for ten times at once, it runs once; a run that failed is no hindrance', async () => {
  let runs = 0;
  const task = new LatestTask(() => {
    runs += 1;
    return runs === 1 ? Promise.reject(new Error('no')) : Promise.resolve();
  });
  const failed = Array.from({ length: 10 }, () => task.run());
  for (const one of failed) {
    await assert.rejects(one, /no/);
  }
  await task.run();
  assert.equal(runs, 2);
});
