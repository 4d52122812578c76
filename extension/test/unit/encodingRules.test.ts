import assert from 'node:assert/strict';
import { test } from 'node:test';
import { associationsOf, rulesFor, usersAssociations } from '../../src/server/encodingRules';

const contributed = associationsOf([
  { id: 'json', extensions: ['.json'] },
  { id: 'jsonc', filenames: ['tsconfig.json'], filenamePatterns: ['**/.vscode/*.json'] },
  { id: 'markdown', extensions: ['.md', '.markdown'] },
  { id: 'broken', extensions: 'x', filenames: [7] },
]);

test('one encoding for all files is one rule, and UTF-8 is none', () => {
  assert.deepEqual(rulesFor('gbk', new Map(), contributed), [{ files: ['*'], encoding: 'gbk' }]);
  assert.deepEqual(rulesFor('utf8', new Map([['markdown', 'utf8']]), contributed), []);
});

test('a language has its own, and what means another language by more than the extension has not', () => {
  assert.deepEqual(rulesFor('utf8', new Map([['json', 'gbk']]), contributed), [
    { files: ['*'], encoding: 'utf8' },
    { files: ['*.json'], encoding: 'gbk' },
    { files: ['*.markdown', '**/.vscode/*.json', 'tsconfig.json'], encoding: 'utf8' },
  ]);
});

test('what the user says of names counts most', () => {
  const all = [...contributed, ...usersAssociations({ '*.{txt,note}': 'markdown', 'a[1].md': 'plaintext' })];
  const rules = rulesFor('gbk', new Map([['markdown', 'utf8']]), all);
  assert.deepEqual(rules.slice(-2), [
    { files: ['*.txt', '*.note'], encoding: 'utf8' },
    { files: ['a[1].md'], encoding: 'gbk' },
  ]);
});

test('names are matched as they are', () => {
  const [odd] = associationsOf([{ id: 'odd', filenames: ['[x]*.txt'] }]);
  assert.equal(odd?.glob, '[[]x][*].txt');
});
