/**
 * The proposals that wait for the user, in the order they came. Free of the vscode API; what is shown of them
 * is the part of review/ and views/.
 */
import type { Proposal, Proposed } from '../protocol/types';
import { Signal } from '../util/signal';

/** Why a file under review is no longer what the agent saw. */
export type Staleness = { kind: 'editor' | 'disk' | 'gone' } | { kind: 'renamed'; to: string };

/** One proposal and how far its review has come. */
export interface Review {
  readonly proposed: Proposed;
  /** With the texts, once they were asked for. */
  proposal?: Proposal;
  /** Files that are no longer what the agent saw, by path: accepting would be a conflict. */
  readonly stale: Map<string, Staleness>;
  /** Of several files those that the user has decided about, by path. */
  readonly decided: Map<string, 'accepted' | 'rejected'>;
  /** The texts of files when the user rejected them, `\n` line ends, by path: what is typed later is not rejected. */
  readonly rejected: Map<string, string>;
  /** All of it was on the screen, in an editor that the user went into. */
  seen: boolean;
  /** The user closed its tab without deciding: it waits, and is not opened again by itself. */
  setAside: boolean;
  /** A decision is on its way. */
  deciding: boolean;
}

export class ProposalStore {
  /** Something that a list of them shows is another. */
  readonly changed = new Signal<void>();
  private readonly reviews = new Map<string, Review>();

  get all(): readonly Review[] {
    return [...this.reviews.values()];
  }

  get size(): number {
    return this.reviews.size;
  }

  get(id: string): Review | undefined {
    return this.reviews.get(id);
  }

  add(proposed: Proposed): Review {
    const review: Review = {
      proposed,
      stale: new Map(),
      decided: new Map(),
      rejected: new Map(),
      seen: false,
      setAside: false,
      deciding: false,
    };
    this.reviews.set(proposed.id, review);
    this.changed.fire();
    return review;
  }

  remove(id: string): Review | undefined {
    const review = this.reviews.get(id);
    if (review !== undefined) {
      this.reviews.delete(id);
      this.changed.fire();
    }
    return review;
  }

  clear(): readonly Review[] {
    const gone = this.all;
    this.reviews.clear();
    if (gone.length > 0) {
      this.changed.fire();
    }
    return gone;
  }

  /** The next (1) or previous (-1) one, round the end; from nowhere the first or last. */
  beside(id: string | undefined, step: 1 | -1): Review | undefined {
    const all = this.all;
    const at = all.findIndex((review) => review.proposed.id === id);
    const from = at >= 0 ? at : step > 0 ? -1 : all.length;
    return all[(from + step + all.length) % all.length];
  }

  /** The first that may be opened by itself. */
  get firstWaiting(): Review | undefined {
    return this.all.find((review) => !review.setAside && !review.deciding);
  }
}
