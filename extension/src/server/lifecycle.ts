/** Decides when the server starts, stops and restarts, and reports when it can't. */
import * as vscode from 'vscode';
import { findInterpreter, offerInterpreter, serverCommand } from './interpreter';
import type { Server } from './client';
import { readSettings, SECTION, type Settings } from './settings';
import { LatestTask } from '../util/latestTask';
import { showStatusMessage, notify } from '../util/window';
import { brief } from '../util/display';

/** The settings that take effect only when the server starts. */
function settingsAtStart(): string {
  const settings = vscode.workspace.getConfiguration(SECTION);
  return JSON.stringify([settings.get('interpreter'), settings.get('review.style') === 'refactorPreview']);
}

/** The user's current settings. In a workspace that is not trusted, reviews always use this extension's diff editor. */
export function currentSettings(): Settings {
  const settings = readSettings(vscode.workspace.getConfiguration(SECTION));
  return vscode.workspace.isTrusted ? settings : { ...settings, style: 'diff' };
}

/** A server that crashes more often than this within this time is not restarted automatically. */
const MAX_CRASHES = 4;
const CRASHES_WITHIN_MS = 3 * 60_000;

/** A start that takes longer hangs. */
const START_SECONDS = 60;

export class Lifecycle implements vscode.Disposable {
  private readonly starts = new LatestTask(() => this.startNow());
  /** VS Code also reports changes of values that do not apply, such as a workspace's. */
  private atStart = settingsAtStart();
  private isClosing = false;
  private crashes: readonly number[] = [];
  private before: Promise<void> = Promise.resolve();
  private lastEnd: Promise<string> = Promise.resolve('');
  private readonly listeners: { dispose(): void }[];

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly server: Server,
  ) {
    this.listeners = [
      vscode.workspace.onDidChangeConfiguration((event) => {
        const before = this.atStart;
        this.atStart = settingsAtStart();
        if (this.atStart !== before) {
          void this.restart();
        } else if (event.affectsConfiguration(SECTION)) {
          this.server.trace(currentSettings());
        }
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => {
        if (this.server.state.kind === 'failed' || currentSettings().style !== 'diff') {
          void this.restart();
        }
      }),
      server.onDidCrash((ended) => this.crashed(ended)),
    ];
  }

  /**
   * Start or restart at the user's request; earlier crashes no longer count. A server that is still starting is
   * stopped, as it may hang. Calls that come meanwhile lead to one more start. `before` must settle first, so that no
   * proposal comes earlier.
   */
  async restart(before: Promise<void> = Promise.resolve()): Promise<void> {
    this.crashes = [];
    this.before = before;
    const started = this.start();
    await this.server.abandonStart();
    await started;
  }

  /** Resolves when the server runs; rejects with the reason if it doesn't. */
  async running(): Promise<void> {
    for (let last: Promise<void> | undefined; last !== this.starts.last; ) {
      last = this.starts.last; // another start may follow one that failed
      await last.catch(() => undefined);
    }
    const { state } = this.server;
    if (state.kind !== 'running') {
      throw new Error(state.kind === 'failed' ? state.reason : vscode.l10n.t('It was stopped.'));
    }
  }

  /** The window is closing: landings under way finish, a start under way is abandoned. */
  async stop(): Promise<void> {
    this.isClosing = true;
    this.dispose();
    await this.server.stop();
  }

  dispose(): void {
    this.listeners.forEach((listener) => listener.dispose());
  }

  private async start(): Promise<void> {
    await this.starts.run().catch((error: unknown) => this.server.channel.error(String(error)));
  }

  private async startNow(): Promise<void> {
    await this.server.stop();
    if (process.platform === 'win32') {
      this.refuseWindows();
      return;
    }
    this.server.become({ kind: 'starting' }); // while the interpreter is looked for
    await this.before.catch((error: unknown) => this.server.channel.warn(String(error)));
    if (this.crashes.length > MAX_CRASHES) {
      const how = brief(await this.lastEnd, 200);
      this.giveUp(vscode.l10n.t('The agentfs server has stopped {0} times in three minutes. The last error was: {1}.', this.crashes.length, how));
      return;
    }
    const settings = currentSettings();
    const found = await findInterpreter(this.context, settings);
    if (this.isClosing) {
      return;
    }
    if (found.kind === 'missing') {
      this.server.become({ kind: 'failed', reason: vscode.l10n.t('No compatible Python found.') });
      void offerInterpreter(found).then((chosen) => (chosen ? this.restart() : undefined));
      return;
    }
    this.server.channel.info(`Python ${found.version.join('.')}: ${found.command}`);
    let isHung = false;
    const patience = setTimeout(() => {
      isHung = true;
      void this.server.abandonStart();
    }, START_SECONDS * 1000);
    try {
      await this.server.start(serverCommand(this.context, found.command), settings);
    } catch (error) {
      if (!isHung) {
        throw error;
      }
      this.giveUp(vscode.l10n.t('The agentfs server did not start within {0} seconds.', START_SECONDS));
    } finally {
      clearTimeout(patience);
    }
  }

  /** Restart the server, unless it crashes too often. */
  private crashed(ended: Promise<string>): void {
    const now = performance.now();
    this.crashes = [...this.crashes.filter((at) => now - at < CRASHES_WITHIN_MS), now];
    this.lastEnd = ended;
    if (this.crashes.length <= MAX_CRASHES) {
      showStatusMessage(vscode.l10n.t('The agentfs server stopped and is restarting.'));
    }
    void this.start();
  }

  /** Start no other server until the user asks for one. */
  private giveUp(reason: string): void {
    this.server.become({ kind: 'failed', reason });
    void this.offerRestart(vscode.l10n.t('{0} Restart it, or check the output for the cause.', reason));
  }

  /** VS Code can't withdraw the notification, so its button does nothing if a start was requested in the meantime. */
  private async offerRestart(text: string): Promise<void> {
    const again = vscode.l10n.t('Restart');
    const output = vscode.l10n.t('Show Output');
    const chosen = await notify('error', text, again, output);
    if (chosen === again && this.server.state.kind === 'failed') {
      await this.restart();
    } else if (chosen === output) {
      this.server.channel.show(true);
    }
  }

  private refuseWindows(): void {
    const reason = vscode.l10n.t(
      'agentfs runs on Linux and macOS. On Windows, open the folder in WSL or on a remote machine.',
    );
    this.server.become({ kind: 'failed', reason });
    void notify('warning', reason);
  }
}
