/** Proposes to undo landed changes. The user reviews that like any other change. */
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { agentOf } from '../proposals/notifications';
import { EditorMethod, type LandedChange, type Proposed, type UserUndoParams } from '../protocol/types';
import { userWaits, type IsWaiting } from '../review/userWaits';
import type { Ask } from '../server/agentRequests';
import { brief } from '../util/display';
import { confirm, notify } from '../util/window';
import type { Checkpoint } from './checkpoints';
import { MOST, selectChanges } from './select';
import { USERS_SESSION, type SessionChanges } from './sessions';
import type { HistoryRecord } from './store';

/** An undo that the user asked for. */
interface Undo {
  /** Its own, whose name no agent can guess. */
  readonly session: string;
  /** What it undoes. */
  title: string;
  isWaiting: IsWaiting;
  /** The proposal's id, once it has arrived. */
  proposal?: string;
}

/** What to undo; undefined if there is nothing, which the user has been told. */
type Selected = Pick<UserUndoParams, 'change_id' | 'change_ids' | 'leave_blocked'> | undefined;

/** As in `selectChanges`. */
type Wanted = Parameters<typeof selectChanges> extends [unknown, ...infer Rest] ? Rest : never;

export type UndoableChange = Pick<HistoryRecord, 'id' | 'agent' | 'tool' | 'explanation'>;

export class Undos {
  /** Those under way, by what they undo. */
  private readonly underWay = new Map<string, Undo>();

  constructor(
    private readonly ask: Ask,
    /** Shows how files, by path, differ from what they were before changes, by id. */
    private readonly showConflict: (paths: readonly string[], ids: readonly string[]) => Promise<void>,
    /** Whether the mode lets an undo land without a review. */
    private readonly landsAtOnce: () => boolean,
  ) {}

  /** Propose to undo one change. */
  async undo(change: UndoableChange): Promise<void> {
    const { id } = change;
    await this.propose(id, titleOf(change), () => Promise.resolve({ change_id: id }));
  }

  /** Propose to undo at once a change and everything that its agent has changed since in the same session. */
  async undoFrom(change: HistoryRecord): Promise<void> {
    const { id, session, agent } = change;
    await this.propose(`from ${id}`, vscode.l10n.t('Undo Changes of {0}', agentOf(agent)), async () => {
      const connection = change.connection ?? (await this.connectionOf({ session, records: [change] }));
      const isWanted = (other: LandedChange): boolean => other.agent === agent && other.connection === connection;
      const found = await this.select({ session }, isWanted, { id });
      if (found?.change_ids?.includes(id) === false) {
        void notify('information', vscode.l10n.t('This change is no longer in the history.'));
        return undefined;
      }
      return found;
    });
  }

  /** Propose to undo all changes of an agent in a session at once, including those that aren't loaded. */
  async undoSession(row: SessionChanges): Promise<void> {
    const { id, session, agent } = row;
    await this.propose(id, vscode.l10n.t('Undo Session of {0}', agentOf(agent)), async () => {
      const connection = row.connection ?? (await this.connectionOf(row));
      return this.select({ session }, (change) => change.agent === agent && change.connection === connection);
    });
  }

  /** Propose to undo at once everything that landed after a checkpoint, by whomever. */
  async restore({ id, name, at }: Checkpoint): Promise<void> {
    await this.propose(id, vscode.l10n.t('Restore “{0}”', name), () => this.select({}, () => true, { time: at }));
  }

  /** What a proposal undoes, if the user has asked for it here. */
  titleOf({ session }: Proposed): string | undefined {
    return this.of(session)?.title;
  }

  /** Whether this is an undo that the user has just asked for. */
  readonly awaits = async ({ id, session }: Proposed): Promise<boolean> => {
    const undo = this.of(session);
    if (undo === undefined) {
      return false;
    }
    undo.proposal = id;
    return undo.isWaiting();
  };

