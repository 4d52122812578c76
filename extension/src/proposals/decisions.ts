/**
 * Accept and Reject for the active review, and for all reviews after a confirmation. `settling.ts` sends decisions;
 * `notifications.ts` reports on them.
 */
import * as vscode from 'vscode';
import type { Proposal, ReviewedFile, SettleParams } from '../protocol/types';
import { isAllOrNone, isStale, type FileDecision, type Review } from './review';
import type { ProposalStore } from './store';
import { SerialQueue } from '../util/serialQueue';
import { normalize } from '../util/text';
import { acceptParams, leftAsBefore, rejectParams, wasSeen, type ShownText } from './settleParams';
import type { ReviewFileSystem } from '../review/fileSystem';
import { chosenOf, noteSeen } from './acceptAll';
import { mayAsk, userWaits } from '../review/userWaits';
import type { Settling } from './settling';
import { isOnScreen, textsOf } from '../review/visibility';
import type { PlainView } from '../review/plainView';
import type { DiffEditors } from '../review/diffEditor';
import type { InlineHunk } from '../review/inlineHunks';
import type { By, ReviewFocus } from '../review/focus';
import { partOf } from '../review/tabs';
import {
  askReason, askToRejectAll, fileNames, nameOf, notifyNothingOpen, notifySame, notifyStale,
  notifyTooLate, redoReason, showAcceptInEditor, showFileRejected, showNoFile, showNotSeen, showTooEarly,
} from './notifications';

export class Decisions {
  private readonly questions = new SerialQueue();
  /** The reviews about which a question is open, or comes next. */
  private readonly asking = new Set<Review>();

  constructor(
    private readonly settling: Settling,
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
    if (this.tellStale(review)) {
      return;
    }
    const files = review.proposal.files.filter(({ path }) => review.decided.get(path) !== 'rejected');
    const shown = textsOf(this.files, review);
    if (this.focus.isTooEarly() || !(await this.isOnScreen(review, files, shown))) {
      return;
    }
    const decision = acceptParams(review.proposal, shown, always, review.decided);
    if (this.mayAccept(review, decision)) {
      await this.settling.settle(review, decision);
    }
  }

  /** Accept this review if the user has seen what would land, else show it. Only a look at it makes the next press count. */
  async acceptRow(review: Review): Promise<void> {
    const shown = textsOf(this.files, review);
    if (review === this.editors.inline.current) {
      showAcceptInEditor(); // only the conditions of its own buttons and keys know that the editor shows comments
    } else if (review === this.editors.current && this.editors.currentPart === undefined) {
      await (this.focus.shown === review ? this.accept(false, 'choice') : showTooEarly());
    } else if (review.proposal === undefined || !wasSeen(review, shown)) {
      showNotSeen();
      await this.editors.show(review);
    } else if (!this.tellStale(review)) {
      const decision = acceptParams(review.proposal, shown, false, review.decided);
      if (this.mayAccept(review, decision)) {
        await this.settling.settle(review, decision, false);
      }
    }
  }

  /** Reject the active review because its file has changed, with a reason that asks for a new proposal. */
  async redo(): Promise<void> {
    const { current: review } = this.editors;
    if (review === undefined || !isStale(review)) {
      this.showNothingActive();
    } else if (!this.focus.isTooEarly()) {
      await this.askToRedo(review);
    }
  }

