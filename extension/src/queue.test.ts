import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Proposed } from './protocol';
import { ReviewQueue } from './queue';

function proposed(id: string): Proposed {
  return { id, title: id, tool: 'edit', session: 's', agent: '', explanation: '', atomic: true, files: [] };
}

function queueOf(...ids: string[]): ReviewQueue {
  const queue = new ReviewQueue();
  ids.forEach((id) => queue.add(proposed(id)));
  return queue;
}

test('next and previous go round', () => {
  const queue = queueOf('a', 'b', 'c');
  assert.equal(queue.beside('a', 1)?.proposed.id, 'b');
  assert.equal(queue.beside('c', 1)?.proposed.id, 'a');
  assert.equal(queue.beside('a', -1)?.proposed.id, 'c');
});

test('from something else they begin at either end', () => {
  const queue = queueOf('a', 'b', 'c');
  assert.equal(queue.beside(undefined, 1)?.proposed.id, 'a');
  assert.equal(queue.beside('gone', -1)?.proposed.id, 'c');
  assert.equal(queueOf().beside(undefined, 1), undefined);
});

test('what the user set aside or is being decided is not opened by itself', () => {
  const queue = queueOf('a', 'b', 'c');
  queue.get('a')!.setAside = true;
  queue.get('b')!.deciding = true;
  assert.equal(queue.firstWaiting?.proposed.id, 'c');
  queue.remove('c');
  assert.equal(queue.firstWaiting, undefined);
  assert.equal(queue.size, 2, 'they wait all the same');
});

test('lists are told of every change, and of none where there was none', () => {
  const queue = queueOf('a');
  let told = 0;
  const listening = queue.changed.subscribe(() => (told += 1));
  queue.add(proposed('b'));
  queue.remove('a');
  queue.remove('a');
  assert.equal(told, 2);
  listening.dispose();
  queue.remove('b');
  assert.equal(told, 2);
});
