import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reapplied } from '../../src/review/reapply';

const base = 'a\nb\nc\nd\ne\nf\ng\nh\n';
const draft = 'a\nb\nc\nD\ne\nf\ng\nh\n';

test('onto the text that it was made of', () => {
  assert.equal(reapplied(base, draft, base), draft);
  assert.equal(reapplied('', 'new\n', ''), 'new\n');
});

test('beside what others have changed', () => {
  assert.equal(reapplied(base, draft, `first\n${base}`), `first\n${draft}`);
  assert.equal(reapplied(base, draft, base.replace('h\n', 'H\n')), draft.replace('h\n', 'H\n'));
});

test('once more changes nothing', () => {
  assert.equal(reapplied(base, draft, draft), draft);
});

test('not where others have changed the same lines or those beside them', () => {
  assert.equal(reapplied(base, draft, base.replace('d\n', 'x\n')), undefined);
  assert.equal(reapplied(base, draft, base.replace('e\n', 'x\n')), undefined);
});

test('not where its place is there twice', () => {
  assert.equal(reapplied(base, draft, base + base), undefined);
});

test('not where blank lines are all that tells its place', () => {
  assert.equal(reapplied('', 'new\n', 'of others\n'), undefined);
  assert.equal(reapplied('\n', 'new\n\n', 'a\n\nb'), undefined);
});
