/** Lets the user create, rename, delete, and restore checkpoints. The view of landed changes shows them. */
import * as vscode from 'vscode';
import type { Checkpoint, CheckpointStore } from '../history/checkpoints';
import type { Undos } from '../history/undos';
import { mayAsk, userWaits } from '../review/userWaits';
import { messageOf } from '../util/display';
import { pick } from '../util/pick';
import { askText, notify } from '../util/window';
import { timeOf } from './times';

/** Longer names are cut: they are part of the proposal's explanation, which has a limit. */
const LONGEST = 200;

export class Checkpoints {
  constructor(
    private readonly store: CheckpointStore,
    private readonly undos: Undos,
  ) {}

  /** Name the moment at which the user asks for it. */
  async create(): Promise<void> {
    const at = Date.now();
    const name = await askName(vscode.l10n.t('Create Checkpoint'), '');
    if (name !== undefined) {
      await this.change(() => this.store.create(name || vscode.l10n.t('Checkpoint'), at));
    }
  }

  async rename(checkpoint: Checkpoint): Promise<void> {
    const name = await askName(vscode.l10n.t('Rename Checkpoint'), checkpoint.name);
    if (name !== undefined && name !== '' && name !== checkpoint.name) {
      await this.change(() => this.store.rename(checkpoint, name));
    }
  }

  async delete(checkpoint: Checkpoint): Promise<void> {
    await this.change(() => this.store.delete(checkpoint));
  }

  /** Propose to undo everything that landed after a checkpoint, which the user picks if none is given. */
  async restore(given?: Checkpoint): Promise<void> {
    const checkpoint = given ?? (await this.pick());
    if (checkpoint !== undefined) {
      await this.undos.restore(checkpoint);
    }
  }

  private async pick(): Promise<Checkpoint | undefined> {
    const isWaiting = userWaits();
    await this.store.load();
    if (this.store.all.length === 0) {
      void notify('information', vscode.l10n.t('There are no checkpoints in this workspace.'));
      return undefined;
    }
    const title = vscode.l10n.t('Restore Checkpoint');
    if (!(await mayAsk(title, isWaiting))) {
      return undefined;
    }
    return pick({
      title,
      placeHolder: vscode.l10n.t('agentfs proposes to undo what landed after the checkpoint. You review it.'),
      choices: () => Promise.resolve(this.store.all.map((one) => ({ value: one, label: one.name, detail: timeOf(one.at) }))),
    });
  }

  private async change(how: () => Promise<void>): Promise<void> {
    try {
      await how();
    } catch (error) {
      void notify('error', vscode.l10n.t('The checkpoint could not be stored. {0}', messageOf(error)));
    }
  }
}

async function askName(title: string, value: string): Promise<string | undefined> {
  const prompt = vscode.l10n.t('A checkpoint names this moment, so that you can undo what lands after it.');
  const name = await askText({ title, prompt, placeHolder: vscode.l10n.t('Name (optional)'), value });
  return name?.trim().slice(0, LONGEST);
}
