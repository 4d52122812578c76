import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProposedFile } from '../../src/protocol/types';
import { PendingFiles } from '../../src/proposals/pendingFiles';
import { ProposalStore } from '../../src/proposals/store';

const keyOf = (uri: string): string => uri.toLowerCase();

interface Followed {
  proposals: ProposalStore;
  pending: PendingFiles;
  /** What the index said last. */
  told: () => readonly string[];
  /** The ids of the proposals of a file. */
  found: (key: string) => string[];
}

/** A store, and the index that follows it. */
function followed(): Followed {
  const proposals = new ProposalStore();
  const pending = new PendingFiles(keyOf);
  let last: readonly string[] = [];
  proposals.onDidChange((review) => (last = pending.update(review, proposals.get(review.proposed.id) === review)));
  return { proposals, pending, told: () => last, found: (key) => pending.get(key).map(([{ proposed }]) => proposed.id) };
}

function add(proposals: ProposalStore, id: string, ...uris: string[]): void {
  const files = uris.map((uri): ProposedFile => ({ uri, path: uri, operation: 'update', version: null, base_hash: null, lines_added: 1, lines_removed: 1 }));
  proposals.add({ id, title: id, tool: 'edit', session: 's', agent: id, explanation: '', atomic: true, files });
}

test('a file has the proposals that change it, in order of arrival, however its URI is written', () => {
  const { proposals, found, told } = followed();
  add(proposals, 'ada', 'file:///A', 'file:///b');
  add(proposals, 'bob', 'file:///a');
  assert.deepEqual(found('file:///a'), ['ada', 'bob']);
  assert.deepEqual(found('file:///b'), ['ada']);
  assert.deepEqual(found('file:///c'), []);
  assert.deepEqual(told(), ['file:///a'], 'the other file is as before');
});

test('a proposal that ends is no longer there, and neither is a file without any', () => {
  const { proposals, pending, told } = followed();
  add(proposals, 'ada', 'file:///a', 'file:///b');
  add(proposals, 'bob', 'file:///a');
  proposals.end('ada');
  assert.deepEqual(told(), ['file:///a', 'file:///b']);
  assert.deepEqual(pending.all, ['file:///a']);
  proposals.end('bob');
  assert.deepEqual(pending.all, []);
});

test('what else happens to a review concerns no file', () => {
  const { proposals, found, told } = followed();
  add(proposals, 'ada', 'file:///a');
  const [review] = proposals.all;
  assert.ok(review);
  proposals.setStaleness(review, 'file:///a', { kind: 'disk' });
  assert.deepEqual(told(), []);
  proposals.decide(review);
  assert.deepEqual(told(), []);
  assert.deepEqual(found('file:///a'), ['ada'], 'until its outcome is known');
});
