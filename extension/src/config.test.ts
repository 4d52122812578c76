import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings, serverSection } from './config';

function section(values: Record<string, unknown>): { get(key: string): unknown } {
  return { get: (key) => values[key] };
}

test('the server is told its own settings alone', () => {
  const given = {
    approval: { mode: 'manual' },
    review: { style: 'diff' },
    interpreter: '/usr/bin/python3',
    trace: { server: 'off' },
    save: 'auto',
  };
  assert.deepEqual(serverSection(given), { approval: { mode: 'manual' }, save: 'auto' });
  assert.equal(serverSection(null), null);
});

test('settings are read as they are', () => {
  const values = {
    interpreter: ' ~/py ',
    'review.style': 'refactorPreview',
    'trace.server': 'verbose',
    save: 'always',
  };
  const read = readSettings(section(values));
  assert.deepEqual(read, {
    interpreter: '~/py',
    style: 'refactorPreview',
    trace: 'verbose',
    save: 'always',
  });
});

test('what is wrong loosens nothing', () => {
  const read = readSettings(section({ interpreter: 5, 'review.style': 'none', save: 'yes' }));
  assert.deepEqual(read, { interpreter: '', style: 'diff', trace: 'off', save: 'never' });
});
