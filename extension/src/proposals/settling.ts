/** Sends the user's decisions to the server, and tells what became of them. `decisions.ts` takes the decisions. */
import * as vscode from 'vscode';
import type { Server } from '../server/client';
import type { Decision, Outcome, SavedFile, Settled, SettleParams } from '../protocol/types';
import { isDecided, outcomeOf, type Review } from './review';
import type { ProposalStore } from './store';
import { acceptedTexts, withReasons, wordsOf } from './settleParams';
import { caughtUp } from '../util/caughtUp';
import { notify } from '../util/window';
import { applyDecision, landedTexts } from './applyDecision';
import type { DiffEditors } from '../review/diffEditor';
import { isUnsavedElsewhere } from '../review/tabs';
import {
  notifyEnd,
  notifyLost,
  notifyNotLanded,
  notifyRefusal,
  notifyTooLate,
  notifyUndecided,
  notifyUnsaved,
  showNothingLeft,
} from './notifications';
import { notifyNotSaved } from './saveOffers';

/**
 * A review that has ended. `texts`: what landed, `accepted`: what the user accepted, both by path. `rejection`: if the user
 * rejected all of it, the reason, which may be empty.
 */
export interface Ended extends Settled {
  review: Review;
  texts: ReadonlyMap<string, string>;
  accepted: ReadonlyMap<string, string>;
  rejection?: string;
}

/** What is remembered of a decision until its outcome is known. */
interface Landing {
  decision: Decision;
  /** The server has taken it: it is this decision, and not another reviewer's, that the outcome is about. */
  isTaken: boolean;
  /** What the agent is told with a rejection. */
  feedback: string;
  /** The accepted texts, by path. */
  texts: ReadonlyMap<string, string>;
  /** Documents that could not be saved. */
  notSaved: readonly SavedFile[];
}

export class Settling {
  private readonly begun = new vscode.EventEmitter<Review>();
  /** A decision about this review is being sent. */
  readonly onDidBegin = this.begun.event;
  private readonly ended = new vscode.EventEmitter<Ended>();
  readonly onDidEnd = this.ended.event;
  private readonly landings = new Map<string, Landing>();
  /** When the last decision was sent. */
  decidedAt = -Infinity;

  constructor(
    private readonly server: Server,
    private readonly proposals: ProposalStore,
    private readonly editors: DiffEditors,
    /** Shows how others have changed a review's files. */
    private readonly showStale: (review: Review) => Promise<void>,
  ) {}

  /** Lock the review, and send a decision once, after `earlier` ones. With `onwards`, the next review replaces this one. */
  async settle(review: Review, decided: SettleParams, onwards = true, earlier = Promise.resolve()): Promise<void> {
    const decision = review.proposal === undefined ? decided : withReasons(decided, review.proposal, review.reasons);
    if (!this.begin(review, decision)) {
      return earlier;
    }
    this.decidedAt = performance.now();
    this.begun.fire(review);
    const texts = review.proposal === undefined ? new Map<string, string>() : acceptedTexts(review.proposal, decision);
    this.landings.set(review.proposed.id, { decision: decision.decision, isTaken: false, feedback: wordsOf(decision), texts, notSaved: [] });
    const locked = this.editors.lock(review).catch((error: unknown) => this.server.channel.warn(String(error)));
    await caughtUp();
    void this.editors.leave(review, onwards);
    await earlier;
    try {
      const refusal = await applyDecision(this.server, decision, {
        taken: () => this.note(decision, { isTaken: true }),
        notSaved: (files) => this.note(decision, { notSaved: files }),
      });
      // Without a refusal the server reports the outcome later, however long the landing takes.
      if (refusal !== undefined) {
        if (refusal.code === 'INVALID_PARAM') {
          await locked; // otherwise the document would become read-only again
          void this.undecided(review, refusal.reason);
          return;
        }
        if (refusal.code === 'SETTLED') {
          void notify('information', refusal.reason); // what became of it, the server reports
          return;
        }
        notifyRefusal(review, refusal, this.showStale);
        this.over({ id: decision.id, outcome: REFUSED[refusal.code] ?? 'failed' });
      }
    } catch (error) {
      // The server is gone, and the proposal with it.
      this.server.channel.error(error instanceof Error ? error : String(error));
      notifyLost(review, decision.decision);
      this.over({ id: decision.id, outcome: 'failed' });
    }
  }

