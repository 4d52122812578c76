/** One run of the sample: its agent's requests, and the notification that says what to try. */
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { isHistoryKept } from '../history/diff';
import type { Ended } from '../proposals/settling';
import { isDecided } from '../proposals/review';
import { AgentMethod, type Envelope, type Proposed, type RootStatus, type StatusData } from '../protocol/types';
import type { IsWaiting } from '../review/userWaits';
import { stoppedText, type Ask } from '../server/agentRequests';
import type { Server } from '../server/client';
import { brief } from '../util/display';
import { accompany } from '../util/window';
import { reactionTo, told } from './script';
import { LESSONS, play, type Actions, type Change, type End } from './turn';

export class Run {
  private readonly stop = new vscode.CancellationTokenSource();
  private session = newSession();
  private file: vscode.Uri | undefined;
  /** The id of the proposal that waits. */
  private waiting: string | undefined;
  private isFirst = true;
  private isUndone = false;
  private undoDecided: ((isUndone: boolean) => void) | undefined;

  constructor(
    private readonly send: Ask,
    private readonly server: Server,
    private readonly isAwaited: IsWaiting,
    /** Called with what the user is told to try; with nothing once it is over. */
    private readonly coach: (words: string) => void,
  ) {}

  /** The mode, and the folder for the file: that of the active editor, or else the first one. */
  async look(): Promise<{ mode: unknown; root: RootStatus | undefined; several: boolean }> {
    const { mode, roots = [] } = await this.status();
    const active = vscode.window.activeTextEditor?.document.uri;
    const folder = active && vscode.workspace.getWorkspaceFolder(active);
    const isActive = ({ uri }: RootStatus): boolean => vscode.Uri.parse(uri).toString() === folder?.uri.toString();
    return { mode, root: roots.find(isActive) ?? roots[0], several: roots.length > 1 };
  }

  /** Play the turn on `file`, which agents call `path`. How it ended; `text` is for the user. */
  async play(file: vscode.Uri, path: string, changes: readonly Change[]): Promise<{ isComplete: boolean; text: string }> {
    this.file = file;
    let isLost = false;
    const listener = this.server.onDidChangeState(({ kind }) => {
      if (kind !== 'running') {
        isLost = true;
        this.stop.cancel();
      }
    });
    try {
      const end = await accompany(vscode.l10n.t('Sample'), (say, stopped) => {
        stopped.onCancellationRequested(() => this.stop.cancel());
        return play(changes, this.actions(path, say));
      });
      return { isComplete: end.kind === 'complete', text: endOf(end) };
    } catch (error) {
      if (!(error instanceof vscode.CancellationError)) {
        throw error;
      }
      return { isComplete: false, text: isLost ? lost() : vscode.l10n.t('You stopped the sample.') };
    } finally {
      listener.dispose();
      this.coach('');
      this.stop.dispose();
    }
  }

  /** Show what the turn waits for. */
  async show(): Promise<void> {
    if (this.waiting !== undefined) {
      await vscode.commands.executeCommand('agentfs.ui.openReview', this.waiting);
    } else if (this.undoDecided !== undefined) {
      await vscode.commands.executeCommand('agentfs.landed.focus');
    }
  }

  async awaits({ id, session }: Proposed): Promise<boolean> {
    if (session !== this.session) {
      return false;
    }
    this.waiting = id;
    const { isFirst } = this;
    this.isFirst = false;
    return isFirst && (await this.isAwaited());
  }

  ended({ review, outcome }: Ended): void {
    const { id, tool, files } = review.proposed;
    if (id === this.waiting) {
      this.waiting = undefined;
    }
    const isOfFile = files.some(({ uri }) => vscode.Uri.parse(uri).toString() === this.file?.toString());
    if (tool === 'undo' && isOfFile && isDecided(review)) {
      const isUndone = outcome === 'landed' || outcome === 'editor';
      this.isUndone ||= isUndone;
      this.undoDecided?.(isUndone);
    }
  }

  private actions(path: string, say: (message: string, increment: number) => void): Actions {
    let isAllowed = false;
    let at = 0;
    const isUndone = (): boolean => this.isUndone;
    return {
      read: async () => {
        isAllowed = await this.leaveAllowedSession();
        return this.ask(AgentMethod.read, { path });
      },
      edit: (change) => this.ask(AgentMethod.edit, { path, ...change }),
      say: (last, now) => {
        const before = at;
        at = now === 'alternative' ? at : (LESSONS.indexOf(now) * 100) / LESSONS.length;
        const allowed = isAllowed ? ` ${vscode.l10n.t('You allowed all later changes of that session: click agentfs in the status bar to end that. The sample goes on in a new session.')}` : '';
        const words = `${told(last, now)}${allowed}`;
        this.coach(vscode.l10n.t('Sample: {0}', words));
        say(`${words} ${vscode.l10n.t('Cancel ends the sample.')}`, at - before); // VS Code has no other title for the button
      },
      canUndo: isHistoryKept(),
      undone: () =>
        new Promise((resolve, reject) => {
          this.undoDecided = resolve;
          this.stop.token.onCancellationRequested(() => reject(new vscode.CancellationError()));
        }),
      get isUndone() {
        return isUndone();
      },
    };
  }

  /** What the user allowed for a session would land without a review: go on in a new one. Whether that was so. */
  private async leaveAllowedSession(): Promise<boolean> {
    const { sessions = [] } = await this.status();
    const isAllowed = sessions.some(({ session, mode }) => session === this.session && mode === 'auto_edit');
    this.session = isAllowed ? newSession() : this.session;
    return isAllowed;
  }

  private async status(): Promise<Partial<StatusData>> {
    return (await this.ask(AgentMethod.status, {})).data;
  }

  private ask(method: string, params: object): Promise<Envelope> {
    const agent = vscode.l10n.t('Sample Agent');
    return this.send(method, { ...params, session: this.session, agent }, this.stop.token);
  }
}

/** Its name can't be guessed, so that no other agent has its proposals opened. */
function newSession(): string {
  return `vscode-sample-${randomUUID()}`;
}

function lost(): string {
  return vscode.l10n.t('The sample ended because the agentfs server stopped.');
}

function endOf(end: End): string {
  switch (end.kind) {
    case 'failed':
      return end.text === stoppedText() ? lost() : vscode.l10n.t('The sample ended: {0}', brief(end.text, 300));
    case 'lost':
      return lost();
    case 'unreviewed':
      return vscode.l10n.t('The sample ended, because your settings let its changes land without review.');
    case 'complete': {
      const said = end.isUndone ? vscode.l10n.t('The change is undone.') : reactionTo(end.last);
      return `${said} ${vscode.l10n.t('That was the sample. Your own agents’ changes come the same way.')}`.trim();
    }
  }
}