  /** Propose an undo, after a question if nobody would review it. Asked for again, its review opens. */
  private async propose(key: string, title: string, select: () => Promise<Selected>): Promise<void> {
    const before = this.underWay.get(key);
    if (before !== undefined) {
      before.isWaiting = userWaits();
      if (before.proposal !== undefined) {
        await vscode.commands.executeCommand('agentfs.ui.openReview', before.proposal);
      }
      return;
    }
    if (this.landsAtOnce() && !(await askToUndo(title))) {
      return;
    }
    const undo = { session: `${USERS_SESSION}${randomUUID()}`, title, isWaiting: userWaits() };
    this.underWay.set(key, undo);
    try {
      const selected = await select();
      if (selected !== undefined) {
        await this.send(selected, undo, () => this.propose(key, title, () => Promise.resolve({ ...selected, leave_blocked: true })));
      }
    } finally {
      this.underWay.delete(key);
    }
  }

  private of(session: string): Undo | undefined {
    return [...this.underWay.values()].find((each) => each.session === session);
  }

  /** `others`: proposes to undo what can be undone, if that isn't everything. */
  private async send(selected: NonNullable<Selected>, { session, title }: Undo, others: () => Promise<void>): Promise<void> {
    const params = { ...selected, session, agent: vscode.l10n.t('Undo'), explanation: title };
    const { error, data, text, context } = await this.ask(EditorMethod.userUndo, params);
    if (error !== undefined && error.code !== 'USER_REJECTED') {
      void this.offer(text, selected, context.blocked ?? [], others); // without waiting: the user may ask again meanwhile
    } else if (data['unchanged'] === true) {
      void notify('information', text);
    }
  }

  /** Tell why nothing is proposed, and offer what can be done about files that stand in the way. */
  private async offer(text: string, selected: NonNullable<Selected>, blocked: readonly string[], others: () => Promise<void>): Promise<void> {
    const { change_ids: ids = [], leave_blocked: isLeft } = selected;
    const buttons = blocked.length === 0 ? {} : {
      ...(isLeft === true ? {} : { [vscode.l10n.t('Undo the Others')]: others }),
      [vscode.l10n.t('Show Conflict')]: () => this.showConflict(blocked, ids),
    };
    const chosen = await notify('error', text, ...Object.keys(buttons));
    await buttons[chosen ?? '']?.();
  }

  /** The connection of a session whose changes the server hasn't told yet: others may have sessions of the same name. */
  private async connectionOf({ session, records }: Pick<SessionChanges, 'session' | 'records'>): Promise<string | undefined> {
    const shown = new Set(records.map(({ id }) => id));
    let connection: string | undefined;
    await selectChanges(this.ask, { session }, (change) => {
      connection = shown.has(change.change_id) ? change.connection : connection;
      return false;
    });
    return connection;
  }

  /** The changes to undo; undefined if they can't be undone together, which the user is told. */
  private async select(...wanted: Wanted): Promise<Selected> {
    const found = await selectChanges(this.ask, ...wanted);
    if ('error' in found) {
      void notify('error', found.error);
      return undefined;
    }
    const { ids } = found;
    if (ids.length > 0 && ids.length <= MOST) {
      return { change_ids: ids };
    }
    void notify(
      'information',
      ids.length === 0 ? vscode.l10n.t('There is nothing to undo.') : vscode.l10n.t('Only {0} changes can be undone together, and there are {1}.', MOST, ids.length),
    );
    return undefined;
  }
}

/** What the undo of a change is called: an undo by what it undid, others by whose they are. */
function titleOf({ agent, tool, explanation }: UndoableChange): string {
  return tool === 'undo' && explanation !== ''
    ? vscode.l10n.t('Undo “{0}”', brief(explanation, 60))
    : vscode.l10n.t('Undo Change of {0}', agentOf(agent));
}

function askToUndo(title: string): Promise<boolean> {
  const details = [vscode.l10n.t('Changes are accepted without a review now, and so is this one.')];
  return confirm(vscode.l10n.t('{0}, without a review?', title), details, vscode.l10n.t('Undo'));
}
