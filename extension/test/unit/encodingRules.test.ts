import assert from 'node:assert/strict';
import { test } from 'node:test';
import { associationsOf, rulesFor, usersAssociations } from '../../src/server/encodingRules';

const contributed = associationsOf([
  { id: 'json', extensions: ['.json'] },
  { id: 'jsonc', filenames: ['tsconfig.json'], filenamePatterns: ['**/.vscode/*.json'] },
  { id: 'markdown', extensions: ['.md', '.markdown'] },
  { id: 'broken', extensions: 'x', filenames: [7] },
]);

/** What VS Code always reads and writes as UTF-8. */
const ALWAYS = { files: ['.vscode/**', '*.code-workspace', '*.ipynb'], encoding: 'utf8' };

test('one encoding for all files is one rule, and UTF-8 is none', () => {
  assert.deepEqual(rulesFor('gbk', new Map(), contributed), [{ files: ['*'], encoding: 'gbk' }, ALWAYS]);
  assert.deepEqual(rulesFor('utf8', new Map([['markdown', 'utf8']]), contributed), []);
});

test('a language has its own, and what means another language by more than the extension has not', () => {
  assert.deepEqual(rulesFor('utf8', new Map([['json', 'gbk']]), contributed), [
    { files: ['*'], encoding: 'utf8' },
    { files: ['*.json'], encoding: 'gbk' },
    { files: ['*.markdown', '**/.vscode/*.json', 'tsconfig.json'], encoding: 'utf8' },
    ALWAYS,
  ]);
});

test('what the user says of names counts most', () => {
  const all = [...contributed, ...usersAssociations({ '*.{txt,note}': 'markdown', 'an-example-[1].md': 'plaintext' })];
  const rules = rulesFor('gbk', new Map([['markdown', 'utf8']]), all);
  assert.deepEqual(rules.slice(-3), [
    { files: ['*.txt', '*.note'], encoding: 'utf8' },
    { files: ['an-example-[1].md'], encoding: 'gbk' },
    ALWAYS,
  ]);
});

test('names are matched as they are', () => {
  const [odd] = associationsOf([{ id: 'odd', filenames: ['[x]*.txt'] }]);
  assert.equal(odd?.pattern, '[[]x][*].txt');
});

test('globs are read as VS Code reads them', () => {
  const expected: Record<string, string[]> = {
    '*.{x1,x2}': ['*.x1', '*.x2'],
    '{x,}.l1': ['x.l1'],
    '{,x}.l1': ['.l1', 'x.l1'],
    '{a{b,c},d}.n1': ['a,d.n1'],
    'a{l3': ['a'],
    '[[]br].k8': [],
    '[^a]*.[bc]': ['[!a]*.[bc]'],
    'a[b': ['a'],
    '*.SP1 ': ['*.SP1'],
    '**/deep/**/f.l4': ['**/deep/f.l4', '**/deep/**/f.l4'],
    '**/m?n/*.k1': ['**/m[!/]n/*.k1'],
    '**/last/': ['last'],
    '/**/first*': ['first*'],
    'z5/e/two.k7': [],
    '{**/*.y1,sub9/*.y2}': ['*.y1'],
    '/abs.k5': [],
  };
  for (const [glob, patterns] of Object.entries(expected)) {
    assert.deepEqual(usersAssociations({ [glob]: 'ini' }).map(({ pattern }) => pattern), patterns, glob);
  }
});

test('groups of a glob whose product never ends are cut', () => {
  assert.equal(usersAssociations({ ['{a,b}'.repeat(60)]: 'ini' }).length, 1000);
});

test('of two globs of the user, the longer one as written counts, and of equals the last', () => {
  const all = usersAssociations({ '{*.md,*.note}': 'a', 'readme.md': 'b', '*.a.md': 'a', '*.b.md': 'b' });
  const rules = rulesFor('utf8', new Map([['a', 'gbk'], ['b', 'utf16le']]), all);
  assert.deepEqual(rules.slice(1, -1).map(({ files }) => files), [['*.a.md'], ['*.b.md', 'readme.md'], ['*.md', '*.note']]);
});
