import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedLines, firstChanged, firstDifference, firstInBlanks, fromBytes, normalise, toBytes, withEol } from '../../src/util/text';

test('line ends of every kind become \\n, and nothing else does', () => {
  assert.equal(normalise('a\r\nb\rc\nd\u2028e\f\u0085'), 'a\nb\nc\nd\u2028e\f\u0085');
  assert.equal(normalise('plain\n'), 'plain\n');
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

const inBlanks = (before: string[], after: string[]): number | undefined =>
  firstInBlanks(before.join('\n'), after.join('\n'));

test('a line that differs in blanks alone, wherever the other changes are', () => {
  assert.equal(inBlanks(['a', '  b', 'c'], ['a', 'b', 'c']), 1);
  assert.equal(inBlanks(['a', 'b', 'c'], ['a', 'b', 'c \t']), 2);
  assert.equal(inBlanks(['a', 'b', 'c', 'd'], ['A', ' b', 'c', 'D']), 1);
  assert.equal(inBlanks(['a', 'b', 'c', ' d'], ['new', 'a', 'b', 'c', 'd']), 4);
  assert.equal(inBlanks(['', 'a'], ['   ', 'a']), 0);
});

test('lines that change their places, and one that comes in beside its like', () => {
  assert.equal(inBlanks(['1', '  end', 'end', '2'], ['1', 'end', '  end', '2']), 1);
  assert.equal(inBlanks(['1', '  end', '2', '3'], ['1.', 'end', '2', '  end', '3.']), 1);
  assert.equal(inBlanks(['x', 'x', 'x'], ['  x', 'x', 'x', 'x']), 0);
});

test('changes that such a diff shows', () => {
  assert.equal(inBlanks(['a', 'b', 'c'], ['a', 'B', 'c']), undefined);
  assert.equal(inBlanks(['a', '  {', '  }', 'b'], ['a', '  {', '    new', '  }', 'b']), undefined);
  assert.equal(inBlanks([''], ['a', '  b', '']), undefined);
  assert.equal(inBlanks(['a', '  b', ''], ['']), undefined);
  assert.equal(inBlanks(['same'], ['same']), undefined);
});

test('the line at which a diff may show a long line, of either text', () => {
  const longer = (before: string[], after: string[]): number | undefined =>
    firstChanged(before.join('\n'), after.join('\n'), (line) => line.length > 3);
  assert.equal(longer(['a', 'long', 'c'], ['a', 'lung', 'c']), 1);
  assert.equal(longer(['a', 'b', 'long'], ['a', 'b']), 1);
  assert.equal(longer(['long'], ['']), 0);
  assert.equal(longer(['a', 'long', 'c'], ['A', 'long', 'C']), 1);
  assert.equal(longer(['a', 'long', 'c'], ['A', 'long', 'c']), undefined);
  assert.equal(longer(['one', 'b'], ['two', 'b']), undefined);
  assert.equal(longer(['long'], ['long']), undefined);
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
