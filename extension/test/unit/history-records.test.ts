import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Envelope } from '../../src/protocol/types';
import { recordOfDecision, recordOfEnvelope, recordsOfHistory, textsOfHistory } from '../../src/history/records';

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
  const data = { landing: 'disk', review: { rung: 'policy', by: 'mode' }, diff_preview: '--- a' };
  const record = recordOfEnvelope('edit', { path: './src/a.py', agent: 'Ada' }, envelope(data));
  assert.deepEqual(
    [record?.paths, record?.agent, record?.added, record?.removed, record?.preview, record?.landing, record?.isReviewed],
    [['src/a.py'], 'Ada', 2, 1, '--- a', 'disk', false],
  );
});

test('a change that the user accepted in a message is kept as reviewed', () => {
  const data = { landing: 'disk', review: { rung: 'message', by: 'user' } };
  assert.equal(recordOfEnvelope('edit', { path: 'a' }, envelope(data))?.isReviewed, true);
});

test('the server’s id of the change is its own where it has one', () => {
  const data = { landing: 'disk', review: { rung: 'policy' }, change_id: 'c1' };
  assert.equal(recordOfEnvelope('edit', { path: 'a' }, envelope(data))?.id, 'c1');
});

test('a batch that was let through is one change of its files', () => {
  const results = [
    { index: 0, path: 'a', landing: 'disk' },
    { index: 1, path: 'b', landing: 'editor' },
    { index: 2, path: 'a', landing: 'disk' },
    { index: 3, path: 'c', error: { code: 'NOT_FOUND' } },
  ];
  const record = recordOfEnvelope('edit', {}, envelope({ landing: 'editor', review: { rung: 'policy' }, results }));
  assert.deepEqual([record?.paths, record?.landing], [['a', 'b'], 'editor']);
});

test('reviewed here, refused, dry or unchanged: nothing is kept of the answer', () => {
  const params = { path: 'src/a.py' };
  assert.equal(recordOfEnvelope('edit', params, envelope({ landing: 'disk', review: { rung: 'review' } })), undefined);
  assert.equal(recordOfEnvelope('edit', params, envelope({})), undefined);
  assert.equal(recordOfEnvelope('edit', params, envelope({ unchanged: true })), undefined);
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
  const record = recordOfDecision({
    id: about.id,
    review: {
      proposed: { ...about, files },
      proposal: { ...about, files, state: 'shown' },
      stale: new Map(),
      decided: new Map(),
      accepted: new Map(),
      setAside: false,
      rejected: new Map(),
      reasons: new Map(),
      seen: new Map(),
      state: 'decided',
    },
    outcome: 'editor',
    texts: new Map([['a', 'mine\nand more']]),
    accepted: new Map(),
  });
  assert.deepEqual(record.files, [{ path: 'a', operation: 'update', before: 'old', after: 'mine\nand more' }]);
  assert.deepEqual([record.paths, record.landing, record.added, record.removed], [['a'], 'editor', 2, 1]);
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
        by: 'user',
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
  const [record] = recordsOfHistory(data);
  assert.deepEqual([record?.id, record?.at, record?.removed, record?.isReviewed], ['c1', Date.UTC(2026, 10, 22, 10), 2, true]);
  assert.deepEqual(textsOfHistory(data), [{ path: 'a', operation: 'update', before: 'x', after: 'y' }]);
  assert.deepEqual(recordsOfHistory({}), []);
});
