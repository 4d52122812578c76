import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SerialQueue } from '../../src/util/serialQueue';

test('one after the other, also behind one that failed', async () => {
  const turns = new SerialQueue();
  const said: string[] = [];
  const work = (name: string) => async (): Promise<string> => {
    said.push(`${name} begins`);
    await Promise.resolve();
    said.push(`${name} ends`);
    return name;
  };
  const failed = turns.run(async () => {
    await work('one')();
    throw new Error('no');
  });
  const second = turns.run(work('two'));
  await assert.rejects(failed, /no/);
  assert.equal(await second, 'two');
  assert.deepEqual(said, ['one begins', 'one ends', 'two begins', 'two ends']);
});
