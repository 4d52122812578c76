/**
 * Accept and Reject for the active review, and for all reviews after a confirmation. `applyDecision.ts` carries
 * decisions out; `notifications.ts` reports on them.
 */
import * as vscode from 'vscode';
import type { Server } from '../server/client';
import type { Outcome, Proposal, SavedFile, Settled, SettleParams } from '../protocol/types';
import { isDecided, outcomeOf, type FileDecision, type Review } from './review';
import type { ProposalStore } from './store';
import { normalize } from '../util/text';
import { acceptParams, acceptedTexts, rejectParams, type ShownText } from './settleParams';
import type { ReviewFileSystem } from '../review/fileSystem';
import { chosenOf, noteSeen } from './acceptAll';
import { caughtUp } from '../review/closeTabs';
import { mayAsk, userWaits } from '../review/userWaits';
import { applyDecision, landedTexts, type NotSaved } from './applyDecision';
import { isOnScreen, textsOf } from '../review/visibility';
import type { PlainView } from '../review/plainView';
import type { DiffEditors } from '../review/diffEditor';
import type { By, ReviewFocus } from '../review/focus';
import { isUnsavedElsewhere, partOf } from '../review/tabs';
import {
  askReason,
  nameOf,
  notifyEnd,
  notifyLost,
  notifyNothingOpen,
  notifyNotLanded,
  notifyNotSaved,
  notifyRefusal,
  notifyTooLate,
  notifyUndecided,
  notifyUnsaved,
} from './notifications';

/** A review that has ended. `texts`: what landed, `accepted`: what the user accepted, both by path. */
export interface Ended extends Settled {
  review: Review;
  texts: ReadonlyMap<string, string>;
  accepted: ReadonlyMap<string, string>;
}

/** What is remembered of an acceptance until its outcome is known. */
interface Landing {
  /** The accepted texts, by path. */
  texts: ReadonlyMap<string, string>;
  /** Documents that could not be saved. */
  notSaved: SavedFile[];
}

export class Decisions {
  private readonly ended = new vscode.EventEmitter<Ended>();
  readonly onDidEnd = this.ended.event;
  private readonly landings = new Map<string, Landing>();
  private decidedAt = -Infinity;

  constructor(
    private readonly server: Server,
    private readonly proposals: ProposalStore,
    private readonly editors: DiffEditors,
    private readonly focus: ReviewFocus,
    private readonly files: ReviewFileSystem,
    private readonly plain: PlainView,
    /** Shows how others have changed a review's files. */
    private readonly showStale: (review: Review) => Promise<void>,
  ) {}

  /**
   * Accept the active review except for files that were rejected before; with `always`, the session's later changes,
   * too.
   */
  async accept(always: boolean, by: By): Promise<void> {
    const { current: review, currentPart } = this.editors;
    if (review?.proposal === undefined || (always && currentPart !== undefined)) {
      this.showNothingActive();
      return;
    }
    if (by === 'key' && this.focus.isOutside()) {
      return;
    }
    if (currentPart !== undefined) {
      await this.decideFile('accepted', currentPart);
      return;
    }
    const files = review.proposal.files.filter(({ path }) => review.decided.get(path) !== 'rejected');
    const shown = textsOf(this.files, review);
    if (this.focus.isTooEarly() || !(await this.isOnScreen(review, files, shown))) {
      return;
    }
    await this.settle(review, acceptParams(review.proposal, shown, always, review.decided));
  }

  /** Reject `chosen`, or else the active review. */
  async reject(by: By, chosen?: Review): Promise<void> {
    const { current, currentPart } = this.editors;
    const review = chosen ?? current;
    if (review === undefined) {
      this.showNothingActive();
      return;
    }
    if (by === 'key' && this.focus.isOutside()) {
      return;
    }
    if (chosen === undefined && currentPart !== undefined) {
      await this.decideFile('rejected', currentPart);
      return;
    }
    await this.rejectWhole(review);
  }

  /**
   * Decide on one of several files; the last such decision decides the proposal. If the agent requires all files or
   * none, rejecting one rejects all, and the user is asked about all of them.
   */
  async decideFile(decision: FileDecision, uri?: vscode.Uri): Promise<void> {
    const review = this.editors.current;
    const part = review && partOf(review, uri);
    if (review?.proposal === undefined || part === undefined) {
      this.showNothingActive();
      return;
    }
    if (this.focus.isTooEarly()) {
      return;
    }
    if (decision === 'rejected' && review.proposed.atomic) {
      await this.rejectWhole(review);
      return;
    }
    const shown = textsOf(this.files, review);
    if (decision === 'accepted' && !(await this.isOnScreen(review, [part], shown))) {
      return;
    }
    this.proposals.decideFile(review, part.path, decision, normalize(shown(part.path) ?? part.proposed_text));
    if (review.proposal.files.every(({ path }) => review.decided.has(path))) {
      await this.settle(review, acceptParams(review.proposal, (path) => review.accepted.get(path), false, review.decided));
    }
  }

