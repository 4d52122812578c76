import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AcceptedHunks, hunkAt, revert } from '../../src/review/hunks';

const BASE = 'a\nb\nc\nd\ne\n';
const NOW = 'a\nB\nc\ne\nf\n';

const applied = (now: string, { from, to, text }: ReturnType<typeof revert>): string => now.slice(0, from) + text + now.slice(to);

test('each hunk of a text can be reverted alone, and all of them together give the base', () => {
  const hunks = new AcceptedHunks();
  assert.deepEqual(hunks.of('f', BASE, NOW).map(({ line, removed, added }) => [line, removed, added]), [[1, ['b'], ['B']], [3, ['d'], []], [4, [], ['f']]]);
  const alone = hunks.of('f', BASE, NOW).map((hunk) => applied(NOW, revert(NOW, hunk)));
  assert.deepEqual(alone, ['a\nb\nc\ne\nf\n', 'a\nB\nc\nd\ne\nf\n', 'a\nB\nc\ne\n']);
  let now = NOW;
  for (let [first] = hunks.of('f', BASE, now); first !== undefined; [first] = hunks.of('f', BASE, now)) {
    now = applied(now, revert(now, first));
  }
  assert.equal(now, BASE);
});

test('the same texts are compared once, and what is accepted meanwhile counts', () => {
  const hunks = new AcceptedHunks();
  const [first] = hunks.of('f', BASE, NOW);
  assert.ok(first);
  hunks.accept('f', first);
  const [again] = hunks.of('f', BASE, NOW);
  assert.equal(again?.added, first.added, 'the very same');
  assert.deepEqual([first.isAccepted, again?.isAccepted], [false, true]);
  assert.deepEqual(hunks.of('f', BASE, BASE), []);
  assert.equal(hunks.of('f', '', NOW).length, 1);
});

test('texts without a last line end, empty ones, and repeated characters are reverted, too', () => {
  for (const [base, now] of [['a', 'a\nb'], ['', 'new\n'], ['old\n', ''], ['aa\na\n', 'a\na\n'], ['x\n', 'x']] as const) {
    const all = new AcceptedHunks().of('f', base, now);
    assert.equal(all.reduceRight((text, hunk) => applied(text, revert(text, hunk)), now as string), base);
  }
});

test('no character is cut in two', () => {
  for (const [base, now] of [['a😀b\n', 'a😁b\n'], ['a\u{1f600}b', 'a\u{1f900}b'], ['😀\n', '\n'], ['x', 'x\u{1fa00}']] as const) {
    const [hunk] = new AcceptedHunks().of('f', base, now);
    assert.ok(hunk);
    const replacement = revert(now, hunk);
    assert.equal(applied(now, replacement), base);
    for (const part of [now.slice(0, replacement.from), replacement.text, now.slice(replacement.to)]) {
      assert.doesNotMatch(part, /\p{Cs}/u, JSON.stringify([base, now]));
    }
  }
});

test('a hunk stays accepted when another one is reverted, and is open again when it is typed in', () => {
  const hunks = new AcceptedHunks();
  const [, , last] = hunks.of('f', BASE, NOW);
  assert.ok(last);
  hunks.accept('f', last);
  const isAccepted = (now: string): boolean[] => hunks.of('f', BASE, now).map((hunk) => hunk.isAccepted);
  assert.deepEqual(isAccepted(NOW), [false, false, true]);
  assert.deepEqual(isAccepted('a\nb\nc\ne\nf\n'), [false, true]);
  assert.deepEqual(isAccepted('a\nb\nc\ne\nf typed\n'), [false, false]);
  hunks.forget('f');
  assert.deepEqual(isAccepted(NOW), [false, false, false]);
});

test('a key decides on the hunk at the cursor, else on the next open one', () => {
  const hunks = new AcceptedHunks();
  const all = hunks.of('f', BASE, NOW);
  assert.deepEqual([0, 1, 2, 3, 4, 5].map((line) => hunkAt(all, line)?.line), [1, 1, 3, 3, 4, 1]);
  assert.equal(hunkAt([], 0), undefined);
});
