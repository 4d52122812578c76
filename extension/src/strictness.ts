/**
 * What is stricter in this window than the user's settings: auto mode that the user has ended, which stays ended across
 * restarts of the server and reloads of the window until the user resumes it or changes the setting, and workspaces
 * that are not trusted, in which every change is reviewed.
 */
import * as vscode from 'vscode';
import { SECTION, type Limits } from './config';
import { Signal } from './signal';

const KEY = 'approval.mode';
const MEMORY = 'autoModeEnded';

export class Strictness implements vscode.Disposable {
  readonly changed = new Signal<void>();
  private readonly listeners: vscode.Disposable[];

  /** `memory` is the workspace's. */
  constructor(private readonly memory: vscode.Memento) {
    if (!isAutoConfigured()) {
      void this.remember(false);
    }
    this.listeners = [
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(`${SECTION}.${KEY}`)) {
          void this.remember(false);
        }
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.changed.fire()),
    ];
  }

  get now(): Limits {
    return { isAutoEnded: this.memory.get(MEMORY) === true, isTrusted: vscode.workspace.isTrusted };
  }

  /** The user ended auto mode; single sessions' alone needs no memory, as it ends with the server. */
  async endAuto(): Promise<void> {
    if (isAutoConfigured()) {
      await this.remember(true);
    }
  }

  /** What the setting says counts again. */
  async resumeAuto(): Promise<void> {
    await this.remember(false);
  }

  dispose(): void {
    vscode.Disposable.from(...this.listeners).dispose();
  }

  private async remember(isEnded: boolean): Promise<void> {
    if (this.now.isAutoEnded !== isEnded) {
      const stored = this.memory.update(MEMORY, isEnded);
      this.changed.fire();
      await stored;
    }
  }
}

function isAutoConfigured(): boolean {
  return vscode.workspace.getConfiguration(SECTION).get(KEY) === 'auto_edit';
}