  /** Accept all waiting reviews, after asking about those not yet seen. `fetch` loads their texts. */
  async acceptAll(fetch: (review: Review) => Promise<boolean>): Promise<void> {
    const isWaiting = userWaits();
    const { current } = this.editors;
    if (current !== undefined && this.focus.shown === current) {
      await noteSeen(this.proposals, current, this.files, this.plain);
    }
    const waiting = (await mayAsk(vscode.l10n.t('Accept All'), isWaiting)) ? this.proposals.undecided : [];
    // Keys that reach a review once the question is answered came after the decision.
    const shown = new Map(waiting.map((review) => [review, textsOf(this.files, review)]));
    let settled = Promise.resolve();
    for (const review of await chosenOf(waiting, (first) => this.editors.show(first))) {
      if (this.proposals.get(review.proposed.id) && (await fetch(review)) && review.proposal) {
        const decision = acceptParams(review.proposal, (path) => shown.get(review)?.(path), false, review.decided);
        settled = this.settle(review, decision, false, settled);
      }
    }
    await settled;
  }

  async rejectAll(): Promise<void> {
    const waiting = this.proposals.undecided;
    if (waiting.length === 0) {
      return;
    }
    waiting.forEach((review) => this.noteRejected(review));
    const feedback = await askReason(vscode.l10n.t('Reject all pending changes ({0})', waiting.length));
    if (feedback === undefined) {
      return;
    }
    await Promise.all(waiting.map((review) => this.settle(review, rejectParams(review.proposed.id, feedback), false)));
  }

  /** The server reports that a proposal has ended, for whatever reason. */
  over(settled: Settled): void {
    const { id, outcome } = settled;
    const review = this.proposals.end(id);
    if (review === undefined) {
      return;
    }
    const landing = this.landings.get(id);
    const accepted = landing?.texts ?? new Map<string, string>();
    const pathsOf = (...outcomes: Outcome[]): string[] =>
      [...accepted.keys()].filter((path) => outcomes.includes(outcomeOf(settled, path)));
    const texts = landedTexts(review, accepted, pathsOf('landed', 'editor'));
    this.landings.delete(id);
    if (texts.size > 0) {
      notifyNotSaved(review, pathsOf('editor'), landing?.notSaved ?? []);
      notifyNotLanded(review, pathsOf('conflict'), pathsOf('failed', 'withdrawn'), this.showStale);
    } else if (!isDecided(review)) {
      notifyEnd(review, outcome, this.showStale);
    }
    this.ended.fire({ ...settled, review, texts, accepted });
  }

  /** Lock the review, and send a decision once, after `earlier` ones. With `onwards`, the next review replaces this one. */
  private async settle(review: Review, decision: SettleParams, onwards = true, earlier = Promise.resolve()): Promise<void> {
    if (!this.begin(review, decision)) {
      return earlier;
    }
    this.decidedAt = Date.now();
    if (review.proposal !== undefined) {
      this.landings.set(review.proposed.id, { texts: acceptedTexts(review.proposal, decision), notSaved: [] });
    }
    const locked = this.editors.lock(review).catch((error: unknown) => this.server.channel.warn(String(error)));
    await caughtUp();
    void this.editors.leave(review, onwards);
    await earlier;
    try {
      const notSaved: NotSaved = (files) => {
        this.landings.get(decision.id)?.notSaved.push(...files);
      };
      const refusal = await applyDecision(this.server, decision, notSaved);
      // Without a refusal the server reports the outcome later, however long the landing takes.
      if (refusal !== undefined) {
        if (refusal.code === 'INVALID_PARAM') {
          await locked; // otherwise the document would become read-only again
          void this.undecided(review, refusal.reason);
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

  private isOnScreen(review: Review, files: Proposal['files'], shown: ShownText): Promise<boolean> {
    return isOnScreen(review, files, shown, this.plain, () => this.editors.show(review));
  }

  /** Remember the current texts as rejected by the user. */
  private noteRejected(review: Review): void {
    const shown = textsOf(this.files, review);
    review.proposal?.files.forEach(({ path, proposed_text: text }) => this.proposals.noteRejected(review, path, normalize(shown(path) ?? text)));
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

  private async rejectWhole(review: Review): Promise<void> {
    const { atomic, files, id } = review.proposed;
    const title =
      atomic && files.length > 1
        ? vscode.l10n.t('Reject all {0} files: the agent requires all or none of them', files.length)
        : vscode.l10n.t('Reject {0}', nameOf(review));
    this.noteRejected(review);
    const feedback = await askReason(title);
    if (feedback !== undefined) {
      await this.settle(review, rejectParams(id, feedback));
    }
  }

  /** Don't report a second click on a button that has just decided. */
  private showNothingActive(): void {
    if (Date.now() - this.decidedAt > AGAIN_MS) {
      notifyNothingOpen();
    }
  }
}

/** Further presses within this time belong to the decision just made. */
const AGAIN_MS = 1500;

const REFUSED: Readonly<Record<string, Outcome>> = {
  CONFLICT: 'conflict',
  WITHDRAWN: 'withdrawn',
  TIMEOUT: 'timed_out',
};
