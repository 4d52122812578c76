/**
 * Notes in which reviews the user toggles word wrap. No API reports it, so while reviews wait this takes the place of VS
 * Code's command, and passes it on.
 */
import * as vscode from 'vscode';
import type { ProposalStore } from '../proposals/store';
import type { DiffEditors } from './diffEditor';

const TOGGLE = 'editor.action.toggleWordWrap';

export class WrapToggles implements vscode.Disposable {
  private command: vscode.Disposable | undefined;
  private readonly listener: vscode.Disposable;

  constructor(
    private readonly proposals: ProposalStore,
    private readonly editors: DiffEditors,
  ) {
    this.listener = proposals.onDidChange(() => this.update());
  }

  dispose(): void {
    this.listener.dispose();
    this.command?.dispose();
  }

  private update(): void {
    if (this.proposals.size === 0) {
      this.release();
    } else {
      this.command ??= vscode.commands.registerCommand(TOGGLE, () => this.toggled());
    }
  }

  private release(): void {
    this.command?.dispose();
    this.command = undefined;
  }

  private async toggled(): Promise<void> {
    const { current } = this.editors;
    if (current !== undefined) {
      this.proposals.noteWrapToggled(current);
    }
    this.release();
    try {
      await vscode.commands.executeCommand(TOGGLE);
    } finally {
      this.update();
    }
  }
}
