/**
 * For a moment after a review in front has ended, the keys that decide do nothing, wherever the focus is by then: a second
 * or held press would be typed into the file beneath, or run the command in a terminal.
 */
import * as vscode from 'vscode';

/** A held key begins to repeat within this time. */
const MOMENT_MS = 1000;

export class HeldKeys implements vscode.Disposable {
  private ending: NodeJS.Timeout | undefined;
  private readonly again = vscode.commands.registerCommand('agentfs.ui.again', () => this.hold());

  /** Begin, or go on, as another press has come. Call it before the focus moves: VS Code gets both in this order. */
  hold(): void {
    this.tell(true);
    clearTimeout(this.ending);
    this.ending = setTimeout(() => this.tell(false), MOMENT_MS);
  }

  dispose(): void {
    clearTimeout(this.ending);
    this.again.dispose();
  }

  private tell(isHolding: boolean): void {
    void vscode.commands.executeCommand('setContext', 'agentfs.ui.justEnded', isHolding);
  }
}
