/** The agents in programs of their own that are connected: lists, allows and disconnects them, and says when one connects. */
import * as vscode from 'vscode';
import { AgentsRequest, DisconnectRequest, SetApprovalModeRequest } from '../protocol/requests';
import type { ConnectedAgent } from '../protocol/types';
import { mayAsk, userWaits } from '../review/userWaits';
import type { Server } from '../server/client';
import type { Lifecycle } from '../server/lifecycle';
import { brief } from '../util/display';
import { LatestTask } from '../util/latestTask';
import { pick, type Choice, type RowButton } from '../util/pick';
import { confirm, notify, showStatusMessage } from '../util/window';
import { isRunning, type Connecting, type SetUpIn } from './connecting';

/** What the names of our own commands begin with, which connect for a moment. */
const OWN = 'agentfs-lsp ';

export class OutsideAgents implements vscode.Disposable {
  private readonly listener: vscode.Disposable;
  /** The ids of those that were connected when the server last told how many are. */
  private known: ReadonlySet<string> = new Set();
  private readonly looking = new LatestTask(() => this.look());

  constructor(
    private readonly server: Server,
    private readonly lifecycle: Lifecycle,
    private readonly connecting: Connecting,
    /** Called when an agent has connected. */
    private readonly arrived: () => void,
  ) {
    this.listener = server.onDidChangeStatus(() => {
      if ((server.status?.agents ?? 0) !== this.known.size) {
        void this.looking.run();
      }
    });
  }

  /** List the connected agents. Picking one opens the first change of it that is pending. */
  async show(): Promise<void> {
    const isWaiting = userWaits();
    if (!(await isRunning(this.lifecycle))) {
      return;
    }
    if ((await this.connected()).length === 0) {
      return this.tellWhoIsSetUp(await this.connecting.setUp());
    }
    const title = vscode.l10n.t('Agents outside VS Code');
    if (!(await mayAsk(title, isWaiting))) {
      return;
    }
    const picked = await pick({
      title,
      placeHolder: vscode.l10n.t('Names are as the programs claim them. Select an agent to open its pending change.'),
      choices: async () => (await this.connected()).map((agent) => choiceOf(agent, this.isAllowed(agent))),
      onDidChange: this.server.onDidChangeStatus,
      buttons: (agent) => [
        ...this.allowing(agent),
        { icon: 'debug-disconnect', tooltip: vscode.l10n.t('Disconnect'), press: () => this.disconnect(agent) },
      ],
    });
    if (picked !== undefined && picked.pending.length > 0) {
      await vscode.commands.executeCommand('agentfs.ui.openReview', picked.pending[0]);
    }
  }

  dispose(): void {
    this.listener.dispose();
  }

  /** Nobody is connected: say which programs only have to be started. */
  private async tellWhoIsSetUp(setUp: readonly SetUpIn[]): Promise<void> {
    const nobody = vscode.l10n.t('No agents outside VS Code are connected.');
    const [only, ...more] = setUp;
    const connect = vscode.l10n.t('Connect an Agent…');
    if (only !== undefined && more.length === 0) {
      const said = `${nobody} ${vscode.l10n.t('{0} is set up in this folder: start a new session of it.', only.title)}`;
      return this.connecting.tell(only, said, [connect, 'agentfs.ui.connectAgent']);
    }
    const titles = (of: readonly SetUpIn[]): string => [...new Set(of.map(({ title }) => title))].join(', ');
    const able = setUp.filter(({ own_tools: ownTools }) => ownTools !== 'denied');
    const said = [
      nobody,
      ...(setUp.length === 0 ? [] : [vscode.l10n.t('Set up in this folder: {0}. Start a new session of one.', titles(setUp))]),
      ...(able.length === 0 ? [] : [vscode.l10n.t('These can still change files without a review, with their own tools: {0}.', titles(able))]),
    ].join(' ');
    if ((await notify('information', said, connect)) === connect) {
      await this.connecting.connect();
    }
  }

