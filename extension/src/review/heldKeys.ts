/**
 * For a moment after a review in front has ended, the keys that decide do nothing, wherever the focus is by then: a second
 * or held press would be typed into the file beneath, or run the command in a terminal. The same applies to Enter after it
 * has answered a box, but only until something else is typed: Enter is not held any more by then.
 */
import * as vscode from 'vscode';
import { onDidAnswer } from '../util/window';

/** A held key begins to repeat within this time. Enter is also a key to type with, so that it waits no longer than most systems do. */
const MOMENT_MS = { justEnded: 1000, justAnswered: 700 };

/** From then on its presses follow each other this fast. Where the system repeats more slowly, a held Enter counts after that moment. */
const REPEAT_MS = 250;

/** What has just happened, as the conditions of the keys name it. */
type Cause = 'justEnded' | 'justAnswered';

export class HeldKeys implements vscode.Disposable {
  private readonly endings = new Map<Cause, NodeJS.Timeout>();
  private readonly over = new vscode.EventEmitter<Cause>();
  private readonly swallowed = new vscode.EventEmitter<void>();
  /** A key that decides did nothing. */
  readonly onDidSwallow = this.swallowed.event;
  private pressedAt = -Infinity;
  /** Since Enter answered a box, something was typed in an editor. */
  private isTyping = false;
  private readonly listeners = vscode.Disposable.from(
    vscode.commands.registerCommand('agentfs.ui.again', (cause?: unknown) => (cause === 'justAnswered' ? this.pressedEnter() : this.pressed())),
    onDidAnswer(() => {
      this.isTyping = false;
      this.hold('justAnswered');
    }),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      const isActive = document === vscode.window.activeTextEditor?.document; // of the editor beneath the box, VS Code may tell later
      const isTyped = contentChanges.length > 0 && (isActive || contentChanges.every(({ text }) => text.length === 1));
      if (isTyped && this.endings.has('justAnswered')) {
        clearTimeout(this.endings.get('justAnswered'));
        this.end('justAnswered');
        this.isTyping = true;
      }
    }),
  );

  constructor() {
    // Where the extension host was restarted, VS Code still has what the one before has told.
    (Object.keys(MOMENT_MS) as Cause[]).forEach((cause) => this.tell(cause, false));
  }

  /** Begin, or go on, as another press has come. Call it before the focus moves: VS Code gets both in this order. */
  hold(cause: Cause = 'justEnded'): void {
    this.tell(cause, true);
    clearTimeout(this.endings.get(cause));
    this.endings.set(cause, setTimeout(() => this.end(cause), MOMENT_MS[cause]));
  }

  /** Resolves once a review has ended a moment ago, and no key that decides was pressed since. */
  async released(): Promise<void> {
    if (this.endings.has('justEnded')) {
      await new Promise<void>((resolve) => {
        const listener = this.over.event((cause) => {
          if (cause === 'justEnded') {
            listener.dispose();
            resolve();
          }
        });
      });
    }
  }

  private pressed(): void {
    this.hold();
    this.swallowed.fire();
  }

  /** Enter that is pressed again is meant for what has the focus by then, but not while it is held. */
  private pressedEnter(): void {
    if (this.isTyping) {
      void vscode.commands.executeCommand('type', { text: '\n' }); // it was pressed before VS Code heard that it counts again
      return;
    }
    const now = performance.now();
    if (now - this.pressedAt < REPEAT_MS) {
      this.hold('justAnswered');
    }
    this.pressedAt = now;
  }

  dispose(): void {
    this.endings.forEach((ending) => clearTimeout(ending));
    this.listeners.dispose();
    this.over.dispose();
    this.swallowed.dispose();
  }

  private end(cause: Cause): void {
    this.endings.delete(cause);
    this.tell(cause, false);
    this.over.fire(cause);
  }

  private tell(cause: Cause, isHolding: boolean): void {
    void vscode.commands.executeCommand('setContext', `agentfs.ui.${cause}`, isHolding);
  }
}
