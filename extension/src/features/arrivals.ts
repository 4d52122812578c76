/**
 * What happens by itself: a proposal that arrives is opened if no other is, and never over a text that the
 * user is typing; when one is decided, the next is opened.
 */
import * as vscode from 'vscode';
import type { Proposed } from '../protocol';
import type { Review, ReviewQueue } from '../queue';
import { PROPOSAL } from '../virtual';
import type { Manner, ReviewEditors } from './review';

/** So long after the last key the user still counts as typing. */
const TYPING_MS = 3000;

export class Arrivals implements vscode.Disposable {
  private typedAt = -Infinity;
  private readonly listener: vscode.Disposable;

  constructor(
    private readonly queue: ReviewQueue,
    private readonly editors: ReviewEditors,
  ) {
    // Only keys move the cursor so; what extensions do to a text does not.
    this.listener = vscode.window.onDidChangeTextEditorSelection(({ kind, textEditor }) => {
      const isReview = textEditor.document.uri.scheme === PROPOSAL;
      if (kind === vscode.TextEditorSelectionChangeKind.Keyboard && !isReview) {
        this.typedAt = Date.now();
      }
    });
  }

  async proposed(proposed: Proposed): Promise<void> {
    const review = this.queue.add(proposed);
    await this.editors.showFirst(
      () => review,
      () => this.mannerNow,
    );
  }

  /** A review is over: the next one takes the place of its tab, if that was open. */
  async ended(review: Review): Promise<void> {
    const next = (): Review | undefined =>
      this.editors.isShown(review) ? this.queue.firstWaiting : undefined;
    if (review.deciding) {
      this.typedAt = -Infinity; // whoever decides is not in the middle of a word
    }
    await this.editors.advance(next, () => (review.deciding ? 'focus' : this.mannerNow));
    await this.editors.forget(review);
  }

  private get mannerNow(): Manner {
    return Date.now() - this.typedAt < TYPING_MS ? 'background' : 'quiet';
  }

  dispose(): void {
    this.listener.dispose();
  }
}
