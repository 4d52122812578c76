/**
 * Announces new proposals with a notification, whose button opens the review. Reviews don't open by themselves: they
 * would take the focus from a user who types, or cover their text.
 */
import * as vscode from 'vscode';
import { notify } from '../util/window';
import type { Proposed } from '../protocol/types';
import type { Review } from '../proposals/review';
import type { ProposalStore } from '../proposals/store';
import type { DiffEditors } from './diffEditor';
import { agentOf, nameOf } from '../proposals/notifications';

/** The minimum time between notifications while one is unanswered. */
const APART_MS = 10_000;

export class Announcements {
  private unanswered = 0;
  private offeredAt = -Infinity;

  /** `isAwaited`: whether this is the proposal that the user has just asked for. */
  constructor(
    private readonly proposals: ProposalStore,
    private readonly editors: DiffEditors,
    private readonly isAwaited: (proposed: Proposed) => Promise<boolean>,
  ) {}

  async proposed(proposed: Proposed): Promise<void> {
    const review = this.proposals.add(proposed);
    void this.editors.prepareNext();
    await ((await this.isAwaited(proposed)) ? this.editors.show(review) : this.offer(review));
  }

  /** The review that the user asked for loaded too late to open by itself. */
  async late(review: Review): Promise<void> {
    const text = vscode.l10n.t('The review of {0} is ready.', nameOf(review));
    if ((await notify('information', text, vscode.l10n.t('Review'))) !== undefined) {
      await vscode.commands.executeCommand('agentfs.ui.openReview', review.proposed.id);
    }
  }

  /** Several proposals share one notification. VS Code replaces a notification by one with the same text. */
  private async offer(review: Review): Promise<void> {
    const isFurther = this.unanswered > 0;
    if (isFurther && Date.now() - this.offeredAt < APART_MS) {
      return;
    }
    const text = isFurther
      ? vscode.l10n.t('Changes are waiting for your review.')
      : vscode.l10n.t('{0} proposes to change {1}.', agentOf(review.proposed.agent), nameOf(review));
    this.offeredAt = Date.now();
    this.unanswered += 1;
    const chosen = await notify('information', text, vscode.l10n.t('Review'));
    this.unanswered -= 1;
    if (chosen !== undefined) {
      await vscode.commands.executeCommand('agentfs.ui.openReview', isFurther ? undefined : review.proposed.id);
    }
  }
}
