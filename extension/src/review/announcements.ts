/**
 * Announces new proposals with a notification, whose button opens the review. Reviews don't open by themselves: they
 * would take the focus from a user who types, or cover their text. When the user comes back to the window, one
 * notification summarizes what has come meanwhile.
 */
import * as vscode from 'vscode';
import { readSettings, SECTION } from '../server/settings';
import { notify } from '../util/window';
import type { Proposed } from '../protocol/types';
import { isDecided, type Review } from '../proposals/review';
import type { ProposalStore } from '../proposals/store';
import type { DiffEditors } from './diffEditor';
import { agentOf, agentsOf, lineOf, nameOf } from '../proposals/notifications';

/** The minimum time between notifications while one is unanswered, and the user hasn't reviewed what it names either. */
const APART_MS = 10_000;

/**
 * How long after the user's return the summary comes. The click that brings the window to the front may be on the button
 * of a notification: replacing that earlier would swallow the click. Nor is it meant for those who only pass by.
 */
const RETURNED_MS = 1000;

export class Announcements implements vscode.Disposable {
  /** The reviews that wait for the user and that no answered notification has told of. */
  private readonly unanswered = new Set<Review>();
  /** Reviews that were opened, from wherever. */
  private readonly opened = new WeakSet<Review>();
  /** What the last notification tells of, while it is unanswered. */
  private offered: readonly Review[] | undefined;
  private offeredAt = -Infinity;
  /** When the window was last sent to the background. */
  private leftAt = -Infinity;
  /** What has come while the window was in the background, and the user hasn't been told of since. */
  private readonly missed = new Set<Review>();
  /** The last notification with each text that is unanswered. */
  private readonly offers = new Map<string, symbol>();
  private isFocused = vscode.window.state.focused;
  private returning: NodeJS.Timeout | undefined;
  private readonly listener: vscode.Disposable;

  /** `isAwaited`: whether this is the proposal that the user has just asked for. */
  constructor(
    private readonly proposals: ProposalStore,
    private readonly editors: DiffEditors,
    private readonly isAwaited: (proposed: Proposed) => Promise<boolean>,
  ) {
    this.listener = vscode.Disposable.from(
      vscode.window.onDidChangeWindowState(({ focused }) => this.focusChanged(focused)),
      proposals.onDidChange((review) => {
        if (review.state !== 'waiting') {
          this.missed.delete(review);
          this.unanswered.delete(review);
        }
      }),
      editors.onDidOpen(({ review }) => this.opened.add(review)),
    );
  }

  async proposed(proposed: Proposed): Promise<void> {
    const review = this.proposals.add(proposed);
    void this.editors.prepareNext();
    await ((await this.isAwaited(proposed)) ? this.editors.show(review) : this.announce(review));
  }

  /** The review that the user asked for loaded too late to open by itself. */
  async late(review: Review): Promise<void> {
    const text = vscode.l10n.t('The review of {0} is ready.', nameOf(review));
    if ((await notify('information', text, vscode.l10n.t('Review'))) !== undefined) {
      await vscode.commands.executeCommand('agentfs.ui.openReview', review.proposed.id);
    }
  }

  dispose(): void {
    clearTimeout(this.returning);
    this.listener.dispose();
  }

  /** Several proposals share one notification. */
  private async announce(review: Review): Promise<void> {
    if (review.state !== 'waiting') {
      return;
    }
    const isAway = !this.isFocused && readSettings(vscode.workspace.getConfiguration(SECTION)).onReturn;
    if (isAway) {
      this.missed.add(review);
    }
    this.unanswered.add(review);
    const isHandled = (one: Review): boolean => isDecided(one) || this.opened.has(one);
    const isOpen = this.offered !== undefined && !this.offered.every(isHandled);
    // In the background, VS Code keeps a notification on the screen until the user comes back: one is enough.
    const isTold = isAway && this.offeredAt > this.leftAt;
    if (isOpen && (isTold || performance.now() - this.offeredAt < APART_MS)) {
      return;
    }
    const isFurther = this.others([...this.unanswered]).some((one) => one !== review);
    await (isFurther ? this.offerAll(this.others(this.proposals.undecided)) : this.offerOne(review));
  }

  /** Those of these reviews that the user isn't looking at. */
  private others(reviews: readonly Review[]): readonly Review[] {
    const { current, coming } = this.editors;
    return reviews.filter((review) => ![current, coming].includes(review));
  }

  private async offerAll(reviews: readonly Review[]): Promise<void> {
    await this.offer(vscode.l10n.t('{0}: {1} changes wait.', agentsOf(reviews), reviews.length), reviews);
  }

  private async offerOne(review: Review): Promise<void> {
    await this.offer(vscode.l10n.t('{0} proposes to change {1}.', agentOf(review.proposed.agent), nameOf(review)), [review]);
  }

  /** The button opens the first of `reviews` that still waits, and nothing else. */
  private async offer(text: string, reviews: readonly Review[]): Promise<void> {
    const offer = Symbol(text);
    this.offers.set(text, offer);
    this.offeredAt = performance.now();
    this.offered = reviews;
    const chosen = await notify('information', text, vscode.l10n.t('Review'));
    // VS Code replaces a notification by one with the same text: then the user has answered neither.
    if (this.offers.get(text) === offer) {
      this.offers.delete(text);
      this.offered = this.offered === reviews ? undefined : this.offered;
      for (const review of reviews) {
        this.missed.delete(review);
        this.unanswered.delete(review);
      }
    }
    if (chosen !== undefined) {
      const waiting = reviews.filter(({ state }) => state === 'waiting');
      const [first] = [...this.others(waiting), ...waiting, ...reviews];
      await vscode.commands.executeCommand('agentfs.ui.openReview', first?.proposed.id);
    }
  }

  /** VS Code also reports whether the user is active in the window. */
  private focusChanged(isFocused: boolean): void {
    if (isFocused === this.isFocused) {
      return;
    }
    this.isFocused = isFocused;
    clearTimeout(this.returning);
    if (isFocused) {
      this.returning = setTimeout(() => void this.summarize(), RETURNED_MS);
    } else {
      this.leftAt = performance.now();
    }
  }

  /** Tell of what waits since the user was away, once. */
  private async summarize(): Promise<void> {
    const missed = this.others([...this.missed]);
    const [first, ...more] = missed;
    this.missed.clear();
    if (first !== undefined && more.length === 0) {
      await this.offerOne(first);
    } else if (first !== undefined) {
      const text = vscode.l10n.t('While you were away, {0} changes came that wait for your review. The first: {1}', more.length + 1, lineOf(first));
      await this.offer(text, missed);
    }
  }
}
