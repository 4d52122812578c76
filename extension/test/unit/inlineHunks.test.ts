import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AcceptedHunks } from '../../src/review/hunks';
import { inlineHunks, obstacleTo, type InlineHunk } from '../../src/review/inlineHunks';

const BASE = 'a\nb\nc\nd\n';

const placed = (base: string, now: string): InlineHunk[] => inlineHunks(base, new AcceptedHunks().of('f', base, now));
const obstacle = (base: string, now: string): string | undefined => obstacleTo(base, placed(base, now));
const places = (now: string): unknown[] => placed(BASE, now).map(({ line, lines, marked, after, shown }) => [line, lines, marked, after, shown]);

test('new lines are below what they replace, or below the line after which they are inserted', () => {
  assert.deepEqual(places('a\nB\nC\nd\n'), [[1, 2, 2, 2, ['B', 'C']]]);
  assert.deepEqual(places('a\nnew\nb\nc\nd\n'), [[0, 1, 0, 0, ['new']]]);
  assert.deepEqual(places('a\nd\n'), [[1, 2, 2, 2, []]]);
  assert.deepEqual(places('a\nb\nc\nd\nnew\n'), [[3, 1, 0, 3, ['new']]]);
});

test('what is inserted above the first line replaces it by itself and others', () => {
  assert.deepEqual(places('new\na\nb\nc\nd\n'), [[0, 1, 1, 0, ['new', 'a']]]);
  assert.deepEqual(placed(BASE, 'new\na\nb\nc\nd\n').map(({ removed, added }) => [removed, added]), [[[], ['new']]], 'it still counts as inserted');
});

test('long removed lines are repeated in the comment', () => {
  const long = 'x'.repeat(41);
  assert.deepEqual(placed(`a\n${long}\nb\nc\n`, 'a\nc\n').map(({ repeated }) => repeated), [[long]]);
});

test('an ordinary change has no obstacle', () => {
  for (const now of ['a\nB\nc\nd\n', 'new\na\nb\nc\nd\n', 'a\nb\nc\nd\nnew\n', 'a\n\tb\nc\nd\n', 'a\n    b = "ö 😀"\nc\nd\n', 'b\nc\nd\n']) {
    assert.equal(obstacle(BASE, now), undefined, JSON.stringify(now));
  }
});

test('a hunk of which the editor does not tell whether it is in view is left to the diff', () => {
  for (const [base, now] of [['a', 'b'], ['a\nb', 'a\nc'], ['a\nb', 'a\nb\n'], ['', 'new\n'], [BASE, 'new\na\nother\nb\nc\nd\n']] as const) {
    assert.equal(obstacle(base, now), 'end', JSON.stringify([base, now]));
  }
});

test('what does not fit into an editor is left to the diff', () => {
  const lines = (count: number, text = 'x'): string => `${text}\n`.repeat(count);
  assert.equal(obstacle(BASE, BASE.replace('b\n', lines(29))), undefined);
  assert.equal(obstacle(BASE, BASE.replace('b\n', lines(30))), 'large');
  assert.equal(obstacle(`a\n${lines(31)}b\n`, 'a\nb\n'), 'large');
  assert.equal(obstacle(BASE, BASE.replace('b', 'x'.repeat(10_000))), 'large', 'longer Markdown would be cut');
  const [base, now] = ['a', 'b'].map((text) => Array.from({ length: 51 }, (_, at) => `${text}\nsame ${at}\n`).join(''));
  assert.equal(obstacle(base ?? '', now ?? ''), 'large');
});

test('characters that are not to be seen are left to the diff, on either side', () => {
  for (const character of ['\u200b', '\u202e', '\u00a0', '\u00ad', '\ufeff', '\0', '\u001b', '\u0085', '\u2028', '\ud800', '\u{e0041}', '\f', '\u0336'.repeat(3)]) {
    const line = `b${character}c`;
    assert.equal(obstacle(BASE, BASE.replace('b', line)), 'characters', JSON.stringify(character));
    assert.equal(obstacle(BASE.replace('b', line), BASE), 'characters', JSON.stringify(character));
    assert.equal(obstacle(`${line}\n${BASE}`, `${line}\n${BASE.replace('c', 'x')}`), undefined, 'in lines that do not change');
  }
});

test('blanks that look alike are left to the diff', () => {
  for (const [old, now] of [['b', 'b '], ['b\t', 'x'], ['    b', '\tb'], ['a\tb', 'a b']] as const) {
    assert.equal(obstacle(`a\n${old}\nc\n`, `a\n${now}\nc\n`), 'blanks', JSON.stringify([old, now]));
  }
  assert.equal(obstacle('a\n    b\nc\n', 'a\n        b\nc\n'), undefined, 'another indent is to be seen');
  assert.equal(obstacle('a\n\tb\nc\n', 'a\n\tx\nc\n'), undefined);
});
