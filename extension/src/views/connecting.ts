/** Connects agents in programs of their own: their settings are changed by a proposal, which the user reviews. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Proposed } from '../protocol/types';
import { mayAsk, userWaits } from '../review/userWaits';
import type { Server } from '../server/client';
import { ConnectCommand, type Result, type SetUp } from '../server/connectCommand';
import type { Lifecycle } from '../server/lifecycle';
import { SECTION } from '../server/settings';
import { messageOf } from '../util/display';
import { pick, type Choice } from '../util/pick';
import { hold, notify, showStatusMessage } from '../util/window';
import { entryOf, launchersIn, PROGRAMS, shellLine, type Program } from './programs';

/** Where it is remembered which servers that are gone the user was told of. */
const LOST = 'connecting.lost';

/** A change of settings that the user has asked for. */
interface Asked {
  /** Its own, whose name no agent can guess. */
  readonly session: string;
  readonly name: string;
  /** Whether the user still waits for the review. */
  readonly isWaiting: () => boolean;
}

/** A program that is set up, and where. */
export type SetUpIn = SetUp & { readonly folder: vscode.WorkspaceFolder };

export class Connecting {
  private readonly command: ConnectCommand;
  private readonly asked = new Set<Asked>();

  constructor(
    private readonly server: Server,
    private readonly lifecycle: Lifecycle,
    private readonly extension: vscode.Uri,
    /** Of this workspace. */
    private readonly memory: vscode.Memento,
    /** Called when an agent's program is set up, or the user has its command. */
    private readonly done: () => void,
  ) {
    this.command = new ConnectCommand(server);
  }

  /** Ask for a program, and propose the change of its settings. */
  async connect(): Promise<void> {
    const isWaiting = userWaits();
    const title = vscode.l10n.t('Connect an Agent');
    if (!(await isRunning(this.lifecycle)) || !(await maySocket()) || !(await mayAsk(title, isWaiting))) {
      return;
    }
    const folders = vscode.workspace.workspaceFolders ?? [];
    const folder = folders.length > 1 ? await vscode.window.showWorkspaceFolderPick() : folders[0];
    if (folder === undefined) {
      return folders.length > 1 ? undefined : void notify('information', vscode.l10n.t('Open a folder first: agents are connected to a folder.'));
    }
    const program = await pick<Program | 'other'>({
      title,
      placeHolder: vscode.l10n.t('Choose the program. You review the change of its settings before anything is written.'),
      choices: () => Promise.resolve([...PROGRAMS.map(choiceOf), otherProgram()]),
    });
    if (program === 'other') {
      await this.showCommand(folder.uri.fsPath);
    } else if (program !== undefined) {
      await this.propose(program, folder, false);
    }
  }

  /** The programs that are set up in the folders that are open. */
  async setUp(): Promise<readonly SetUpIn[]> {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const found = await Promise.all(folders.map(async (folder) => (await this.command.list(folder.uri.fsPath)).map((one) => ({ ...one, folder }))));
    return found.flat();
  }

  /** Say that it is set up, and what remains to be done; offers that, and `next`, a command by its title. */
  async tell({ name, title, own_tools: ownTools, told, folder }: SetUpIn, said: string, next: readonly [title: string, command: string]): Promise<void> {
    const only = vscode.l10n.t('Review Only Through agentfs…');
    const docs = vscode.l10n.t('Show How');
    const [further, command] = next;
    const offer = { denied: [], deniable: [only], overridden: [], undeniable: [docs] }[ownTools];
    const text = `${said} ${told ?? OWN_TOOLS[ownTools]()}`;
    const chosen = await notify(ownTools === 'denied' ? 'information' : 'warning', text, ...offer, further);
    const program = PROGRAMS.find((one) => one.name === name) ?? { name, title, files: [] };
    if (chosen === only) {
      await this.proposeIfAble(program, folder, true);
    } else if (chosen === docs) {
      await this.showHow();
    } else if (chosen === further) {
      await vscode.commands.executeCommand(command);
    }
  }

  /** Whether this is a change of settings that the user has just asked for. */
  readonly awaits = (proposed: Proposed): boolean => this.find(proposed)?.isWaiting() ?? false;

  /** What the review of that change is called; undefined for others. */
  readonly nameOf = (proposed: Proposed): string | undefined => this.find(proposed)?.name;

  /** The settings of a program start the server of a version that is gone, as after an update: offer to change them, once. */
  async offerAgain(): Promise<void> {
    for (const folder of vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : []) {
      for (const program of PROGRAMS) {
        const lost = await lostLaunchers(program, folder.uri.fsPath);
        const told = this.memory.get<readonly string[]>(LOST, []);
        // Without a server, which is said already, nothing could be proposed.
        if (lost.some((launcher) => !told.includes(launcher)) && (await this.lifecycle.running().then(() => true, () => false))) {
          await this.memory.update(LOST, [...new Set([...told, ...lost])]);
          await this.offerToRepair(program, folder);
        }
      }
    }
  }

  private async offerToRepair(program: Program, folder: vscode.WorkspaceFolder): Promise<void> {
    const again = vscode.l10n.t('Connect Again…');
    const text = vscode.l10n.t('{0} cannot start agentfs: its settings in this folder name a version that is no longer here.', program.title);
    if ((await notify('warning', text, again)) === again) {
      await this.proposeIfAble(program, folder, false);
    }
  }

  private find({ session }: Proposed): Asked | undefined {
    return [...this.asked].find((one) => session.endsWith(`/${one.session}`));
  }