  /** Show how the files of the active review have changed. */
  async showChanged(): Promise<void> {
    const { current: review } = this.editors;
    await (review === undefined ? this.showNothingActive() : this.showStale(review));
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
   * Decide on one of several files, with a reason if it is rejected; the last such decision decides the proposal. If the
   * agent requires all files or none, rejecting one rejects all, and the user is asked about all of them.
   */
  async decideFile(decision: FileDecision, uri?: vscode.Uri): Promise<void> {
    const review = this.editors.current;
    const part = review && partOf(review, uri);
    if (review?.proposal === undefined || part === undefined) {
      this.showNoPart(review, uri);
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
    const text = normalize(shown(part.path) ?? part.proposed_text);
    if (decision === 'rejected') {
      await this.rejectFile(review, review.proposal, part, text);
    } else if (await this.mayAcceptFile(review, { ...review.proposal, files: [part] }, shown)) {
      this.proposals.decideFile(review, part.path, decision, text);
      await this.settleDecided(review, review.proposal);
    }
  }

  /** Accept all waiting reviews, after asking about those not yet seen. `fetch` loads their texts. */
  async acceptAll(fetch: (review: Review) => Promise<boolean>): Promise<void> {
    const isWaiting = userWaits();
    const { current } = this.editors;
    if (current !== undefined && this.focus.shown === current && current !== this.editors.inline.current) {
      await noteSeen(this.proposals, current, this.files, this.plain);
    }
    const waiting = (await mayAsk(vscode.l10n.t('Accept All'), isWaiting)) ? this.proposals.undecided : [];
    // Keys that reach a review once the question is answered came after the decision.
    const shown = new Map(waiting.map((review) => [review, textsOf(this.files, review)]));
    const chosen = await chosenOf(shown, (first) => this.editors.show(first));
    await Promise.all(chosen.map(fetch));
    await this.acceptEach(new Map(chosen.map((review) => [review, (path) => shown.get(review)?.(path)])));
  }

  /** Accept these reviews one after the other, each with the texts that the user saw. */
  async acceptEach(shown: ReadonlyMap<Review, ShownText>): Promise<void> {
    let settled = Promise.resolve();
    for (const [review, texts] of shown) {
      if (this.proposals.get(review.proposed.id) && review.proposal) {
        const decision = acceptParams(review.proposal, texts, false, review.decided);
        settled = this.mayAccept(review, decision) ? this.settling.settle(review, decision, false, settled) : settled;
      }
    }
    await settled;
  }

  async rejectAll(): Promise<void> {
    const waiting = this.proposals.undecided;
    if (waiting.length === 0) {
      return;
    }
    const noteRejected = waiting.map((review) => this.asShownNow(review));
    const feedback = await askReason(vscode.l10n.t('Reject all pending changes ({0})', waiting.length));
    if (feedback === undefined) {
      return;
    }
    noteRejected.forEach((note) => note());
    await Promise.all(waiting.map((review) => this.settling.settle(review, rejectParams(review.proposed.id, feedback), false)));
  }

  /** Tell the user that no review is active, but not after a second press of what has just decided. */
  showNothingActive(): void {
    if (performance.now() - this.settling.decidedAt > AGAIN_MS) {
      notifyNothingOpen();
    }
  }

  /** Tell the user that no review is active, or that none of the active one's files is in view where the cursor is. */
  private showNoPart(review: Review | undefined, uri: vscode.Uri | undefined): void {
    if (review?.proposal !== undefined && uri === undefined) {
      showNoFile();
    } else {
      this.showNothingActive();
    }
  }

  private async isOnScreen(review: Review, files: Proposal['files'], shown: ShownText): Promise<boolean> {
    if (this.editors.inline.current === review) {
      return this.isInView(review);
    }
    return isOnScreen(review, files, shown, this.plain, () => this.editors.show(review));
  }

  /** Whether all of the review in front, which is shown in its file, or only one hunk, has been in view. Otherwise shows it. */
  async isInView(review: Review, only?: InlineHunk): Promise<boolean> {
    const why = this.editors.inline.whyUnseen(only);
    if (why !== undefined && why !== 'unseen') {
      await this.showAsDiff(review, why.toDiff);
    }
    return why === undefined;
  }

  /** Show a review that is shown in its file as a diff instead. */
  async showAsDiff(review: Review, why?: string): Promise<void> {
    this.editors.inline.leaveToDiff(review, why);
    await this.editors.show(review);
  }

  /** Returns how to remember the texts that it shows now as rejected: what is typed while the user is asked is not. */
  private asShownNow(review: Review): () => void {
    const shown = textsOf(this.files, review);
    const texts = (review.proposal?.files ?? []).map(({ path, proposed_text: text }) => [path, normalize(shown(path) ?? text)] as const);
    return () => texts.forEach(([path, text]) => this.proposals.noteRejected(review, path, text));
  }

  private async rejectFile(review: Review, proposal: Proposal, { path }: ReviewedFile, text: string): Promise<void> {
    const reason = await askReason(vscode.l10n.t('Reject {0}', fileNames([path])));
    if (reason !== undefined && review.state !== 'waiting') {
      notifyTooLate(review);
    } else if (reason !== undefined) {
      this.proposals.decideFile(review, path, 'rejected', text, reason);
      showFileRejected(path);
      await this.settleDecided(review, proposal);
    }
  }

  /** Settle a review whose files are all decided. */
  private async settleDecided(review: Review, proposal: Proposal): Promise<void> {
    if (proposal.files.every(({ path }) => review.decided.has(path))) {
      await this.settling.settle(review, acceptParams(proposal, (path) => review.accepted.get(path), false, review.decided));
    }
  }

  private async rejectWhole(review: Review): Promise<void> {
    const { files, id } = review.proposed;
    const title = isAllOrNone(review)
      ? vscode.l10n.t('Reject all {0} files: the agent requires all or none of them', files.length)
      : vscode.l10n.t('Reject {0}', nameOf(review));
    const noteRejected = this.asShownNow(review);
    const feedback = await askReason(title);
    if (feedback !== undefined) {
      noteRejected();
      await this.settling.settle(review, rejectParams(id, feedback));
    }
  }

  /**
   * Whether this acceptance rejects nothing else: if the agent requires all files or none, one that is as before would
   * reject all. If so, nothing is decided, and the user is asked.
   */
  private mayAccept(review: Review, decision: SettleParams): boolean {
    const same = review.proposal !== undefined && isAllOrNone(review) ? leftAsBefore(review.proposal, decision) : [];
    if (same.length > 0 && !this.asking.has(review)) {
      this.asking.add(review);
      void this.questions.run(() => this.askFirst(review, same)).finally(() => this.asking.delete(review));
    }
    return same.length === 0;
  }

  /** The same, for those of its files that are in `part`, which must be on the screen. */
  private async mayAcceptFile(review: Review, part: Proposal, shown: ShownText): Promise<boolean> {
    return (await this.isOnScreen(review, part.files, shown)) && this.mayAccept(review, acceptParams(part, shown, false));
  }

  private async askFirst(review: Review, same: readonly ReviewedFile[]): Promise<void> {
    if (review.state === 'waiting' && (await askToRejectAll(review, same))) {
      await this.rejectWhole(review);
    }
  }

  /** Whether accepting could only be a conflict. If so, tells the user, who may ask the agent for a new proposal. */
  private tellStale(review: Review): boolean {
    const isOld = isStale(review) && review.state === 'waiting';
    if (isOld) {
      const redo = (): Promise<void> => this.askToRedo(review);
      notifyStale(review, this.showStale, redo);
    }
    return isOld;
  }

  /** What the user typed is kept as a draft. The notification that offers this may outlive what it is about. */
  private async askToRedo(review: Review): Promise<void> {
    if (review.state === 'waiting' && review.stale.size === 0) {
      notifySame();
      return;
    }
    await this.settling.settle(review, rejectParams(review.proposed.id, redoReason(review)));
  }
}

/** Further presses within this time belong to the decision just made. */
const AGAIN_MS = 1500;
