/** The agents in programs of their own: lists those that are connected, disconnects them, and connects new ones. */
import { execFile } from 'node:child_process';
import * as vscode from 'vscode';
import { AgentsRequest, DisconnectRequest } from '../protocol/requests';
import type { ConnectedAgent } from '../protocol/types';
import type { Server } from '../server/client';
import type { Lifecycle } from '../server/lifecycle';
import { SECTION } from '../server/settings';
import { mayAsk, userWaits } from '../review/userWaits';
import { messageOf } from '../util/display';
import { notify, pick, showStatusMessage, type Choice } from '../util/window';

/** What `agentfs-lsp connect` takes, with the names of the programs. */
const PROGRAMS: readonly (readonly [string, string])[] = [
  ['claude-code', 'Claude Code'],
  ['codex', 'Codex'],
  ['gemini', 'Gemini CLI'],
  ['opencode', 'opencode'],
  ['vscode', 'VS Code'],
];

/** The exit code of `agentfs-lsp connect` if the user rejects the change. */
const REJECTED = 3;

export class OutsideAgents {
  constructor(
    private readonly server: Server,
    private readonly lifecycle: Lifecycle,
  ) {}

  /** List the connected agents. Picking one opens the first change of it that is pending. */
  async show(): Promise<void> {
    const isWaiting = userWaits();
    if (!(await this.isRunning())) {
      return;
    }
    if ((await this.connected()).length === 0) {
      const connect = vscode.l10n.t('Connect an Agent…');
      const chosen = await notify('information', vscode.l10n.t('No agents outside VS Code are connected.'), connect);
      return chosen === connect ? this.connect() : undefined;
    }
    const title = vscode.l10n.t('Agents outside VS Code');
    if (!(await mayAsk(title, isWaiting))) {
      return;
    }
    const picked = await pick({
      title,
      placeHolder: vscode.l10n.t('Names are as the programs claim them. Select an agent to open its pending change.'),
      choices: async () => (await this.connected()).map(choiceOf),
      onDidChange: this.server.onDidChangeStatus,
      button: { icon: 'debug-disconnect', tooltip: vscode.l10n.t('Disconnect'), press: (agent) => this.disconnect(agent) },
    });
    if (picked !== undefined && picked.pending.length > 0) {
      await vscode.commands.executeCommand('agentfs.ui.openReview', picked.pending[0]);
    }
  }

  /** Ask for a program, and let `agentfs-lsp connect` propose the change of its settings, which is reviewed here. */
  async connect(): Promise<void> {
    const isWaiting = userWaits();
    const title = vscode.l10n.t('Connect an Agent');
    if (!(await this.isRunning()) || !(await maySocket()) || !(await mayAsk(title, isWaiting))) {
      return;
    }
    const folders = vscode.workspace.workspaceFolders ?? [];
    const folder = folders.length > 1 ? await vscode.window.showWorkspaceFolderPick() : folders[0];
    if (folder === undefined) {
      return folders.length > 1 ? undefined : void notify('information', vscode.l10n.t('Open a folder first: agents are connected to a folder.'));
    }
    const program = await pick({
      title,
      placeHolder: vscode.l10n.t('agentfs proposes the change of its settings in this folder. You review it.'),
      choices: () => Promise.resolve(PROGRAMS.map(([value, label]) => ({ value, label }))),
    });
    if (program !== undefined) {
      await this.propose(program, folder.uri.fsPath);
    }
  }

  private async propose(program: string, root: string): Promise<void> {
    const { code, said } = await this.run(['connect', '--workspace', root, program]);
    if (code === REJECTED) {
      showStatusMessage(vscode.l10n.t('The agent is not connected: you rejected the change of its settings.'));
    } else if (code === 0) {
      void notify('information', said);
    } else {
      await this.report(said);
    }
  }

  /** Show why it failed; the lines after the first one are what the user can add to the settings instead. */
  private async report(said: string): Promise<void> {
    const { channel } = this.server;
    channel.error(said);
    const output = vscode.l10n.t('Show Output');
    if ((await notify('error', said.split('\n', 1)[0] ?? '', output)) === output) {
      channel.show(true);
    }
  }

  /** Run a command of the server's program, in VS Code's language. */
  private run(args: readonly string[]): Promise<{ code: unknown; said: string }> {
    const { command, args: before, cwd } = this.server.command;
    const LC_ALL = vscode.env.language.startsWith('zh') ? 'zh_CN.UTF-8' : 'C.UTF-8';
    return new Promise((resolve) => {
      const child = execFile(command, [...before, ...args], { cwd, env: { ...process.env, LC_ALL } }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : error.code, said: (error === null ? stdout : stderr || stdout || error.message).trim() });
      });
      child.stdin?.end();
    });
  }

  private async isRunning(): Promise<boolean> {
    try {
      await this.lifecycle.running();
      return true;
    } catch (error) {
      void notify('error', vscode.l10n.t('The agentfs server is not running. {0}', messageOf(error)));
      return false;
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

  private async disconnect({ id, name }: ConnectedAgent): Promise<void> {
    const answer = await this.server.request(DisconnectRequest, { id });
    showStatusMessage(answer.ok ? vscode.l10n.t('{0} is disconnected, until its program is restarted.', name) : answer.reason);
  }
}

/** Whether agents can connect at all; if not, say so. */
async function maySocket(): Promise<boolean> {
  if (vscode.workspace.getConfiguration(SECTION).get('agents.socket') !== false) {
    return true;
  }
  const settings = vscode.l10n.t('Open Settings');
  const chosen = await notify('warning', vscode.l10n.t('The setting agentfs.agents.socket is off: agents outside VS Code cannot connect.'), settings);
  if (chosen === settings) {
    await vscode.commands.executeCommand('workbench.action.openSettings', `${SECTION}.agents.socket`);
  }
  return false;
}

function choiceOf(agent: ConnectedAgent): Choice<ConnectedAgent> {
  const { name, since_ms: sinceMs, pending } = agent;
  const minutes = Math.floor(sinceMs / 60_000);
  return {
    value: agent,
    label: vscode.l10n.t('outside: {0}', name),
    detail: [
      minutes === 0 ? vscode.l10n.t('Connected just now.') : vscode.l10n.t('Connected for {0} min.', minutes),
      pending.length === 0 ? vscode.l10n.t('No pending changes.') : vscode.l10n.t('Pending changes: {0}.', pending.length),
    ].join(' '),
  };
}
