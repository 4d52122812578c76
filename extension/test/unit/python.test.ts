import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { candidates, findPython, isEnough, parseVersion, versionOf, type Candidate, type Places } from '../../src/server/python';

const folder = mkdtempSync(join(tmpdir(), 'agentfs-python-'));
after(() => rmSync(folder, { recursive: true }));

/** A Python that says it is of this version; the file is really run. */
function python(place: string, version: string): string {
  const file = join(folder, place);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho ${version}\n`);
  chmodSync(file, 0o755);
  return file;
}

function places(more: Partial<Places>): Places {
  return { configured: '', selected: undefined, searchPath: '', home: folder, distrusted: [], ...more };
}

const run = (command: string): Promise<Candidate> => versionOf(command, folder);

const old = python('old/python3', '3.9');
const good = python('good/python3', '3.12');
const other = python('other/python3.11', '3.11');

test('the first Python on the PATH that is new enough is taken', async () => {
  const found = await findPython(places({ searchPath: `${join(folder, 'old')}:${join(folder, 'good')}` }), run);
  assert.deepEqual(found, { kind: 'found', command: good, version: [3, 12] });
});

test('one with its version in its name is found too', async () => {
  const found = await findPython(places({ searchPath: `${join(folder, 'old')}:${join(folder, 'other')}` }), run);
  assert.deepEqual(found, { kind: 'found', command: other, version: [3, 11] });
});

test('what the Python extension selected comes first, unless it is too old', async () => {
  const searchPath = join(folder, 'good');
  assert.equal((await findPython(places({ selected: other, searchPath }), run)).kind, 'found');
  assert.equal(candidates(places({ selected: other, searchPath }))[0], other);
  const found = await findPython(places({ selected: old, searchPath }), run);
  assert.deepEqual(found, { kind: 'found', command: good, version: [3, 12] });
});

test('a configured one counts alone, and is named when it does not fit', async () => {
  const searchPath = join(folder, 'good');
  const found = await findPython(places({ configured: old, searchPath }), run);
  assert.deepEqual(found, {
    kind: 'missing',
    configured: true,
    tried: [{ command: old, version: [3, 9] }],
  });
});

test('a configured one may begin with ~ or be a name on the PATH, but is never relative to somewhere', () => {
  assert.deepEqual(candidates(places({ configured: '~/good/python3' })), [good]);
  assert.deepEqual(candidates(places({ configured: 'python3.11', searchPath: join(folder, 'other') })), [other]);
  assert.deepEqual(candidates(places({ configured: './python3', searchPath: folder })), []);
  assert.deepEqual(candidates(places({ configured: 'good/python3', searchPath: folder })), []);
});

test('a relative folder on the PATH is none, nor is one that is not trusted, a link into it neither', () => {
  symlinkSync(join(folder, 'good'), join(folder, 'link'));
  const searchPath = ['.', 'good', join(folder, 'good'), join(folder, 'link'), join(folder, 'other')].join(':');
  assert.deepEqual(candidates(places({ searchPath, distrusted: [join(folder, 'good')] })), [other]);
});

test('what does not run is told, and something that is no file is not tried', async () => {
  const broken = python('broken/python3', '3.12');
  writeFileSync(broken, '#!/nonexistent\n');
  mkdirSync(join(folder, 'folder/python3'), { recursive: true });
  const searchPath = `${join(folder, 'folder')}:${join(folder, 'broken')}`;
  assert.deepEqual(await findPython(places({ searchPath }), run), {
    kind: 'missing',
    configured: false,
    tried: [{ command: broken, version: undefined }],
  });
});

test('versions', () => {
  assert.deepEqual(parseVersion('3.11\n'), [3, 11]);
  assert.equal(parseVersion('Python 3.11'), undefined);
  assert.equal(isEnough([3, 10]), false);
  assert.equal(isEnough([3, 11]), true);
  assert.equal(isEnough([4, 0]), true);
});
