import assert from 'node:assert/strict';
import { test } from 'node:test';
import { baseName, brief, counts, folderOf, visible } from './shown';

test('what turns, hides or commands is shown as what it is', () => {
  assert.equal(visible('a\u202eb'), 'a\\u{202e}b');
  assert.equal(visible('zero\u200bwidth\u0007'), 'zero\\u{200b}width\\u{7}');
  assert.equal(visible('lone \ud800!'), 'lone \\u{d800}!');
  assert.equal(visible('tag \u{e0041}'), 'tag \\u{e0041}');
});

test('an explanation can’t push the diff away: it is one line', () => {
  assert.equal(visible('first\n\n  second\r\nthird\tfourth'), 'first second third fourth');
});

test('words and emoji stay as they are', () => {
  assert.equal(visible('Größe 你好 👩‍💻'), 'Größe 你好 👩‍💻');
});

test('what is cut says so, and no character is cut in two', () => {
  assert.equal(brief('  short ', 10), 'short');
  assert.equal(brief('1234567890', 10), '1234567890');
  assert.equal(brief('12345678901', 10), '123456789…');
  assert.equal(brief('😀😀😀', 2), '😀…');
});

test('paths and counts', () => {
  assert.equal(baseName('src/a/b.py'), 'b.py');
  assert.equal(folderOf('src/a/b.py'), 'src/a');
  assert.equal(folderOf('b.py'), '');
  assert.equal(counts(3, 1), '+3 −1');
});
