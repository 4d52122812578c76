/** The status bar item: shows the mode and what is pending, and returns to manual mode. */
import * as vscode from 'vscode';
import type { Server, ServerState } from '../server/client';
import { readSettings, SECTION, type Limits } from '../server/settings';
import { confirm, showStatusMessage, StatusItem, type StatusLook } from '../util/window';
import { SetApprovalModeRequest } from '../protocol/requests';
import type { Status } from '../protocol/types';
import type { Questions } from '../server/questions';
import { agentOf, nameOf, waitingText } from '../proposals/notifications';
import type { Review } from '../proposals/review';
import type { ProposalStore } from '../proposals/store';
import type { Strictness } from '../server/strictness';
import type { ServerEdits } from '../proposals/serverEdits';

/** Keeps the item up to date. */
export class StatusBar implements vscode.Disposable {
  private readonly item = new StatusItem('agentfs', 'agentfs', 10);
  private readonly connections: { dispose(): void }[];

  constructor(
    private readonly server: Server,
    private readonly proposals: ProposalStore,
    private readonly questions: Questions,
    private readonly edits: ServerEdits,
    private readonly strictness: Strictness,
  ) {
    const refresh = (): void => this.refresh();
    this.strictnessChanged();
    this.connections = [
      proposals.onDidChange(refresh),
      questions.onDidChange(refresh),
      edits.onDidChange(refresh),
      strictness.onDidChange(() => this.strictnessChanged()),
      vscode.workspace.onDidChangeWorkspaceFolders(refresh),
      vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration(`${SECTION}.statusBar`) && refresh()),
      server.onDidChangeState(refresh),
      server.onDidChangeStatus(refresh),
    ];
  }

  /** Return every session to reviewing all changes. */
  async manual(): Promise<void> {
    const wasAuto = isAuto(this.server.status);
    const isRunning = this.server.state.kind === 'running';
    await Promise.all([this.strictness.endAuto(), isRunning && this.server.request(SetApprovalModeRequest, { mode: 'manual' })]);
    if (this.strictness.now.isAutoEnded) {
      showStatusMessage(vscode.l10n.t('You review every change again, until Resume Auto Mode.'));
    } else if (wasAuto) {
      showStatusMessage(vscode.l10n.t('You review every change again.'));
    }
  }

  /** Apply the setting again after the user had ended auto mode. Asks first, as a link can run this command. */
  async resumeAuto(): Promise<void> {
    const question = vscode.l10n.t('Auto-accept changes from agents again?');
    const details = [vscode.l10n.t('This is the value of the setting agentfs.approval.mode.')];
    if (this.strictness.now.isAutoEnded && (await confirm(question, details, vscode.l10n.t('Resume Auto Mode')))) {
      await this.strictness.resumeAuto();
    }
  }

  dispose(): void {
    vscode.Disposable.from(this.item, ...this.connections).dispose();
  }

  /** The server receives this as part of the settings. */
  private strictnessChanged(): void {
    void vscode.commands.executeCommand('setContext', 'agentfs.ui.autoEnded', this.strictness.now.isAutoEnded);
    void this.server.settingsChanged();
    this.refresh();
  }

  private refresh(): void {
    const { previews } = this.edits;
    const { count: isCounted } = readSettings(vscode.workspace.getConfiguration(SECTION));
    const shown = { server: this.server.state, status: this.server.status, reviews: this.proposals.all, questions: this.questions.size, previews, isCounted, limits: this.strictness.now };
    const { kind } = shown.server;
    void vscode.commands.executeCommand('setContext', 'agentfs.ui.auto', kind === 'running' && isAuto(shown.status));
    this.item.show(kind === 'running' ? lookRunning(shown) : LOOKS[kind](shown.server));
  }
}

/** What the item shows. */
interface Shown {
  server: ServerState;
  status: Status | undefined;
  /** The reviews in this extension, and the number of previews in VS Code. */
  reviews: readonly Review[];
  questions: number;
  previews: number;
  /** Whether the item itself shows the number; its tooltip always does. */
  isCounted: boolean;
  limits: Limits;
}

/** Whether any change is accepted without a review. */
export function isAuto(status: Status | undefined): boolean {
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
    color: 'statusBarItem.errorBackground',
  }),
};

const NO_FOLDER = (): StatusLook => ({
  icon: 'folder',
  text: 'agentfs',
  tooltip: vscode.l10n.t('No folder is open. Agents can only read and change files in open folders. Click to open a folder.'),
  command: 'vscode.openFolder',
});

function whyReviewed({ isAutoEnded, isTrusted }: Limits): string {
  if (!isTrusted) {
    return vscode.l10n.t('This workspace is not trusted. You review every change, whatever the settings say.');
  }
  return isAutoEnded
    ? vscode.l10n.t('You ended auto mode here. You review changes from agents until you run the command Resume Auto Mode.')
    : vscode.l10n.t('You review changes from agents.');
}

function lookRunning(shown: Shown): StatusLook {
  const { status, reviews, questions, previews, isCounted, limits } = shown;
  const pending = reviews.length + questions + previews;
  const counted = isCounted ? pending : 0;
  const waiting = waitingText(reviews.length + previews, questions);
  const list = listOf(reviews);
  if (isAuto(status)) {
    return { ...lookAuto(status, counted, `${waiting}${agentsText(status)}`), list };
  }
  if ((vscode.workspace.workspaceFolders ?? []).length === 0) {
    return NO_FOLDER();
  }
  const name = limits.isAutoEnded ? vscode.l10n.t('agentfs: manual') : counted === 0 ? 'agentfs' : 'agentfs:';
  return {
    icon: counted === 0 ? 'lock' : 'bell-dot',
    text: counted === 0 ? name : `${name} ${counted}`,
    tooltip: `${whyReviewed(limits)} ${waiting}${agentsText(status)}`,
    list,
    command: pending > 0 ? 'agentfs.ui.openReview' : 'agentfs.ui.showPending',
  };
}

/** More reviews than these are only counted. */
const MAX_LISTED = 10;

/** Who proposes a change of what: a line for each of the first reviews, and how many there are more. */
function listOf(reviews: readonly Review[]): string[] {
  const more = reviews.length - MAX_LISTED;
  const lines = reviews.slice(0, MAX_LISTED).map((review) => vscode.l10n.t('{0}: {1}', agentOf(review.proposed.agent), nameOf(review)));
  return more > 0 ? [...lines, vscode.l10n.t('and {0} more', more)] : lines;
}

/** How many agents outside are connected, if any. */
function agentsText(status: Status | undefined): string {
  const count = status?.agents ?? 0;
  return count === 0 ? '' : ` ${vscode.l10n.t('Agents outside VS Code: {0}.', count)}`;
}

function lookAuto(status: Status | undefined, counted: number, waiting: string): StatusLook {
  const sessions = (status?.sessions ?? []).filter(({ mode }) => mode === 'auto_edit');
  const whose =
    status?.mode === 'auto_edit'
      ? vscode.l10n.t('Auto-accepting changes from agents.')
      : vscode.l10n.t(
          'Auto-accepting changes in this session: {0}.',
          sessions.map(({ session }) => session).join(', '),
        );
  const name = vscode.l10n.t('agentfs: auto');
  return {
    icon: 'unlock',
    text: counted === 0 ? name : `${name} ${counted}`,
    tooltip: `${whose} ${vscode.l10n.t('Click to review every change again.')} ${waiting}`,
    command: 'agentfs.ui.manual',
    color: 'statusBarItem.warningBackground',
  };
}
