/**
 * What happens by itself: a proposal that arrives is opened if no other is, and never over a text that the
 * user is typing; when one is decided, the next is opened.
 */
import * as vscode from 'vscode';
import type { Proposed } from '../protocol';
import type { Review, ReviewQueue } from '../queue';
import type { ReviewEditors } from './review';

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
    this.listener = vscode.window.onDidChangeTextEditorSelection(({ kind }) => {
      if (kind === vscode.TextEditorSelectionChangeKind.Keyboard) {
        this.typedAt = Date.now();
      }
    });
  }

  async proposed(proposed: Proposed): Promise<void> {
    const review = this.queue.add(proposed);
    if (!this.editors.isOpen) {
      await this.editors.show(review, this.isTyping ? 'background' : 'quiet');
    }
  }

  /** A review is over: the next one takes the place of its tab, if that was open. */
  async ended(review: Review): Promise<void> {
    const next = this.queue.firstWaiting;
    if (next !== undefined && this.editors.isShown(review) && !this.editors.isOpen) {
      await (review.deciding
        ? this.editors.advance(next)
        : this.editors.show(next, this.isTyping ? 'background' : 'quiet'));
    }
    await this.editors.forget(review);
  }

  private get isTyping(): boolean {
    return Date.now() - this.typedAt < TYPING_MS;
  }

  dispose(): void {
    this.listener.dispose();
  }
}
