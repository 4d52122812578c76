/**
 * Fills the history: with what landed in this window and, where the server keeps a history, with that of the workspace.
 */
import * as vscode from 'vscode';
import type { Ended } from '../proposals/decisions';
import { UserHistoryRequest } from '../protocol/requests';
import { AgentMethod, EditorMethod, type Envelope, type History } from '../protocol/types';
import type { Server } from '../server/client';
import { isHistoryKept } from './diff';
import { recordOfDecision, recordOfEnvelope, recordsOfHistory } from './records';
import type { HistoryStore } from './store';

/** So many are asked for at once. */
const PAGE = 50;

export class HistoryLoader implements vscode.Disposable {
  /** The oldest change that the server told of, where it has older ones. */
  private last: string | undefined;
  private isKnown = false;
  private refreshing: 'no' | 'once' | 'again' = 'no';
  private readonly listeners: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly store: HistoryStore,
  ) {
    this.listeners = vscode.Disposable.from(
      server.onDidAnswer((answer) => this.answered(answer)),
      server.onDidChangeState(({ kind }) => kind === 'running' && this.refresh()),
    );
  }

  /** Whether the server has changes before those that were loaded. */
  get hasOlder(): boolean {
    return this.last !== undefined;
  }

  /** A review is over; what landed of it is kept with the texts that the user saw. */
  ended(ended: Ended): void {
    if (ended.texts.size > 0) {
      this.store.add(recordOfDecision(ended));
      this.refresh();
    }
  }

  /** Ask the server for changes before those that are listed. */
  async loadOlder(): Promise<void> {
    await this.load(this.last);
  }

  /** Look at the newest ones again; once more afterwards, however many changes come meanwhile. */
  refresh(): void {
    if (!isHistoryKept() || this.server.state.kind !== 'running' || this.refreshing !== 'no') {
      this.refreshing = this.refreshing === 'no' ? 'no' : 'again';
      return;
    }
    this.refreshing = 'once';
    void this.load()
      .catch((error: unknown) => this.server.channel.warn(String(error)))
      .then(() => {
        const isStale = this.refreshing === 'again';
        this.refreshing = 'no';
        if (isStale) {
          this.refresh();
        }
      });
  }

  dispose(): void {
    this.listeners.dispose();
  }

  /** Changes that nobody reviewed here show in their answers alone, where the server keeps none. */
  private answered({ method, params, envelope }: { method: string; params: unknown; envelope: Envelope }): void {
    if (isHistoryKept()) {
      this.refresh();
      return;
    }
    const tool = method === EditorMethod.userUndo ? AgentMethod.undo : method;
    const record = recordOfEnvelope(tool.replace('agentfs/', ''), params, envelope);
    if (record !== undefined) {
      this.store.add(record);
    }
  }

  private async load(before?: string): Promise<void> {
    const params = { limit: PAGE, ...(before === undefined ? {} : { before }) };
    const { data } = await this.server.request(UserHistoryRequest, params);
    const { changes = [], more = false } = data as Partial<History>;
    if (before !== undefined || !this.isKnown) {
      this.isKnown = true;
      this.last = more ? changes.at(-1)?.change_id : undefined;
    }
    this.store.merge(recordsOfHistory(data));
  }
}
