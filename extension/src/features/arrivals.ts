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

const TYPED_IN: ReadonlySet<string> = new Set(['file', 'untitled', 'vscode-notebook-cell', 'vscode-userdata']);

export class Arrivals implements vscode.Disposable {
  private typedAt = -Infinity;
  private readonly listener: vscode.Disposable;

  constructor(
    private readonly queue: ReviewQueue,
    private readonly editors: ReviewEditors,
  ) {
    this.listener = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      const active = vscode.window.activeTextEditor?.document;
      if (contentChanges.length > 0 && document === active && TYPED_IN.has(document.uri.scheme)) {
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
      const manner = review.deciding ? 'focus' : this.isTyping ? 'background' : 'quiet';
      await this.editors.show(next, manner);
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
