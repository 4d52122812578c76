import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Questions } from '../../src/server/questions';

test('a question waits until it is answered, once', async () => {
  const questions = new Questions();
  const { question, answered } = questions.ask('May Ada read .env?', ['Deny', 'Allow once']);
  assert.deepEqual(questions.all, [question]);
  assert.equal(questions.end(question, 'Deny'), true);
  assert.equal(questions.end(question, 'Allow once'), false);
  assert.equal(await answered, 'Deny');
  assert.equal(questions.size, 0);
});

test('without a server no question waits, and none was answered', async () => {
  const questions = new Questions();
  const asked = [questions.ask('one', ['yes']), questions.ask('two', ['yes'])];
  questions.clear();
  assert.deepEqual(await Promise.all(asked.map(({ answered }) => answered)), [undefined, undefined]);
});
