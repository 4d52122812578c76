import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyChanged, anyRemoved, blanksChanged, changedLines, firstDifference, fromBytes, hunks, normalize, toBytes, withEol } from '../../src/util/text';

test('line ends of every kind become \\n, and nothing else does', () => {
  assert.equal(normalize('a\r\nb\rc\nd\u2028e\f\u0085'), 'a\nb\nc\nd\u2028e\f\u0085');
  assert.equal(normalize('plain\n'), 'plain\n');
});

test('a CRLF file is shown with its own line ends, any other with \\n', () => {
  assert.equal(withEol('a\nb\n', 'crlf'), 'a\r\nb\r\n');
  for (const eol of ['lf', 'cr', 'mixed', 'none']) {
    assert.equal(withEol('a\nb\n', eol), 'a\nb\n');
  }
});

test('what goes to the editor as bytes comes back the same, marked or not', () => {
  for (const text of ['', 'plain', '你好 😀\n', 'mid\ufeffdle']) {
    for (const marked of [true, false]) {
      assert.equal(fromBytes(toBytes(text, marked)), text);
    }
  }
});

test('a text that begins with U+FEFF keeps it, if it is marked', () => {
  assert.equal(fromBytes(toBytes('\ufefftext', true)), '\ufefftext');
});

test('the first line that differs', () => {
  assert.equal(firstDifference('a\nb\nc', 'a\nX\nc'), 1);
  assert.equal(firstDifference('a\nb', 'a\nb\nc'), 1);
  assert.equal(firstDifference('a\nb\n', 'a\nb\nc\n'), 2);
  assert.equal(firstDifference('', 'new'), 0);
  assert.equal(firstDifference('same\n', 'same\n'), undefined);
});

const inBlanks = (before: string[], after: string[]): boolean =>
  blanksChanged(before.join('\n'), after.join('\n'));

test('a line that differs in blanks alone, wherever the other changes are', () => {
  assert.equal(inBlanks(['a', '  b', 'c'], ['a', 'b', 'c']), true);
  assert.equal(inBlanks(['a', 'b', 'c'], ['a', 'b', 'c \t']), true);
  assert.equal(inBlanks(['a', 'b', 'c', 'd'], ['A', ' b', 'c', 'D']), true);
  assert.equal(inBlanks(['a', 'b', 'c', ' d'], ['new', 'a', 'b', 'c', 'd']), true);
  assert.equal(inBlanks(['', 'a'], ['   ', 'a']), true);
});

test('lines that change their places, and one that comes in beside its like', () => {
  assert.equal(inBlanks(['1', '  end', 'end', '2'], ['1', 'end', '  end', '2']), true);
  assert.equal(inBlanks(['1', '  end', '2', '3'], ['1.', 'end', '2', '  end', '3.']), true);
  assert.equal(inBlanks(['x', 'x', 'x'], ['  x', 'x', 'x', 'x']), true);
});

test('changes that such a diff shows', () => {
  assert.equal(inBlanks(['a', 'b', 'c'], ['a', 'B', 'c']), false);
  assert.equal(inBlanks(['a', '  {', '  }', 'b'], ['a', '  {', '    new', '  }', 'b']), false);
  assert.equal(inBlanks([''], ['a', '  b', '']), false);
  assert.equal(inBlanks(['a', '  b', ''], ['']), false);
  assert.equal(inBlanks(['same'], ['same']), false);
});

test('whether a diff may show a long line, of either text, as changed', () => {
  const longer = (before: string[], after: string[]): boolean =>
    anyChanged(before.join('\n'), after.join('\n'), (line) => line.length > 3);
  assert.equal(longer(['a', 'long', 'c'], ['a', 'lung', 'c']), true);
  assert.equal(longer(['a', 'b', 'long'], ['a', 'b']), true);
  assert.equal(longer(['long'], ['']), true);
  assert.equal(longer(['a', 'long', 'c'], ['A', 'long', 'C']), true);
  assert.equal(longer(['a', 'long', 'c'], ['A', 'long', 'c']), false);
  assert.equal(longer(['one', 'b'], ['two', 'b']), false);
  assert.equal(longer(['long'], ['long']), false);
});

test('whether a line of some kind is removed', () => {
  const removes = (before: string, after: string): boolean => anyRemoved(before, after, (line) => line.length > 3);
  assert.equal(removes('a\nlong\nc', 'a\nc'), true);
  assert.equal(removes('a\nlong\nc', 'A\nlong\nC'), false);
  assert.equal(removes('a', 'long'), false);
});

test('which lines take the place of which', () => {
  const [before, after] = [['1', 'a', 'b', 'c', '2'], ['1', 'A', 'b', 'c', 'd', 'e', '2']];
  assert.deepEqual(hunks(before, after), [
    { start: { before: 1, after: 1 }, removed: ['a'], added: ['A'] },
    { start: { before: 4, after: 4 }, removed: [], added: ['d', 'e'] },
  ]);
  assert.deepEqual(hunks([], ['a']), [{ start: { before: 0, after: 0 }, removed: [], added: ['a'] }]);
  assert.deepEqual(hunks(['a'], ['a']), []);
});

test('how many lines the shortest diff adds and removes', () => {
  const counted = (before: string, after: string): number[] => Object.values(changedLines(before, after));
  assert.deepEqual(counted('', ''), [0, 0]);
  assert.deepEqual(counted('', 'a\nb\n'), [2, 0]);
  assert.deepEqual(counted('a\n', ''), [0, 1]);
  assert.deepEqual(counted('a\nb\nc\n', 'a\nB\nc\nd\n'), [2, 1]);
  assert.deepEqual(counted('1\na\nb\nc\n2\n', 'one\na\nc\nd\ntwo\n'), [3, 3]);
  assert.deepEqual(counted('a\nb\nc\na\nb\nb\na\n', 'c\nb\na\nb\na\nc\n'), [2, 3]);
  const many = Array.from({ length: 5000 }, (_, line) => `${line}\n`).join('');
  assert.deepEqual(counted(many, many.replaceAll('\n', '.\n')), [5000, 5000]);
});