  /** The server reports that a proposal has ended, for whatever reason. */
  over(settled: Settled): void {
    const { id, outcome } = settled;
    const review = this.proposals.end(id);
    if (review === undefined) {
      return;
    }
    const landing = this.landingOf(settled);
    const accepted = landing?.texts ?? new Map<string, string>();
    const pathsOf = (...outcomes: Outcome[]): string[] =>
      [...accepted.keys()].filter((path) => outcomes.includes(outcomeOf(settled, path)));
    const texts = landedTexts(review, accepted, pathsOf('landed', 'editor'));
    if (texts.size > 0) {
      notifyNotSaved(review, pathsOf('editor'), landing?.notSaved ?? []);
      notifyNotLanded(review, pathsOf('conflict'), pathsOf('failed', 'withdrawn'), this.showStale);
    } else if (!isDecided(review)) {
      notifyEnd(review, settled, this.showStale);
    } else if (outcome === 'rejected' && landing !== undefined && landing.decision !== 'rejected') {
      showNothingLeft(review);
    }
    this.ended.fire({ ...settled, ...rejectionOf(outcome, landing), review, texts, accepted });
  }

  /** What there is to remember of the decision that led to this outcome, for the last time; none of another reviewer's. */
  private landingOf({ id, outcome }: Settled): Landing | undefined {
    const landing = this.landings.get(id);
    this.landings.delete(id);
    return landing?.isTaken === false && DECIDED.has(outcome) ? undefined : landing;
  }

  private note({ id }: SettleParams, more: Partial<Landing>): void {
    const landing = this.landings.get(id);
    if (landing !== undefined) {
      Object.assign(landing, more);
    }
  }

  /** Note that a decision is sent. False if none can be, which the user is told. */
  private begin(review: Review, { decision }: SettleParams): boolean {
    if (decision !== 'rejected' && review.state === 'waiting' && this.isUnsavedElsewhere(review)) {
      return false;
    }
    if (decision === 'rejected' && review.state !== 'waiting') {
      notifyTooLate(review);
    }
    return this.proposals.decide(review);
  }

  /** Whether accepting would change a file whose notebook has unsaved changes. Tells the user if so. */
  private isUnsavedElsewhere({ proposed, decided }: Review): boolean {
    const unsaved = proposed.files.find(
      ({ path, uri }) => decided.get(path) !== 'rejected' && isUnsavedElsewhere(vscode.Uri.parse(uri)),
    );
    if (unsaved !== undefined) {
      notifyUnsaved(unsaved.path);
    }
    return unsaved !== undefined;
  }

  /** What the user typed can't be written: nothing was decided, and the proposal stays open with that text. */
  private async undecided(review: Review, reason: string): Promise<void> {
    this.landings.delete(review.proposed.id);
    this.proposals.refuse(review);
    this.editors.unlock(review);
    if (await notifyUndecided(review, reason)) {
      await this.editors.show(review);
    }
  }
}

/** What the user's decision to reject all of it adds to what is reported. */
function rejectionOf(outcome: Outcome, landing: Landing | undefined): Pick<Ended, 'rejection'> {
  return outcome === 'rejected' && landing?.decision === 'rejected' ? { rejection: landing.feedback } : {};
}

/** The outcomes of what a reviewer has decided. */
const DECIDED: ReadonlySet<Outcome> = new Set(['landed', 'editor', 'rejected']);

const REFUSED: Readonly<Record<string, Outcome>> = {
  CONFLICT: 'conflict',
  WITHDRAWN: 'withdrawn',
  TIMEOUT: 'timed_out',
};
