/** Proposes to undo landed changes. The user reviews that like any other change. */
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { agentOf } from '../proposals/notifications';
import { EditorMethod, type Proposed, type UserUndoParams } from '../protocol/types';
import { userWaits, type IsWaiting } from '../review/userWaits';
import type { Ask } from '../server/agentRequests';
import { notify } from '../util/window';
import type { Checkpoint } from './checkpoints';
import { MOST, selectChanges } from './select';
import { USERS_SESSION, type SessionChanges } from './sessions';
import type { HistoryRecord } from './store';

/** An undo that the user asked for. */
interface Undo {
  /** Its own, whose name no agent can guess. */
  readonly session: string;
  isWaiting: IsWaiting;
  /** The proposal's id, once it has arrived. */
  proposal?: string;
}

/** What to undo, and why; undefined if there is nothing, which the user has been told. */
type Selected = Pick<UserUndoParams, 'change_id' | 'change_ids' | 'explanation'> | undefined;

/** As in `selectChanges`. */
type Wanted = Parameters<typeof selectChanges> extends [unknown, ...infer Rest] ? Rest : never;

export class Undos {
  /** Those under way, by what they undo. */
  private readonly underWay = new Map<string, Undo>();

  constructor(private readonly ask: Ask) {}

  /** Propose to undo one change. */
  async undo({ id }: Pick<HistoryRecord, 'id'>): Promise<void> {
    await this.propose(id, () => Promise.resolve({ change_id: id }));
  }

  /** Propose to undo all changes of an agent in a session at once, including those that aren't loaded. */
  async undoSession(row: SessionChanges): Promise<void> {
    const { id, session, agent } = row;
    await this.propose(id, async () => {
      const connection = row.connection ?? (await this.connectionOf(row));
      const found = await this.select({ session }, (change) => change.agent === agent && change.connection === connection);
      return found && { change_ids: found, explanation: vscode.l10n.t('Undo everything in this session of {0}. Changes: {1}.', agentOf(agent), found.length) };
    });
  }

  /** Propose to undo at once everything that landed after a checkpoint, by whomever. */
  async restore({ id, name, at }: Checkpoint): Promise<void> {
    await this.propose(id, async () => {
      const found = await this.select({}, () => true, at);
      return found && { change_ids: found, explanation: vscode.l10n.t('Restore the checkpoint “{0}”. Changes: {1}.', name, found.length) };
    });
  }

  /** Whether this is an undo that the user has just asked for. */
  readonly awaits = async ({ id, session }: Proposed): Promise<boolean> => {
    const undo = [...this.underWay.values()].find((each) => each.session === session);
    if (undo === undefined) {
      return false;
    }
    undo.proposal = id;
    return undo.isWaiting();
  };

  /** Propose an undo. Asked for again, its review opens. */
  private async propose(key: string, select: () => Promise<Selected>): Promise<void> {
    const before = this.underWay.get(key);
    if (before !== undefined) {
      before.isWaiting = userWaits();
      if (before.proposal !== undefined) {
        await vscode.commands.executeCommand('agentfs.ui.openReview', before.proposal);
      }
      return;
    }
    const undo = { session: `${USERS_SESSION}${randomUUID()}`, isWaiting: userWaits() };
    this.underWay.set(key, undo);
    try {
      const selected = await select();
      if (selected !== undefined) {
        await this.send({ ...selected, session: undo.session, agent: vscode.l10n.t('Undo') });
      }
    } finally {
      this.underWay.delete(key);
    }
  }

  private async send(params: UserUndoParams): Promise<void> {
    const { error, data, text } = await this.ask(EditorMethod.userUndo, params);
    if (error !== undefined && error.code !== 'USER_REJECTED') {
      void notify('error', text);
    } else if (data['unchanged'] === true) {
      void notify('information', text);
    }
  }

  /** The connection of a session whose changes the server hasn't told yet: others may have sessions of the same name. */
  private async connectionOf({ session, records }: SessionChanges): Promise<string | undefined> {
    const shown = new Set(records.map(({ id }) => id));
    let connection: string | undefined;
    await selectChanges(this.ask, { session }, (change) => {
      connection = shown.has(change.change_id) ? change.connection : connection;
      return false;
    });
    return connection;
  }

  /** The ids of changes; undefined if they can't be undone together, which the user is told. */
  private async select(...wanted: Wanted): Promise<string[] | undefined> {
    const found = await selectChanges(this.ask, ...wanted);
    if ('error' in found) {
      void notify('error', found.error);
      return undefined;
    }
    const { ids } = found;
    if (ids.length > 0 && ids.length <= MOST) {
      return ids;
    }
    void notify(
      'information',
      ids.length === 0 ? vscode.l10n.t('There is nothing to undo.') : vscode.l10n.t('Only {0} changes can be undone together, and there are {1}.', MOST, ids.length),
    );
    return undefined;
  }
}
