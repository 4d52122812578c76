import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Envelope } from '../../src/protocol/types';
import { play, resultOf, type Change, type End, type Result } from '../../src/sample/turn';

const FILE = 'one\ntwo\nthree\n';

const CHANGES: readonly Change[] = (['accept', 'amend', 'reject'] as const).map((lesson, index) => {
  const before = ['one', 'two', 'three'][index] as string;
  const otherwise = (reason: string): string => `because: ${reason}`;
  return { lesson, before, after: before.toUpperCase(), why: lesson, alternative: { after: `${before}!`, why: otherwise } };
});

const answer = (more: Partial<Envelope>): Envelope => ({
  status: 'success', data: {}, text: '', stats: {}, context: { cwd: '.', params_input: null }, ...more,
});
const landed = (decision: string, by = 'user'): Envelope => answer({ data: { review: { decision, by } } });
const failed = (code: string, context: object = {}): Envelope =>
  answer({ status: 'error', text: code, error: { code, message: code }, context: { cwd: '.', params_input: null, ...context } });
const rejected = (feedback?: string): Envelope => failed('USER_REJECTED', { review: feedback === undefined ? {} : { feedback } });

const ACCEPTED = landed('accepted');
const AMENDED = landed('amended');

interface Played {
  end: End;
  /** What the user was asked to try. */
  asked: string[];
  /** What became of the proposals, as the user was told. */
  heard: (Result['kind'] | undefined)[];
  /** What was proposed, and why. */
  proposed: string[];
}

/** Play the turn with these answers to its edits, one after the other. */
async function played(answers: Envelope[], how: { text?: string; canUndo?: boolean; isUndone?: boolean; unreadable?: boolean } = {}): Promise<Played> {
  const { text = FILE, canUndo = true, isUndone = false, unreadable = false } = how;
  const found: Omit<Played, 'end'> = { asked: [], heard: [], proposed: [] };
  const end = await play(CHANGES, {
    read: () => Promise.resolve(unreadable ? failed('NOT_FOUND') : answer({ data: { content: text } })),
    edit: ({ new_string: now, explanation }) => {
      found.proposed.push(`${now}, ${explanation}`);
      const next = answers.shift();
      return next === undefined ? Promise.reject(new Error('not expected')) : Promise.resolve(next);
    },
    say: (last, now) => {
      found.asked.push(now);
      found.heard.push(last?.kind);
    },
    canUndo,
    isUndone,
    undone: () => Promise.resolve(true),
  });
  assert.deepEqual(answers, [], 'all were asked for');
  return { end, ...found };
}

test('the turn that it asks for', async () => {
  const { end, asked, heard, proposed } = await played([ACCEPTED, AMENDED, rejected('No.'), ACCEPTED]);
  assert.deepEqual(asked, ['accept', 'amend', 'reject', 'alternative', 'undo']);
  assert.deepEqual(heard, [undefined, 'accepted', 'amended', 'rejected', 'accepted']);
  assert.deepEqual(proposed, ['ONE, accept', 'TWO, amend', 'THREE, reject', 'three!, because: No.']);
  assert.deepEqual(end, { kind: 'complete', last: undefined, isUndone: true });
});

test('what the user has tried already is not asked for again', async () => {
  const { asked, proposed } = await played([rejected('No.'), AMENDED]);
  assert.deepEqual(asked, ['accept', 'alternative', 'undo']);
  assert.deepEqual(proposed, ['ONE, accept', 'one!, because: No.']);
});

test('a user who accepts everything is asked for each thing once', async () => {
  const { asked } = await played([ACCEPTED, ACCEPTED, ACCEPTED]);
  assert.deepEqual(asked, ['accept', 'amend', 'reject', 'undo']);
});

test('after a rejection it proposes something else once, without a reason, too', async () => {
  const { end, asked, proposed } = await played([rejected(), rejected(), rejected(), rejected()]);
  assert.deepEqual(asked, ['accept', 'alternative', 'amend', 'alternative']);
  assert.equal(proposed[1], 'one!, because: ');
  assert.deepEqual(end, { kind: 'complete', last: { kind: 'rejected', reason: '' }, isUndone: false }, 'nothing to undo');
});

test('there is no undo without a history, or where one was done before', async () => {
  for (const how of [{ canUndo: false }, { isUndone: true }]) {
    const { end, asked } = await played([ACCEPTED, ACCEPTED, ACCEPTED], how);
    assert.deepEqual(asked, ['accept', 'amend', 'reject']);
    assert.deepEqual(end, { kind: 'complete', last: { kind: 'accepted' }, isUndone: how.isUndone ?? false });
  }
});

test('after a conflict it reads and proposes again, and goes on after three', async () => {
  const conflict = failed('CONFLICT');
  const { asked, heard } = await played([conflict, ACCEPTED, conflict, conflict, conflict, ACCEPTED]);
  assert.deepEqual(asked, ['accept', 'accept', 'amend', 'amend', 'amend', 'reject', 'undo']);
  assert.deepEqual(heard.slice(0, 3), [undefined, 'conflict', 'accepted']);
});

test('it leaves out what is no longer in the file, or not once', async () => {
  const { end, asked } = await played([ACCEPTED], { text: 'two\ntwo\nthree\n' });
  assert.deepEqual(asked, ['reject', 'undo']);
  assert.equal(end.kind, 'complete');
});

test('it ends where nothing is reviewed, or its file is gone', async () => {
  assert.deepEqual((await played([landed('allowed', 'rule')])).end, { kind: 'unreviewed' });
  assert.deepEqual((await played([ACCEPTED, failed('TIMEOUT')])).end, { kind: 'failed', text: 'TIMEOUT' });
  assert.deepEqual((await played([failed('EXECUTION_ERROR', { landing: 'unknown' })])).end, { kind: 'lost' });
  assert.deepEqual((await played([], { unreadable: true })).end, { kind: 'failed', text: 'NOT_FOUND' });
});

test('an answer says what became of the proposal', () => {
  assert.deepEqual(resultOf(rejected('No.')), { kind: 'rejected', reason: 'No.' });
  assert.deepEqual(resultOf(answer({ data: { unchanged: true } })), { kind: 'unreviewed' });
});
