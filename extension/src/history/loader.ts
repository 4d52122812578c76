/** Fills the history with what landed in this window and, if the server keeps a history, with the workspace's. */
import * as vscode from 'vscode';
import type { Ended } from '../proposals/settling';
import { UserHistoryRequest } from '../protocol/requests';
import { AgentMethod, EditorMethod, type Envelope, type History } from '../protocol/types';
import type { Server } from '../server/client';
import { LatestTask } from '../util/latestTask';
import { isHistoryKept } from './diff';
import { recordOfDecision, recordOfEnvelope, recordsOfHistory } from './records';
import type { HistoryStore } from './store';

/** Changes per request. */
const PAGE = 50;

export class HistoryLoader implements vscode.Disposable {
  /** The oldest change that the server returned, if it has older ones. */
  private last: string | undefined;
  private isKnown = false;
  /** How many changes were pending when the server last told. */
  private pending = 0;
  private readonly refreshes = new LatestTask(() => this.reload());
  private readonly listeners: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly store: HistoryStore,
  ) {
    this.listeners = vscode.Disposable.from(
      server.onDidAnswer((answer) => this.answered(answer)),
      server.onDidChangeState(() => this.refresh()),
      server.onDidChangeStatus(() => this.statusChanged()),
    );
  }

  /** Whether the server has changes older than those loaded. */
  get hasOlder(): boolean {
    return this.last !== undefined;
  }

  /** A review has ended. Record what landed of it, with the texts that the user saw. */
  ended(ended: Ended): void {
    if (ended.texts.size > 0) {
      this.store.add(recordOfDecision(ended));
      this.refresh();
    }
  }

  /** Load the next older changes from the server. */
  async loadOlder(): Promise<void> {
    await this.load(this.last);
  }

  /** Reload the newest changes. */
  refresh(): void {
    void this.refreshes.run();
  }

  dispose(): void {
    this.listeners.dispose();
  }

  /** A change is pending until it has landed, even one without a review, whoever's it is. */
  private statusChanged(): void {
    const pending = this.server.status?.pending ?? 0;
    if (pending < this.pending) {
      this.refresh();
    }
    this.pending = pending;
  }

  /** Without a history on the server, changes that landed without a review here are known only from their answers. */
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

  private async reload(): Promise<void> {
    if (isHistoryKept() && this.server.state.kind === 'running') {
      await this.load().catch((error: unknown) => this.server.channel.warn(String(error)));
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
    this.store.merge(recordsOfHistory(data), before !== undefined);
  }
}
