/** The proposals that wait for the user, in order of arrival. Only this module changes their reviews. */
import * as vscode from 'vscode';
import type { Proposal, Proposed } from '../protocol/types';
import { next, type FileDecision, type Review, type ReviewEvent, type ReviewState, type Staleness } from './review';

class StoredReview implements Review {
  proposal?: Proposal;
  state: ReviewState = 'waiting';
  readonly stale = new Map<string, Staleness>();
  readonly decided = new Map<string, FileDecision>();
  readonly accepted = new Map<string, string>();
  readonly rejected = new Map<string, string>();
  readonly reasons = new Map<string, string>();
  seen: ReadonlyMap<string, string> = new Map();
  setAside = false;

  constructor(
    readonly proposed: Proposed,
    readonly name: string | undefined,
  ) {}
}

export class ProposalStore {
  private readonly changed = new vscode.EventEmitter<Review>();
  /** Something that lists show of this review has changed; `get` no longer finds it if it has ended. */
  readonly onDidChange = this.changed.event;
  private readonly reviews = new Map<string, StoredReview>();

  /** `nameOf`: what a review is called that the user asked for by a command of ours; we propose it, nobody else. */
  constructor(private readonly nameOf: (proposed: Proposed) => string | undefined = () => undefined) {}

  get all(): readonly Review[] {
    return [...this.reviews.values()];
  }

  /** The reviews that the user can decide on. */
  get undecided(): readonly Review[] {
    return this.all.filter(({ state }) => state === 'waiting');
  }

  get size(): number {
    return this.reviews.size;
  }

  get(id: string): Review | undefined {
    return this.reviews.get(id);
  }

  add(told: Proposed): Review {
    const name = this.nameOf(told);
    const proposed = name === undefined ? told : { ...told, agent: 'agentfs' };
    const review = new StoredReview(proposed, name);
    this.reviews.set(proposed.id, review);
    this.changed.fire(review);
    return review;
  }

  /** Add the texts once they are loaded. */
  load(proposal: Proposal): void {
    this.change(proposal.id, (review) => (review.proposal ??= proposal));
  }

  /** Note that a decision was sent. False if the review already has one, or has ended. */
  decide({ proposed: { id } }: Review): boolean {
    return this.transition(id, 'decide');
  }

  /** The server refused the decision; the review waits again. */
  refuse({ proposed: { id } }: Review): void {
    this.transition(id, 'refuse');
  }

  /** End and remove the review; undefined if it had already ended. */
  end(id: string): Review | undefined {
    const review = this.reviews.get(id);
    return this.transition(id, 'end', () => this.reviews.delete(id)) ? review : undefined;
  }

  /** Note the user's decision on one of several files, whose review shows `text`, and the reason to reject it. */
  decideFile({ proposed: { id } }: Review, path: string, decision: FileDecision, text: string, reason = ''): void {
    this.change(id, (review) => {
      review.decided.set(path, decision);
      review[decision].set(path, text);
      review.reasons.delete(path);
      if (reason.trim() !== '') {
        review.reasons.set(path, reason.trim());
      }
      this.changed.fire(review);
    });
  }

  /** Note the text of a file that the user rejects. */
  noteRejected({ proposed: { id } }: Review, path: string, text: string): void {
    this.change(id, ({ rejected }) => rejected.set(path, text));
  }

  /**
   * Note how a file differs from what the agent saw, `undefined` if not. After a decision only the server judges that.
   */
  setStaleness({ proposed: { id } }: Review, path: string, staleness: Staleness | undefined): void {
    const review = this.reviews.get(id);
    const isSame = JSON.stringify(review?.stale.get(path)) === JSON.stringify(staleness);
    if (review?.state !== 'waiting' || isSame) {
      return;
    }
    if (staleness === undefined) {
      review.stale.delete(path);
    } else {
      review.stale.set(path, staleness);
    }
    this.changed.fire(review);
  }

  /** Note that these texts of all its files were on the screen. */
  markSeen({ proposed: { id } }: Review, texts: ReadonlyMap<string, string>): void {
    this.change(id, (review) => (review.seen = texts));
  }

  setAside({ proposed: { id } }: Review, isSetAside: boolean): void {
    this.change(id, (review) => (review.setAside = isSetAside));
  }

  /** The next (1) or previous (-1) review, wrapping around. If `id` is unknown, the first or last one. */
  beside(id: string | undefined, step: 1 | -1): Review | undefined {
    const all = this.all;
    const at = all.findIndex((review) => review.proposed.id === id);
    const from = at >= 0 ? at : step > 0 ? -1 : all.length;
    return all[(from + step + all.length) % all.length];
  }

  /** The first review, other than `current`, that may open by itself. */
  firstWaiting(current?: Review): Review | undefined {
    return this.undecided.find((review) => !review.setAside && review !== current);
  }

  private change(id: string, change: (review: StoredReview) => unknown): void {
    const review = this.reviews.get(id);
    if (review !== undefined) {
      change(review);
    }
  }

  private transition(id: string, event: ReviewEvent, before?: () => void): boolean {
    const review = this.reviews.get(id);
    const state = review && next(review.state, event);
    if (review === undefined || state === undefined) {
      return false;
    }
    review.state = state;
    before?.();
    this.changed.fire(review);
    return true;
  }
}