  /** Say who has connected. */
  private async look(): Promise<void> {
    if (this.server.state.kind !== 'running') {
      this.known = new Set();
      return;
    }
    const agents = await this.connected().catch(() => []);
    const names = agents.filter(({ id, name }) => !this.known.has(id) && !name.startsWith(OWN)).map(({ name }) => brief(name, 80));
    this.known = new Set(agents.map(({ id }) => id));
    if (names.length > 0) {
      showStatusMessage(vscode.l10n.t('Connected to agentfs: {0}.', names.join(', ')));
      this.arrived();
    }
  }

  /** The names of other editors that have a folder of this window open, once the server runs; none if it does not. */
  async otherEditors(): Promise<readonly string[]> {
    try {
      await this.lifecycle.running();
      return (await this.server.request(AgentsRequest, {})).editors;
    } catch {
      return [];
    }
  }

  private async connected(): Promise<ConnectedAgent[]> {
    return (await this.server.request(AgentsRequest, {})).agents;
  }

  /** The button that ends the review of an agent's changes, or begins it again. An agent that has read nothing has no session. */
  private allowing(agent: ConnectedAgent): RowButton<ConnectedAgent>[] {
    if (this.isAllowed(agent)) {
      return [{ icon: 'lock', tooltip: vscode.l10n.t('Ask Again'), press: () => this.askAgain(agent) }];
    }
    const isOffered = vscode.workspace.isTrusted && agent.sessions.length > 0;
    return isOffered ? [{ icon: 'unlock', tooltip: vscode.l10n.t('Allow for This Session…'), press: () => this.allow(agent) }] : [];
  }

  private isAllowed({ sessions }: ConnectedAgent): boolean {
    return (this.server.status?.sessions ?? []).some(({ session, mode }) => mode === 'auto_edit' && sessions.includes(session));
  }

  private async allow({ id, name }: ConnectedAgent): Promise<void> {
    const question = vscode.l10n.t('Accept later changes of {0} without review?', vscode.l10n.t('outside: {0}', name));
    const details = [
      vscode.l10n.t('This applies to its present sessions, until its program ends, or until you press Ask Again in the list of agents.'),
      vscode.l10n.t('Files that run code, configure tools, or contain secrets are still reviewed.'),
    ];
    if (await confirm(question, details, vscode.l10n.t('Allow'))) {
      const now = (await this.connected()).find((agent) => agent.id === id); // one that has gone would leave its mode behind
      await this.setMode('auto_edit', now?.sessions ?? []);
    }
  }

  private async askAgain({ name, sessions }: ConnectedAgent): Promise<void> {
    await this.setMode('manual', sessions);
    showStatusMessage(vscode.l10n.t('You review the changes of {0} again.', name));
  }

  private async setMode(mode: 'auto_edit' | 'manual', sessions: readonly string[]): Promise<void> {
    await Promise.all(sessions.map((session) => this.server.request(SetApprovalModeRequest, { mode, session })));
  }

  private async disconnect({ id, name }: ConnectedAgent): Promise<void> {
    const answer = await this.server.request(DisconnectRequest, { id });
    showStatusMessage(answer.ok ? vscode.l10n.t('{0} is disconnected, until its program is restarted.', name) : answer.reason);
  }
}

function choiceOf(agent: ConnectedAgent, isAllowed: boolean): Choice<ConnectedAgent> {
  const { name, since_ms: sinceMs, pending } = agent;
  const minutes = Math.floor(sinceMs / 60_000);
  return {
    id: agent.id,
    value: agent,
    label: vscode.l10n.t('outside: {0}', name),
    detail: [
      minutes === 0 ? vscode.l10n.t('Connected just now.') : vscode.l10n.t('Connected for {0} min.', minutes),
      pending.length === 0 ? vscode.l10n.t('No pending changes.') : vscode.l10n.t('Pending changes: {0}.', pending.length),
      ...(isAllowed ? [vscode.l10n.t('Its changes are accepted without review.')] : []),
    ].join(' '),
  };
}
