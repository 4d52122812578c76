import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Proposal } from '../../src/protocol/types';
import type { Review } from '../../src/proposals/review';
import { acceptParams, acceptedTexts, leftAsBefore, rejectParams, wasSeen, withReasons, wordsOf } from '../../src/proposals/settleParams';

function file(path: string, more: Partial<Proposal['files'][number]> = {}): Proposal['files'][number] {
  return {
    uri: `file:///w/${path}`,
    path,
    operation: 'update',
    version: null,
    base_hash: null,
    lines_added: 1,
    lines_removed: 1,
    base_text: 'old\n',
    proposed_text: 'new\n',
    encoding: 'utf-8',
    eol: 'lf',
    warnings: [],
    ...more,
  };
}

function proposal(...files: Proposal['files']): Proposal {
  const told = { id: 'p', title: '', tool: 'batch' as const, session: 's', agent: '', explanation: '', atomic: false };
  return { ...told, state: 'shown', files };
}

const untouched = (): undefined => undefined;

test('what was not touched is accepted as it was proposed', () => {
  assert.deepEqual(acceptParams(proposal(file('a')), untouched, false), { id: 'p', decision: 'accepted' });
  assert.deepEqual(acceptParams(proposal(file('a')), () => 'new\n', true), {
    id: 'p',
    decision: 'accepted',
    always: true,
  });
});

test('the line ends of the editor are no amendment', () => {
  assert.deepEqual(acceptParams(proposal(file('a', { eol: 'crlf' })), () => 'new\r\n', false), {
    id: 'p',
    decision: 'accepted',
  });
});

test('what was typed goes along as the whole text, \\n line ends', () => {
  const sent = acceptParams(proposal(file('a'), file('b')), (path) => (path === 'b' ? 'mine\r\n' : 'new\n'), false);
  assert.deepEqual(sent.files, [{ uri: 'file:///w/b', decision: 'amended', text: 'mine\n' }]);
  assert.equal(sent.decision, 'accepted');
});

test('what is accepted is what was typed or proposed, and nothing of what was rejected', () => {
  const several = proposal(file('a'), file('b'), file('c'));
  const sent = acceptParams(several, (path) => (path === 'b' ? 'mine\r\n' : undefined), false, new Map([['c', 'rejected']]));
  assert.deepEqual(acceptedTexts(several, sent), new Map([['a', 'new\n'], ['b', 'mine\n']]));
  assert.deepEqual(acceptedTexts(several, rejectParams('p', '')), new Map());
});

test('a review was seen if the texts that would land were, whatever becomes of what was rejected', () => {
  const several = proposal(file('a'), file('b'));
  const seen = new Map([['a', 'mine\n'], ['b', 'new\n']]);
  const review: Review = {
    proposed: several,
    proposal: several,
    state: 'waiting',
    stale: new Map(),
    decided: new Map(),
    accepted: new Map(),
    rejected: new Map(),
    reasons: new Map(),
    seen,
    setAside: false,
  };
  assert.ok(wasSeen(review, (path) => (path === 'a' ? 'mine\r\n' : undefined)));
  assert.ok(!wasSeen(review, untouched));
  assert.ok(wasSeen({ ...review, decided: new Map([['a', 'rejected']]) }, untouched));
  assert.ok(!wasSeen({ ...review, seen: new Map() }, untouched));
});

test('a file that is to be deleted has no text to amend', () => {
  const gone = file('a', { operation: 'delete', proposed_text: '' });
  const sent = acceptParams(proposal(gone), () => 'typed', false);
  assert.equal(sent.files, undefined);
  assert.deepEqual(acceptedTexts(proposal(gone), sent), new Map([['a', '']]));
});

test('a reason reaches the agent, blanks are none', () => {
  assert.deepEqual(rejectParams('p', ' too long '), { id: 'p', decision: 'rejected', feedback: 'too long' });
  assert.deepEqual(rejectParams('p', '  '), { id: 'p', decision: 'rejected' });
  assert.equal(rejectParams('p', 'x'.repeat(10_001)).feedback?.length, 10_000, 'the server takes no more, and would decide nothing');
});

test('an acceptance keeps what was rejected before; a file of it can be amended', () => {
  const both = proposal(file('a'), file('b'), file('c'));
  const decided = new Map([
    ['a', 'accepted'],
    ['b', 'rejected'],
  ] as const);
  assert.deepEqual(acceptParams(both, (path) => (path === 'c' ? 'mine\n' : 'new\n'), false, decided), {
    id: 'p',
    decision: 'accepted',
    files: [
      { uri: 'file:///w/b', decision: 'rejected' },
      { uri: 'file:///w/c', decision: 'amended', text: 'mine\n' },
    ],
  });
});

test('the reasons to reject single files reach the agent, each with its file', () => {
  const both = proposal(file('a'), file('b'));
  const amended = (path: string): string | undefined => (path === 'a' ? 'mine\n' : undefined);
  const accepted = acceptParams(both, amended, false, new Map([['b', 'rejected']]));
  assert.equal(withReasons(accepted, both, new Map()), accepted);
  const told = withReasons(accepted, both, new Map([['b', 'Too long.']]));
  assert.deepEqual(told, {
    id: 'p',
    decision: 'accepted',
    files: [
      { uri: 'file:///w/a', decision: 'amended', text: 'mine\n' },
      { uri: 'file:///w/b', decision: 'rejected', feedback: 'Too long.' },
    ],
  });
  assert.equal(wordsOf(told), 'Too long.');
  const rejected = withReasons(rejectParams('p', 'All.'), both, new Map([['a', 'No.']]));
  assert.deepEqual([rejected.feedback, rejected.files], ['All.', [{ uri: 'file:///w/a', decision: 'rejected', feedback: 'No.' }]]);
  assert.equal(wordsOf(rejected), 'All. No.');
  assert.equal(withReasons(accepted, both, new Map([['b', 'x'.repeat(10_001)]])).files?.[1]?.feedback?.length, 10_000);
});

test('with every file rejected it is a rejection, and allows nothing for later', () => {
  const decided = new Map([['a', 'rejected']] as const);
  const sent = acceptParams(proposal(file('a')), untouched, true, decided);
  assert.deepEqual([sent.decision, sent.always], ['rejected', undefined]);
});

test('a file is left as before by the text that it had, whatever its line ends and byte-order mark', () => {
  const several = proposal(file('a'), file('b', { base_text: '\ufeffold\n' }), file('c'));
  const left = (...texts: (string | undefined)[]): string[] => {
    const shown = (path: string): string | undefined => texts['abc'.indexOf(path)];
    return leftAsBefore(several, acceptParams(several, shown, false)).map(({ path }) => path);
  };
  assert.deepEqual(left(), []);
  assert.deepEqual(left('old\r\n', 'old\n', 'older\n'), ['a', 'b']);
  assert.deepEqual(left('new\n', 'mine\n', '\ufeffold\n'), ['c']);
});

test('a new file without text is no file that is left as before, nor is one to be deleted', () => {
  const two = proposal(file('a', { operation: 'create', base_text: '' }), file('b', { operation: 'delete', proposed_text: '' }));
  assert.deepEqual(leftAsBefore(two, acceptParams(two, () => '', false)), []);
});

test('what was rejected before is not left as before', () => {
  const one = proposal(file('a'), file('b'));
  assert.deepEqual(leftAsBefore(one, acceptParams(one, () => undefined, false, new Map([['a', 'rejected']]))), []);
});
