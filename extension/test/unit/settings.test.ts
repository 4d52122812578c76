import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings, serverSection } from '../../src/server/settings';

function section(values: Record<string, unknown>): { get(key: string): unknown } {
  return { get: (key) => values[key] };
}

const FREE = { isAutoEnded: false, isTrusted: true, isTelemetryAllowed: true };

test('the server is told its own settings alone', () => {
  const given = {
    approval: { mode: 'manual' },
    review: { style: 'diff' },
    interpreter: '/usr/bin/python3',
    trace: { server: 'off' },
    decorations: { enabled: true },
    notifications: { onReturn: true },
    statusBar: { count: true },
    save: 'auto',
  };
  assert.deepEqual(serverSection(given, FREE), { approval: { mode: 'manual' }, save: 'auto' });
  assert.equal(serverSection(null, FREE), null);
});

test('settings are read as they are', () => {
  const values = {
    interpreter: ' ~/py ',
    'review.style': 'refactorPreview',
    'trace.server': 'verbose',
    'decorations.enabled': false,
    'notifications.onReturn': false,
    'statusBar.count': false,
    save: 'always',
  };
  const read = readSettings(section(values));
  assert.deepEqual(read, {
    interpreter: '~/py',
    style: 'refactorPreview',
    trace: 'verbose',
    decorations: false,
    onReturn: false,
    count: false,
    save: 'always',
  });
});

test('what is wrong loosens nothing', () => {
  const read = readSettings(section({ interpreter: 5, 'review.style': 'none', 'decorations.enabled': 'no', save: 'yes' }));
  const shown = { decorations: true, onReturn: true, count: true };
  assert.deepEqual(read, { interpreter: '', style: 'diff', trace: 'off', ...shown, save: 'never' });
});

const loose = {
  approval: { mode: 'auto_edit', timeout_s: 5 },
  rules: [{ files: ['**'], read: 'allow', write: 'allow', edit: 'allow' }, { files: ['a'], edit: 'deny' }, 'wrong'],
};

test('auto mode that the user ended stays ended, and nothing else changes', () => {
  const told = serverSection(loose, { ...FREE, isAutoEnded: true });
  assert.deepEqual(told, { ...loose, approval: { mode: 'manual', timeout_s: 5 } });
});

test('where the workspace is not trusted, every change is reviewed', () => {
  const told = serverSection(loose, { ...FREE, isTrusted: false });
  assert.deepEqual(told, {
    approval: { mode: 'manual', timeout_s: 5 },
    rules: [{ files: ['**'], read: 'allow', write: 'ask', edit: 'ask' }, { files: ['a'], edit: 'deny' }, 'wrong'],
  });
});

test('where VS Code allows no telemetry, the server has none', () => {
  const wanted = { telemetry: { enabled: true } };
  assert.deepEqual(serverSection(wanted, FREE), wanted);
  assert.deepEqual(serverSection(wanted, { ...FREE, isTelemetryAllowed: false }), { telemetry: { enabled: false } });
  assert.deepEqual(serverSection({}, { ...FREE, isTelemetryAllowed: false }), { telemetry: { enabled: false } });
});

test('no formatter runs in an untrusted workspace', () => {
  const section = { correction: { formatters: { '*': ['fmt'] }, charset: [] } };
  assert.deepEqual(serverSection(section, FREE), section);
  assert.deepEqual(serverSection(section, { ...FREE, isTrusted: false }), {
    approval: { mode: 'manual' },
    correction: { formatters: {}, charset: [] },
  });
});
