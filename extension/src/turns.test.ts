import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turns } from './turns';

test('one after the other, also behind one that failed', async () => {
  const turns = new Turns();
  const said: string[] = [];
  const work = (name: string) => async (): Promise<string> => {
    said.push(`${name} begins`);
    await Promise.resolve();
    said.push(`${name} ends`);
    return name;
  };
  const failed = turns.take(async () => {
    await work('one')();
    throw new Error('no');
  });
  const second = turns.take(work('two'));
  await assert.rejects(failed, /no/);
  assert.equal(await second, 'two');
  assert.deepEqual(said, ['one begins', 'one ends', 'two begins', 'two ends']);
});
