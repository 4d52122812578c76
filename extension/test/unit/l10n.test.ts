import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

type Texts = Record<string, string>;

const read = (file: string): string => readFileSync(file, 'utf8');
const json = (file: string): Texts => JSON.parse(read(file)) as Texts;

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => read(join('src', file)))
  .join('\n');

const placeholders = (text: string): string[] => (text.match(/\{\d\}/g) ?? []).sort();

test('every text of the code has its translation, and none is left over', () => {
  const calls = sources.match(/l10n\.t\(/g)?.length ?? 0;
  const used = [...sources.matchAll(/l10n\.t\(\s*'([^']+)'/g)].map(([, text]) => text as string);
  assert.equal(used.length, calls, 'texts stand as literals where they are used');
  const bundle = json('l10n/bundle.l10n.zh-cn.json');
  assert.deepEqual(Object.keys(bundle).sort(), [...new Set(used)].sort());
});

test('what the status bar says for a moment fits a narrow window, names aside', () => {
  const said = [...sources.matchAll(/showStatusMessage\(\s*vscode\.l10n\.t\(\s*'([^']+)'/g)].map(([, text]) => text as string);
  assert.ok(said.length > 10);
  assert.deepEqual(said.filter((text) => text.replaceAll(/\{\d\}/g, '').length > 60), []);
});

test('every text of the manifest is there in both languages, and none is left over', () => {
  const used = [...read('package.json').matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key as string);
  for (const file of ['package.nls.json', 'package.nls.zh-cn.json']) {
    assert.deepEqual(Object.keys(json(file)).sort(), [...new Set(used)].sort(), file);
  }
});

test('translations have the same places to fill, and link to the same commands', () => {
  for (const [text, translation] of Object.entries(json('l10n/bundle.l10n.zh-cn.json'))) {
    assert.deepEqual(placeholders(translation), placeholders(text), text);
  }
  const links = (text: string): string[] => text.match(/\(command:[^)]+\)/g) ?? [];
  const chinese = json('package.nls.zh-cn.json');
  for (const [key, text] of Object.entries(json('package.nls.json'))) {
    assert.deepEqual(links(chinese[key] ?? ''), links(text), key);
  }
});
