import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Envelope } from '../protocol';
import { entryOfEnded, entryOfEnvelope, entriesOfHistory, textsOfHistory } from './landed';

function envelope(data: Record<string, unknown>): Envelope {
  return {
    status: 'success',
    data,
    text: '',
    stats: { lines_added: 2, lines_removed: 1 },
    context: { cwd: '.', params_input: null, path_resolved: 'src/a.py' },
  };
}

test('a change that was let through is kept with the server’s diff', () => {
  const data = { landing: 'disk', review: { rung: 'policy' }, diff_preview: '--- a' };
  const entry = entryOfEnvelope('edit', { path: './src/a.py', agent: 'Ada' }, envelope(data));
  assert.deepEqual(
    [entry?.paths, entry?.agent, entry?.added, entry?.removed, entry?.preview, entry?.landing],
    [['src/a.py'], 'Ada', 2, 1, '--- a', 'disk'],
  );
});

test('the server’s id of the change is its own where it has one', () => {
  const data = { landing: 'disk', review: { rung: 'policy' }, change_id: 'c1' };
  assert.equal(entryOfEnvelope('edit', { path: 'a' }, envelope(data))?.id, 'c1');
});

test('a batch that was let through is one change of its files', () => {
  const results = [
    { index: 0, path: 'a', landing: 'disk' },
    { index: 1, path: 'b', landing: 'editor' },
    { index: 2, path: 'a', landing: 'disk' },
    { index: 3, path: 'c', error: { code: 'NOT_FOUND' } },
  ];
  const entry = entryOfEnvelope('edit', {}, envelope({ landing: 'editor', review: { rung: 'policy' }, results }));
  assert.deepEqual([entry?.paths, entry?.landing], [['a', 'b'], 'editor']);
});

test('reviewed here, refused, dry or unchanged: nothing is kept of the answer', () => {
  const params = { path: 'src/a.py' };
  assert.equal(entryOfEnvelope('edit', params, envelope({ landing: 'disk', review: { rung: 'review' } })), undefined);
  assert.equal(entryOfEnvelope('edit', params, envelope({})), undefined);
  assert.equal(entryOfEnvelope('edit', params, envelope({ unchanged: true })), undefined);
});

test('a review keeps the texts that the user saw, of the accepted files alone', () => {
  const file = (path: string) => ({
    uri: `file:///w/${path}`,
    path,
    operation: 'update' as const,
    version: null,
    base_hash: null,
    lines_added: 1,
    lines_removed: 1,
    base_text: 'old',
    proposed_text: 'new',
    encoding: 'utf-8',
    eol: 'lf' as const,
    warnings: [],
  });
  const about = { id: 'p', title: '', tool: 'edit' as const, session: 's', agent: 'Ada', explanation: 'why', atomic: true };
  const files = [file('a'), file('b')];
  const entry = entryOfEnded({
    review: {
      proposed: { ...about, files },
      proposal: { ...about, files, state: 'shown' },
      moved: new Map(),
      decided: new Map(),
      setAside: false,
      rejected: new Map(),
      seen: true,
      deciding: true,
    },
    outcome: 'editor',
    texts: new Map([['a', 'mine']]),
    accepted: new Map(),
  });
  assert.deepEqual(entry.files, [{ path: 'a', operation: 'update', before: 'old', after: 'mine' }]);
  assert.deepEqual([entry.paths, entry.landing], [['a'], 'editor']);
});

test('the server’s history, and a change of it with the texts that are kept', () => {
  const data = {
    changes: [
      {
        change_id: 'c1',
        time: '2026-11-22T10:00:00Z',
        agent: 'Ada',
        explanation: 'why',
        landing: 'disk',
        files: [
          {
            path: 'a',
            operation: 'update',
            before_hash: 'sha256:x',
            after_hash: 'sha256:y',
            lines_added: 3,
            lines_removed: 1,
            before_text: 'x',
            after_text: 'y',
          },
          {
            path: 'gone',
            operation: 'delete',
            before_hash: 'sha256:z',
            after_hash: null,
            lines_added: 0,
            lines_removed: 1,
            before_text: null,
            after_text: null,
          },
        ],
      },
    ],
  };
  const [entry] = entriesOfHistory(data);
  assert.deepEqual([entry?.id, entry?.at, entry?.removed], ['c1', Date.UTC(2026, 10, 22, 10), 2]);
  assert.deepEqual(textsOfHistory(data), [{ path: 'a', operation: 'update', before: 'x', after: 'y' }]);
  assert.deepEqual(entriesOfHistory({}), []);
});
