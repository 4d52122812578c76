/** When the server starts, stops and starts anew, and what is said when it can't. */
import * as vscode from 'vscode';
import { findInterpreter, offerInterpreter, serverCommand } from './bootstrap';
import type { Server } from './client';
import { notify } from './notifications';
import { readSettings, SECTION, type Settings } from './config';

/** Settings that the server's process, or what it is told at its start, depends on. */
const AT_START = ['interpreter', 'review.style'].map((key) => `${SECTION}.${key}`);

/** What the user has set, as it is now. */
export function currentSettings(): Settings {
  return readSettings(vscode.workspace.getConfiguration(SECTION));
}

export class Lifecycle implements vscode.Disposable {
  private started: Promise<void> = Promise.resolve();
  private readonly listeners: vscode.Disposable[];

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly server: Server,
  ) {
    this.listeners = [
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (AT_START.some((key) => event.affectsConfiguration(key))) {
          this.restart();
        } else if (event.affectsConfiguration(SECTION)) {
          this.server.trace(currentSettings());
        }
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => {
        if (this.server.state.kind === 'failed') {
          this.restart();
        }
      }),
    ];
  }

  /** Start, or stop and start anew; one after the other, however often it is asked for. */
  restart(): void {
    this.started = this.started.catch(() => undefined).then(() => this.startNow());
    this.started.catch((error: unknown) => this.server.channel.error(String(error)));
  }

  /** Resolves when the server runs; rejects with why it does not. */
  async running(): Promise<void> {
    await this.started;
    const { state } = this.server;
    if (state.kind === 'failed') {
      throw new Error(state.reason);
    }
  }

  /** The window closes: landings under way are finished. */
  async stop(): Promise<void> {
    this.dispose();
    await this.server.stop();
  }

  dispose(): void {
    vscode.Disposable.from(...this.listeners).dispose();
  }

  private async startNow(): Promise<void> {
    await this.server.stop();
    if (process.platform === 'win32') {
      this.refuseWindows();
      return;
    }
    this.server.prepare();
    const settings = currentSettings();
    const found = await findInterpreter(this.context, settings);
    if (found.kind === 'missing') {
      this.server.fail(vscode.l10n.t('no Python that fits was found.'));
      void offerInterpreter(found).then((chosen) => {
        if (chosen) {
          this.restart();
        }
      });
      return;
    }
    this.server.channel.info(`Python ${found.version.join('.')}: ${found.command}`);
    await this.server.start(serverCommand(this.context, found.command), settings);
  }

  private refuseWindows(): void {
    const reason = vscode.l10n.t(
      'agentfs runs on Linux and macOS. On Windows open the folder in WSL, or on a remote machine.',
    );
    this.server.fail(reason);
    void notify('warning', reason);
  }
}
