/**
 * "Try a Sample Proposal": an agent in the extension changes a scratch file, through the same requests as any other, and
 * a notification says what to try. The turn goes on with whatever the user decides, and ends when the user or the server
 * stops it.
 */
import * as vscode from 'vscode';
import type { Ended } from '../proposals/settling';
import type { Proposed } from '../protocol/types';
import { userWaits } from '../review/userWaits';
import type { Ask } from '../server/agentRequests';
import type { Server } from '../server/client';
import { currentSettings, type Lifecycle } from '../server/lifecycle';
import { SECTION } from '../server/settings';
import { baseName, messageOf } from '../util/display';
import { notify } from '../util/window';
import type { StatusBar } from '../views/statusBar';
import { createFile, isThere, removeFile } from './file';
import { Run } from './run';
import { script } from './script';

/** Where the file of a turn is remembered until the user was asked about it, as the window may be reloaded. */
const MEMORY = 'sample.file';

export class Sample {
  private current: Run | undefined;
  private readonly said = new vscode.EventEmitter<string>();
  /** What the user is told to try; nothing once the turn is over. */
  readonly onDidSay = this.said.event;

  constructor(
    private readonly ask: Ask,
    private readonly server: Server,
    private readonly lifecycle: Lifecycle,
    private readonly status: StatusBar,
    /** Of this workspace. */
    private readonly memory: vscode.Memento,
    /** Called when a turn was played to its end. */
    private readonly played: () => void,
  ) {}

  /** Play the turn; while it is under way, show what it waits for. */
  async start(): Promise<void> {
    if (this.current !== undefined) {
      await this.current.show();
      return;
    }
    const run = new Run(this.ask, this.server, userWaits(), (words) => this.said.fire(words));
    this.current = run;
    const report = await this.prepareAndPlay(run).finally(() => (this.current = undefined));
    await report();
  }

  /** The window was reloaded before the user was asked about the file of a turn: offer to remove it. */
  async offerLeftover(): Promise<void> {
    const left = this.memory.get<string>(MEMORY);
    const file = left === undefined ? undefined : vscode.Uri.parse(left);
    if (file !== undefined && (await isThere(file))) {
      await this.over(file, vscode.l10n.t('The sample is over.'));
    }
  }

  /** Whether this is the first proposal of a turn that the user has just asked for. */
  readonly awaits = async (proposed: Proposed): Promise<boolean> => (await this.current?.awaits(proposed)) ?? false;

  /** A review has ended. */
  ended(ended: Ended): void {
    this.current?.ended(ended);
  }

  /** Play the turn, if it can be. What this returns tells the user about it, and may start another one. */
  private async prepareAndPlay(run: Run): Promise<() => Promise<void>> {
    try {
      await this.lifecycle.running();
    } catch (error) {
      const text = vscode.l10n.t('The agentfs server is not running. {0}', messageOf(error));
      return async () => void (await notify('error', text));
    }
    const { mode, root, several } = await run.look();
    if (root === undefined) {
      return openFolder;
    }
    if (currentSettings().style !== 'diff') {
      return openStyle;
    }
    if (mode === 'auto_edit') {
      return () => this.offerManual();
    }
    const { text, changes } = script();
    let file: vscode.Uri;
    try {
      file = await createFile(vscode.Uri.parse(root.uri), text);
    } catch (error) {
      return async () => void (await notify('error', vscode.l10n.t('The sample’s file could not be created. {0}', messageOf(error))));
    }
    await this.memory.update(MEMORY, file.toString());
    const path = several ? `${root.name}/${baseName(file.path)}` : baseName(file.path);
    const { isComplete, text: end } = await run.play(file, path, changes);
    if (isComplete) {
      this.played();
    }
    return () => this.over(file, end);
  }

  /** Say how the turn ended, and offer to remove its file. */
  private async over(file: vscode.Uri, end: string): Promise<void> {
    if (!(await isThere(file))) {
      void notify('information', end);
      return;
    }
    const remove = vscode.l10n.t('Delete File…');
    const connect = vscode.l10n.t('Connect an Agent…');
    const left = vscode.l10n.t('{0} is still in the folder.', baseName(file.path));
    const chosen = await notify('information', `${end} ${left}`, remove, connect);
    if (this.memory.get(MEMORY) === file.toString()) {
      await this.memory.update(MEMORY, undefined);
    }
    if (chosen === remove) {
      await removeFile(file);
    } else if (chosen === connect) {
      await vscode.commands.executeCommand('agentfs.ui.connectAgent');
      await this.over(file, vscode.l10n.t('The sample is over.'));
    }
  }

  /** In auto mode there is nothing to review: the user may end it, and then try again. */
  private async offerManual(): Promise<void> {
    const manual = vscode.l10n.t('Review Every Change Again');
    const text = vscode.l10n.t('agentfs accepts changes without review now, so the sample has nothing to show.');
    if ((await notify('information', text, manual)) === manual) {
      await this.status.manual();
      await this.start();
    }
  }
}

async function openFolder(): Promise<void> {
  const open = vscode.l10n.t('Open Folder');
  const text = vscode.l10n.t('Open a folder for the sample first: agents can only change files in open folders.');
  if ((await notify('information', text, open)) === open) {
    await vscode.commands.executeCommand('vscode.openFolder');
  }
}

async function openStyle(): Promise<void> {
  const settings = vscode.l10n.t('Open Settings');
  const text = vscode.l10n.t('The sample shows reviews in the diff editor. The setting agentfs.review.style has another value.');
  if ((await notify('information', text, settings)) === settings) {
    await vscode.commands.executeCommand('workbench.action.openSettings', `${SECTION}.review.style`);
  }
}
