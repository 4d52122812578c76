import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Proposed } from '../../src/protocol/types';
import { ProposalStore } from '../../src/proposals/store';

function proposed(id: string): Proposed {
  return { id, title: id, tool: 'edit', session: 's', agent: '', explanation: '', atomic: true, files: [] };
}

function queueOf(...ids: string[]): ProposalStore {
  const proposals = new ProposalStore();
  ids.forEach((id) => proposals.add(proposed(id)));
  return proposals;
}

test('next and previous go round', () => {
  const proposals = queueOf('a', 'b', 'c');
  assert.equal(proposals.beside('a', 1)?.proposed.id, 'b');
  assert.equal(proposals.beside('c', 1)?.proposed.id, 'a');
  assert.equal(proposals.beside('a', -1)?.proposed.id, 'c');
});

test('from something else they begin at either end', () => {
  const proposals = queueOf('a', 'b', 'c');
  assert.equal(proposals.beside(undefined, 1)?.proposed.id, 'a');
  assert.equal(proposals.beside('gone', -1)?.proposed.id, 'c');
  assert.equal(queueOf().beside(undefined, 1), undefined);
});

test('what the user set aside or is being decided is not opened by itself', () => {
  const proposals = queueOf('a', 'b', 'c');
  proposals.get('a')!.setAside = true;
  proposals.get('b')!.deciding = true;
  assert.equal(proposals.firstWaiting?.proposed.id, 'c');
  proposals.remove('c');
  assert.equal(proposals.firstWaiting, undefined);
  assert.equal(proposals.size, 2, 'they wait all the same');
});

test('lists are told of every change, and of none where there was none', () => {
  const proposals = queueOf('a');
  let told = 0;
  const listening = proposals.changed.subscribe(() => (told += 1));
  proposals.add(proposed('b'));
  proposals.remove('a');
  proposals.remove('a');
  assert.equal(told, 2);
  listening.dispose();
  proposals.remove('b');
  assert.equal(told, 2);
});
