/**
 * A proposal and the progress of its review. Any module may read it; only `store.ts` changes it. Doesn't use the vscode
 * API.
 *
 * A review waits until the user decides. The server may end it at any time, and may refuse a decision; then the review
 * waits again.
 */
import type { Outcome, Proposal, Proposed, Settled } from '../protocol/types';

/** `decided`: ended after the user's decision, `ended`: without one. */
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
  /** What it is called, if the user asked for it by a command of ours. */
  readonly name?: string | undefined;
  /** Includes the texts; loaded on demand. */
  readonly proposal?: Proposal;
  readonly state: ReviewState;
  /** Files that have changed since the agent saw them, by path. Accepting them would be a conflict. */
  readonly stale: ReadonlyMap<string, Staleness>;
  /** The user's decisions on single files, by path. */
  readonly decided: ReadonlyMap<string, FileDecision>;
  /** The texts of the files that the user accepted one by one. What is typed later is not accepted. */
  readonly accepted: ReadonlyMap<string, string>;
  /** The texts that the user rejected, with `\n` line ends, by path. What is typed later is not rejected. */
  readonly rejected: ReadonlyMap<string, string>;
  /** Why the user rejected single files, by path; none that is empty. */
  readonly reasons: ReadonlyMap<string, string>;
  /** The texts that were on the screen, in an editor that the user focused, by path; none if some were not. */
  readonly seen: ReadonlyMap<string, string>;
  /** The user closed its tab without deciding: it waits, and doesn't open by itself again. */
  readonly setAside: boolean;
}

/** Whether the user has decided on the whole proposal, whatever the outcome. */
export function isDecided({ state }: Review): boolean {
  return state === 'deciding' || state === 'decided';
}

/**
 * Whether accepting could only be a conflict: all files that the user hasn't rejected have changed, or, if the agent
 * requires all files or none, one of them.
 */
export function isStale({ proposed: { files, atomic }, stale, decided }: Review): boolean {
  const asked = files.filter(({ path }) => decided.get(path) !== 'rejected');
  const isOld = ({ path }: { path: string }): boolean => stale.has(path);
  return asked.length > 0 && (atomic ? asked.some(isOld) : asked.every(isOld));
}

/** Whether rejecting one of several files rejects all. */
export function isAllOrNone({ proposed: { files, atomic } }: Review): boolean {
  return atomic && files.length > 1;
}

/** The outcome for one file of a proposal. */
export function outcomeOf({ outcome, files = [] }: Settled, wanted: string): Outcome {
  return files.find(({ path }) => path === wanted)?.outcome ?? outcome;
}
