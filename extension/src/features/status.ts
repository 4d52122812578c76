/** One status bar item: the mode, what is allowed for a session, how much waits, and the way back to manual. */
import * as vscode from 'vscode';
import type { Server, ServerState } from '../client';
import { StatusItem, type StatusLook } from '../notifications';
import { EditorMethod, type Status } from '../protocol';
import type { ReviewQueue } from '../queue';
import type { Edits } from './edits';

/** Keeps the item at what is the case. */
export class StatusView implements vscode.Disposable {
  /** What the server told last; undefined while it does not run. */
  status: Status | undefined;
  private readonly item = new StatusItem('agentfs', 'agentfs', 10);
  private readonly connections: { dispose(): void }[];

  constructor(
    private readonly server: Server,
    private readonly queue: ReviewQueue,
    private readonly edits: Edits,
  ) {
    const refresh = (): void => this.refresh();
    this.connections = [
      queue.changed.subscribe(refresh),
      edits.changed.subscribe(refresh),
      server.stateChanged.subscribe(() => this.serverChanged()),
    ];
  }

  /** Back to a review of every change, in every session. */
  async manual(): Promise<void> {
    await this.server.request(EditorMethod.setApprovalMode, { mode: 'manual' });
  }

  told(status: Status): void {
    this.status = status;
    this.refresh();
  }

  dispose(): void {
    vscode.Disposable.from(this.item, ...this.connections).dispose();
  }

  private serverChanged(): void {
    this.status = this.server.state.kind === 'running' ? this.status : undefined;
    this.refresh();
  }

  private refresh(): void {
    const { size } = this.queue;
    const { previews } = this.edits;
    const shown = { server: this.server.state, status: this.status, reviews: size, previews };
    const { kind } = shown.server;
    this.item.show(kind === 'running' ? lookRunning(shown) : LOOKS[kind](shown.server));
  }
}

/** What the item shows. */
interface Shown {
  server: ServerState;
  status: Status | undefined;
  /** What waits in reviews of this extension, and in VS Code's previews. */
  reviews: number;
  previews: number;
}

/** Whether anything is let through without a review. */
function isAuto(status: Status | undefined): boolean {
  return status !== undefined && [status, ...status.sessions].some(({ mode }) => mode === 'auto_edit');
}

const LOOKS: Readonly<Record<Exclude<ServerState['kind'], 'running'>, (state: ServerState) => StatusLook>> = {
  stopped: () => ({
    icon: 'circle-slash',
    text: 'agentfs',
    tooltip: vscode.l10n.t('agentfs is not running. Click to start it.'),
    command: 'agentfs.ui.restart',
  }),
  starting: () => ({
    icon: 'loading~spin',
    text: 'agentfs',
    tooltip: vscode.l10n.t('agentfs is starting.'),
    command: 'agentfs.ui.showOutput',
  }),
  failed: (state) => ({
    icon: 'error',
    text: 'agentfs',
    tooltip: vscode.l10n.t(
      'agentfs could not start: {0} Click to try again.',
      state.kind === 'failed' ? state.reason : '',
    ),
    command: 'agentfs.ui.restart',
    colour: 'statusBarItem.errorBackground',
  }),
};

/** VS Code's own command that goes to its Refactor Preview. */
const PREVIEW = 'refactorPreview.focus';

function lookRunning({ status, reviews, previews }: Shown): StatusLook {
  const pending = reviews + previews;
  const waiting =
    pending === 0
      ? vscode.l10n.t('No change waits for you.')
      : vscode.l10n.t('Pending changes: {0}.', pending);
  const count = pending === 0 ? '' : ` ${pending}`;
  if (isAuto(status)) {
    const sessions = (status?.sessions ?? []).filter(({ mode }) => mode === 'auto_edit');
    const whose =
      status?.mode === 'auto_edit'
        ? vscode.l10n.t('Agents’ changes are let through without a review.')
        : vscode.l10n.t(
            'Changes of this session are let through without a review: {0}.',
            sessions.map(({ session }) => session).join(', '),
          );
    return {
      icon: 'unlock',
      text: `${vscode.l10n.t('agentfs: auto')}${count}`,
      tooltip: `${whose} ${vscode.l10n.t('Click to review every change again.')} ${waiting}`,
      command: 'agentfs.ui.manual',
      colour: 'statusBarItem.warningBackground',
    };
  }
  return {
    icon: pending === 0 ? 'lock' : 'bell-dot',
    text: pending === 0 ? 'agentfs' : `agentfs:${count}`,
    tooltip: `${vscode.l10n.t('Agents’ changes are reviewed by you.')} ${waiting}`,
    command: reviews > 0 ? 'agentfs.ui.openReview' : previews > 0 ? PREVIEW : 'agentfs.ui.showPending',
  };
}
