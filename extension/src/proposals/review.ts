/**
 * A proposal and how far its review has come. Everyone may read it; only `store.ts` changes it. Free of the vscode API.
 *
 * A review waits until the user decides. The server may end it at any moment, and may refuse a decision: the review
 * then waits again.
 */
import type { Outcome, Proposal, Proposed, Settled } from '../protocol/types';

/** `decided`: it ended after the user's decision, `ended`: without one. */
export type ReviewState = 'waiting' | 'deciding' | 'decided' | 'ended';
export type ReviewEvent = 'decide' | 'refuse' | 'end';

const TRANSITIONS: Readonly<Record<ReviewState, Partial<Record<ReviewEvent, ReviewState>>>> = {
  waiting: { decide: 'deciding', end: 'ended' },
  deciding: { refuse: 'waiting', end: 'decided' },
  decided: {},
  ended: {},
};

/** The state after `event`; undefined if the event cannot happen in this state. */
export function next(state: ReviewState, event: ReviewEvent): ReviewState | undefined {
  return TRANSITIONS[state][event];
}

/** Why a file under review is no longer what the agent saw. */
export type Staleness = { kind: 'editor' | 'disk' | 'gone' } | { kind: 'renamed'; to: string };

export type FileDecision = 'accepted' | 'rejected';

export interface Review {
  readonly proposed: Proposed;
  /** With the texts, once they were asked for. */
  readonly proposal?: Proposal;
  readonly state: ReviewState;
  /** Files that are no longer what the agent saw, by path: accepting would be a conflict. */
  readonly stale: ReadonlyMap<string, Staleness>;
  /** Of several files those that the user has decided about, by path. */
  readonly decided: ReadonlyMap<string, FileDecision>;
  /** The texts of files when the user rejected them, `\n` line ends, by path: what is typed later is not rejected. */
  readonly rejected: ReadonlyMap<string, string>;
  /** All of it was on the screen, in an editor that the user went into. */
  readonly seen: boolean;
  /** The user closed its tab without deciding: it waits, and is not opened again by itself. */
  readonly setAside: boolean;
}

/** Whether the user has decided about the whole proposal, whatever became of that. */
export function isDecided({ state }: Review): boolean {
  return state === 'deciding' || state === 'decided';
}

/** What became of one of the files of a proposal. */
export function outcomeOf({ outcome, files = [] }: Settled, wanted: string): Outcome {
  return files.find(({ path }) => path === wanted)?.outcome ?? outcome;
}
