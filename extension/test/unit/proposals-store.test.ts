import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Proposed } from '../../src/protocol/types';
import { isDecided, type Review } from '../../src/proposals/review';
import { ProposalStore } from '../../src/proposals/store';

function proposed(id: string): Proposed {
  return { id, title: id, tool: 'edit', session: 's', agent: '', explanation: '', atomic: true, files: [] };
}

function storeOf(...ids: string[]): ProposalStore {
  const proposals = new ProposalStore();
  ids.forEach((id) => proposals.add(proposed(id)));
  return proposals;
}

test('next and previous go round', () => {
  const proposals = storeOf('a', 'b', 'c');
  assert.equal(proposals.beside('a', 1)?.proposed.id, 'b');
  assert.equal(proposals.beside('c', 1)?.proposed.id, 'a');
  assert.equal(proposals.beside('a', -1)?.proposed.id, 'c');
});

test('from something else they begin at either end', () => {
  const proposals = storeOf('a', 'b', 'c');
  assert.equal(proposals.beside(undefined, 1)?.proposed.id, 'a');
  assert.equal(proposals.beside('gone', -1)?.proposed.id, 'c');
  assert.equal(storeOf().beside(undefined, 1), undefined);
});

test('what the user set aside or is being decided is not opened by itself', () => {
  const proposals = storeOf('a', 'b', 'c');
  const [a, b, c] = proposals.all as [Review, Review, Review];
  proposals.setAside(a, true);
  proposals.decide(b);
  assert.equal(proposals.firstWaiting(), c);
  assert.equal(proposals.firstWaiting(c), undefined);
  proposals.end('c');
  assert.equal(proposals.firstWaiting(), undefined);
  assert.equal(proposals.size, 2, 'they wait all the same');
});

test('lists are told which review changes, and of none where there was no change', () => {
  const proposals = storeOf('a');
  const told: string[] = [];
  const listening = proposals.onDidChange(({ proposed: { id } }) => told.push(id));
  proposals.add(proposed('b'));
  proposals.end('a');
  proposals.end('a');
  assert.deepEqual(told, ['b', 'a']);
  listening.dispose();
  proposals.end('b');
  assert.equal(told.length, 2);
});

test('a review is decided once, until the server refuses', () => {
  const proposals = storeOf('a');
  const [review] = proposals.all as [Review];
  assert.equal(proposals.decide(review), true);
  assert.equal(proposals.decide(review), false);
  assert.deepEqual(proposals.undecided, []);
  proposals.refuse(review);
  assert.deepEqual(proposals.undecided, [review]);
  assert.equal(proposals.decide(review), true);
});

test('the reason to reject a file is that of its last decision, and blanks are none', () => {
  const proposals = storeOf('a');
  const [review] = proposals.all as [Review];
  proposals.decideFile(review, 'x.py', 'rejected', 'new', ' Too long. ');
  assert.deepEqual([...review.reasons], [['x.py', 'Too long.']]);
  proposals.decideFile(review, 'x.py', 'rejected', 'new', ' ');
  assert.deepEqual([...review.reasons], []);
  proposals.decideFile(review, 'x.py', 'rejected', 'new', 'No.');
  proposals.decideFile(review, 'x.py', 'accepted', 'new');
  assert.deepEqual([...review.reasons], []);
});

test('what has ended stays as it ended', () => {
  const proposals = storeOf('withdrawn', 'accepted');
  const [withdrawn, accepted] = proposals.all as [Review, Review];
  proposals.decide(accepted);
  assert.equal(proposals.end('withdrawn'), withdrawn);
  assert.equal(proposals.end('accepted'), accepted);
  proposals.refuse(accepted);
  assert.equal(proposals.decide(withdrawn), false);
  assert.deepEqual([withdrawn, accepted].map(isDecided), [false, true]);
  assert.equal(proposals.size, 0);
});

test('a file goes stale while its review waits, and not after the decision', () => {
  const proposals = storeOf('a');
  const [review] = proposals.all as [Review];
  let told = 0;
  proposals.onDidChange(() => (told += 1));
  proposals.setStaleness(review, 'x.py', { kind: 'disk' });
  proposals.setStaleness(review, 'x.py', { kind: 'disk' });
  assert.deepEqual([...review.stale], [['x.py', { kind: 'disk' }]]);
  assert.equal(told, 1);
  proposals.decide(review);
  proposals.setStaleness(review, 'x.py', undefined);
  assert.equal(review.stale.size, 1);
});
