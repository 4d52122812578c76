/** Says once after the installation where to begin, and ticks the steps of the walkthrough when they are done. */
import * as vscode from 'vscode';
import { run } from '../review/editorFocus';
import type { Server } from '../server/client';
import { notify } from '../util/window';
import { isAuto } from './statusBar';

/** Where it is remembered that the user was told, and which steps are done. */
const WELCOMED = 'welcomed';
const DONE = 'walkthrough.done';

const STEPS = ['sample', 'connect', 'review', 'views', 'mode', 'server'] as const;
type Step = (typeof STEPS)[number];

/**
 * Each step has a command that does nothing and whose running completes it. The commands that users run don't tell, as
 * they also run by themselves (`rehearse` in commands.ts), nor does a context key: VS Code ignores those that are set
 * before it loads the walkthroughs, which it does when it first shows one. So the commands run again whenever that may be.
 */
const commandOf = (step: Step): string => `agentfs.ui.done.${step}`;

export class Walkthrough implements vscode.Disposable {
  private readonly done: Set<Step>;
  private readonly parts: vscode.Disposable;

  constructor(
    private readonly server: Server,
    /** Of all windows. */
    private readonly memory: vscode.Memento,
    /** The extension's id. */
    private readonly extension: string,
  ) {
    this.done = new Set(memory.get<readonly Step[]>(DONE, []));
    const look = (): void => this.look();
    this.parts = vscode.Disposable.from(
      ...STEPS.map((step) => vscode.commands.registerCommand(commandOf(step), () => undefined)),
      server.onDidChangeState(look),
      server.onDidChangeStatus(look),
      vscode.window.onDidChangeWindowState(look),
      // The page of walkthroughs is one of the tabs of which extensions learn nothing.
      vscode.window.tabGroups.onDidChangeTabs(({ opened, changed }) => {
        if ([...opened, ...changed].some(({ input }) => input === undefined)) {
          void this.complete([...this.done]);
        }
      }),
    );
  }

  /** The step is done, in whatever window. */
  tick(step: Step): void {
    void this.complete([step]);
    if (!this.done.has(step)) {
      this.done.add(step);
      void this.memory.update(DONE, [...this.done]);
    }
  }

  dispose(): void {
    this.parts.dispose();
  }

  private async complete(steps: readonly Step[]): Promise<void> {
    if (steps.length > 0) {
      await run(...steps.map((step) => ({ command: commandOf(step) })));
    }
  }

  private look(): void {
    const { state, status } = this.server;
    if (state.kind === 'running' && !this.done.has('server')) {
      this.tick('server');
    }
    if (isAuto(status) && !this.done.has('mode')) {
      this.tick('mode');
    }
    if (state.kind === 'running' && vscode.window.state.focused) {
      void this.welcome();
    }
  }

  /** Once per installation, tell where to begin: not users who have turned off VS Code's tips. */
  private async welcome(): Promise<void> {
    const isWanted = vscode.workspace.getConfiguration('workbench').get('tips.enabled') !== false;
    if (!isWanted || this.memory.get(WELCOMED) === true) {
      return;
    }
    await this.memory.update(WELCOMED, true);
    const begin: Readonly<Record<string, () => Thenable<unknown>>> = {
      [vscode.l10n.t('Connect an Agent…')]: () => vscode.commands.executeCommand('agentfs.ui.connectAgent'),
      [vscode.l10n.t('Try a Sample Proposal')]: () => vscode.commands.executeCommand('agentfs.ui.sample'),
      [vscode.l10n.t('Open Walkthrough')]: () => vscode.commands.executeCommand('workbench.action.openWalkthrough', `${this.extension}#start`, false),
    };
    const text = vscode.l10n.t('agentfs shows you the changes of AI agents before they are applied. A sample takes a minute.');
    const chosen = await notify('information', text, ...Object.keys(begin));
    await (chosen === undefined ? undefined : begin[chosen]?.());
  }
}