  /** The user has pressed a button of a message, perhaps while the server was starting. */
  private async proposeIfAble(program: Program, folder: vscode.WorkspaceFolder, only: boolean): Promise<void> {
    const isWaiting = userWaits();
    if ((await isRunning(this.lifecycle)) && (await maySocket()) && (await mayAsk(nameOfChange(program, only), isWaiting))) {
      await this.propose(program, folder, only);
    }
  }

  /** `only`: deny the program's own tools that change files, too. */
  private async propose(program: Program, folder: vscode.WorkspaceFolder, only: boolean): Promise<void> {
    const name = nameOfChange(program, only);
    const { isHeld, release } = hold(name, vscode.l10n.t('Preparing the change of its settings…'));
    const isWaiting = (): boolean => {
      const waits = isHeld();
      release();
      return waits;
    };
    const asked = { session: randomUUID(), name, isWaiting };
    this.asked.add(asked);
    try {
      const result = await this.command.propose(program.name, folder.uri.fsPath, asked.session, only);
      release();
      await this.report(result, program, folder);
    } finally {
      this.asked.delete(asked);
      release();
    }
  }

  private async report({ outcome, agents, lines }: Result, program: Program, folder: vscode.WorkspaceFolder): Promise<void> {
    const setUp = agents.find(({ name }) => name === program.name);
    if (outcome === 'rejected') {
      showStatusMessage(vscode.l10n.t('The settings are as before: you rejected their change.'));
    } else if (outcome === 'failed') {
      await this.reportFailure(lines.join('\n'));
    } else if (setUp === undefined) {
      void notify('warning', lines.join(' ')); // amended, or not saved yet
    } else {
      this.done();
      const said = vscode.l10n.t('{0} is set up. Start a new session of it.', setUp.title);
      await this.tell({ ...setUp, folder }, said, [vscode.l10n.t('Show Connected Agents'), 'agentfs.ui.showAgents']);
    }
  }

  /** Show why it failed; the lines after the first one are what the user can add to the settings instead. */
  private async reportFailure(said: string): Promise<void> {
    const { channel } = this.server;
    channel.error(said);
    const output = vscode.l10n.t('Show Output');
    if ((await notify('error', said.split('\n', 1)[0] ?? '', output)) === output) {
      channel.show(true);
    }
  }

  /** Show what starts the MCP server, to be copied into the settings of any program. */
  private async showCommand(root: string): Promise<void> {
    const { command, args } = this.server.command;
    const words = [command, ...args, 'mcp', '--workspace', root];
    const forms = [
      { value: entryOf(words), label: vscode.l10n.t('Copy the Entry for Its Settings') },
      { value: shellLine(words), label: vscode.l10n.t('Copy the Command') },
    ];
    const copied = await pick({
      title: vscode.l10n.t('Another Program (MCP)'),
      placeHolder: vscode.l10n.t('Any program that speaks the Model Context Protocol can start this server.'),
      choices: () => Promise.resolve(forms.map(({ value, label }) => ({ value, label, detail: value.replace(/\s+/g, ' ') }))),
    });
    if (copied !== undefined) {
      await vscode.env.clipboard.writeText(copied);
      showStatusMessage(vscode.l10n.t('Copied: add it to the program. Deny its own editing tools.'));
      this.done();
    }
  }

  /** Show how to leave VS Code's own agent no other way. */
  private async showHow(): Promise<void> {
    const name = vscode.env.language.startsWith('zh') ? 'agent-mode.zh-cn.md' : 'agent-mode.md';
    await vscode.commands.executeCommand('markdown.showPreview', vscode.Uri.joinPath(this.extension, 'media', name));
  }
}

const OWN_TOOLS: Readonly<Record<SetUp['own_tools'], () => string>> = {
  denied: () => vscode.l10n.t('Its own tools that change files are denied.'),
  deniable: () => vscode.l10n.t('It can still change files without a review, with its own tools.'),
  overridden: () => vscode.l10n.t('It can still change files without a review, with its own tools.'),
  undeniable: () => vscode.l10n.t('It can still change files without a review, with its own tools, which its settings cannot deny.'),
};

/** What the review of the change of its settings is called. */
function nameOfChange({ title }: Program, only: boolean): string {
  return only ? vscode.l10n.t('Deny {0}’s Own Tools', title) : vscode.l10n.t('Connect {0}', title);
}

function choiceOf(program: Program): Choice<Program> {
  const files = program.files.join(', ');
  // As of VS Code 1.101; `mcpServers.ts` registers it.
  const isNeeded = program.name !== 'vscode' || !('registerMcpServerDefinitionProvider' in vscode.lm);
  return { value: program, label: program.title, detail: isNeeded ? files : vscode.l10n.t('{0} · not needed here: this version finds agentfs by itself', files) };
}

function otherProgram(): Choice<'other'> {
  return { value: 'other', label: vscode.l10n.t('Another Program (MCP)…'), detail: vscode.l10n.t('Shows the command to copy into its settings. Nothing is written.') };
}

/** What the settings of a program start that is gone. */
async function lostLaunchers({ files }: Program, root: string): Promise<readonly string[]> {
  const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8').catch(() => '')));
  return texts.flatMap(launchersIn).filter((launcher) => !existsSync(launcher));
}

/** Whether the server runs, once that is known; if not, say so. */
export async function isRunning(lifecycle: Lifecycle): Promise<boolean> {
  try {
    await lifecycle.running();
    return true;
  } catch (error) {
    void notify('error', vscode.l10n.t('The agentfs server is not running. {0}', messageOf(error)));
    return false;
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
