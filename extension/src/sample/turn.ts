/**
 * The sample agent's turn: what it proposes, and how it goes on after each decision. It waits for what the user tries
 * next, but takes every decision: whatever was tried already is not asked for again. Doesn't use the vscode API.
 */
import type { Envelope, Review } from '../protocol/types';

/** What the user tries, in this order. */
export const LESSONS = ['accept', 'amend', 'reject', 'undo'] as const;
export type Lesson = (typeof LESSONS)[number];

/** A change that the agent proposes for a lesson, and what it proposes after a rejection, given the user's reason. */
export interface Change {
  readonly lesson: Lesson;
  /** It must be in the file once. */
  readonly before: string;
  readonly after: string;
  readonly why: string;
  readonly alternative: { readonly after: string; readonly why: (reason: string) => string };
}

/**
 * What became of a proposal. `gone`: the text to change is no longer there, or more than once; `lost`: the server stopped
 * before it answered.
 */
export type Result =
  | { readonly kind: 'accepted' | 'amended' | 'unreviewed' | 'conflict' | 'gone' | 'lost' }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'failed'; readonly text: string };

/** How the turn ends. `unreviewed`: a change landed without a review, so that there is nothing to try. */
export type End =
  | { readonly kind: 'complete'; readonly last: Result | undefined; readonly isUndone: boolean }
  | { readonly kind: 'unreviewed' | 'lost' }
  | { readonly kind: 'failed'; readonly text: string };

/** What the agent can do. */
export interface Actions {
  /** Read the file, as an agent must before it changes it. */
  read(): Promise<Envelope>;
  /** Resolves once the user has decided. */
  edit(change: { old_string: string; new_string: string; explanation: string }): Promise<Envelope>;
  /** Tell the user what became of the last proposal, and what to try. `alternative`: the agent proposes something else. */
  say(last: Result | undefined, now: Lesson | 'alternative'): void;
  /** Whether landed changes can be undone. */
  readonly canUndo: boolean;
  /** Whether an undo has landed already. */
  readonly isUndone: boolean;
  /** Resolves once the user has decided on an undo, to whether it landed. */
  undone(): Promise<boolean>;
}

/** After that many conflicts in a row somebody else is at work in the file. */
const MAX_CONFLICTS = 3;

const TRIED: Partial<Record<Result['kind'], Lesson>> = { accepted: 'accept', amended: 'amend', rejected: 'reject' };

/** Play the turn with `changes`, one for each lesson before the undo. */
export async function play(changes: readonly Change[], actions: Actions): Promise<End> {
  const tried = new Set<Lesson>();
  let last: Result | undefined;
  let hasLanded = false;

  const propose = async (change: Change, now: Lesson | 'alternative'): Promise<Result> => {
    const result = await proposeOnce(actions, change, now, last);
    const lesson = TRIED[result.kind];
    if (lesson !== undefined) {
      tried.add(lesson);
    }
    hasLanded ||= result.kind === 'accepted' || result.kind === 'amended';
    return result;
  };

  for (const change of changes) {
    if (tried.has(change.lesson)) {
      continue;
    }
    last = await propose(change, change.lesson);
    if (last.kind === 'rejected') {
      const { after, why } = change.alternative;
      last = await propose({ ...change, after, why: why(last.reason) }, 'alternative');
    }
    if (last.kind === 'failed') {
      return last;
    }
    if (last.kind === 'unreviewed' || last.kind === 'lost') {
      return { kind: last.kind };
    }
  }
  if (!hasLanded || !actions.canUndo || actions.isUndone) {
    return { kind: 'complete', last, isUndone: actions.isUndone };
  }
  actions.say(last, 'undo');
  return { kind: 'complete', last: undefined, isUndone: await actions.undone() };
}

/** Read, and propose the change; after a conflict once more, as agents do. */
async function proposeOnce(actions: Actions, change: Change, now: Lesson | 'alternative', last: Result | undefined): Promise<Result> {
  let before = last;
  for (let count = 1; ; count += 1) {
    const { data, error, text } = await actions.read();
    if (error !== undefined) {
      return { kind: 'failed', text };
    }
    if (String(data['content']).split(change.before).length !== 2) {
      return { kind: 'gone' };
    }
    actions.say(before, now);
    const result = resultOf(await actions.edit({ old_string: change.before, new_string: change.after, explanation: change.why }));
    if (result.kind !== 'conflict' || count === MAX_CONFLICTS) {
      return result;
    }
    before = result;
  }
}

/** What the answer to an edit says. */
export function resultOf({ data, error, context, text }: Envelope): Result {
  if (error === undefined) {
    const { by, decision } = (data['review'] ?? {}) as Partial<Review>;
    return { kind: by !== 'user' ? 'unreviewed' : decision === 'amended' ? 'amended' : 'accepted' };
  }
  if (context.landing === 'unknown') {
    return { kind: 'lost' };
  }
  switch (error.code) {
    case 'USER_REJECTED':
      return { kind: 'rejected', reason: context.review?.feedback ?? '' };
    case 'CONFLICT':
      return { kind: 'conflict' };
    default:
      return { kind: 'failed', text };
  }
}
