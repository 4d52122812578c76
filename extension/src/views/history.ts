/**
 * The view of landed changes, newest first and grouped by session: those of this window and, if the server keeps a
 * history, the workspace's. `history/diff.ts` shows a change's diff, and `history/undos.ts` undoes changes.
 */
import * as vscode from 'vscode';
import { isHistoryKept } from '../history/diff';
import type { HistoryLoader } from '../history/loader';
import { isUnsaved } from '../history/landings';
import { namesOf } from '../history/records';
import type { Checkpoint, CheckpointStore } from '../history/checkpoints';
import { entriesOf, isCheckpoint, isSession, USERS_SESSION, type Entry, type SessionChanges } from '../history/sessions';
import type { HistoryRecord, HistoryStore } from '../history/store';
import { undoneOf } from '../history/undone';
import { agentOf } from '../proposals/notifications';
import { brief, counts, visible } from '../util/display';
import { timeOf } from './times';

/** The last row, if the server has older changes. */
const OLDER = 'older';

type Row = Entry | typeof OLDER;

/** So much of an agent's reason leaves room for what follows it. */
const REASON_CHARACTERS = 60;

const UNDONE_ICON = new vscode.ThemeIcon('circle-slash', new vscode.ThemeColor('disabledForeground'));

export class HistoryView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly parts: vscode.Disposable;
  private undone: ReadonlySet<string> = new Set();

  constructor(
    private readonly store: HistoryStore,
    private readonly loader: HistoryLoader,
    private readonly checkpoints: CheckpointStore,
  ) {
    const view = vscode.window.createTreeView('agentfs.landed', { treeDataProvider: this, showCollapseAll: true });
    this.parts = vscode.Disposable.from(
      this.changes,
      view,
      view.onDidChangeVisibility(({ visible: isVisible }) => isVisible && loader.refresh()),
      store.onDidChange(() => this.changes.fire()),
      checkpoints.onDidChange(() => this.changes.fire()),
      vscode.window.onDidChangeWindowState(({ focused }) => focused && void checkpoints.load()),
    );
    void checkpoints.load();
  }

  getChildren(row?: Row): Row[] {
    if (row !== undefined) {
      return row !== OLDER && isSession(row) ? [...row.records] : [];
    }
    this.undone = undoneOf(this.store.all);
    const { entries, older } = entriesOf(this.store.all, this.checkpoints.all);
    return [...entries, ...(this.loader.hasOlder ? ([OLDER] as const) : []), ...older];
  }

  getTreeItem(row: Row): vscode.TreeItem {
    if (row === OLDER) {
      return olderItem();
    }
    if (isCheckpoint(row)) {
      return itemOfCheckpoint(row, isHistoryKept());
    }
    return isSession(row) ? itemOfSession(row, isHistoryKept(), this.undone) : itemOf(row, isHistoryKept(), this.undone.has(row.id));
  }

  dispose(): void {
    this.parts.dispose();
  }
}

function itemOfSession({ id, session, agent: claimed, records }: SessionChanges, canUndo: boolean, undone: ReadonlySet<string>): vscode.TreeItem {
  const agent = agentOf(claimed);
  const item = new vscode.TreeItem(agent, vscode.TreeItemCollapsibleState.Expanded);
  const count = records.length === 1 ? vscode.l10n.t('1 change') : vscode.l10n.t('{0} changes', records.length);
  const [first, last] = [timeOf(records.at(-1)?.at ?? 0, 'short'), timeOf(records[0]?.at ?? 0, 'short')];
  const isUndone = records.every((record) => undone.has(record.id));
  item.id = id;
  item.description = [...(isUndone ? [vscode.l10n.t('undone')] : []), count, amountOf(records), last].join(' · ');
  item.iconPath = isUndone ? UNDONE_ICON : new vscode.ThemeIcon('comment-discussion');
  item.contextValue = canUndo && !isUndone ? 'session.undoable' : 'session';
  item.tooltip = [
    agent,
    vscode.l10n.t('Session {0}', brief(session, 80)),
    first === last ? last : vscode.l10n.t('From {0} to {1}', first, last),
  ].join('\n');
  item.accessibilityInformation = { label: vscode.l10n.t('Session of {0}, {1}, the last landed at {2}', agent, count, last) };
  return item;
}

function amountOf(records: readonly HistoryRecord[]): string {
  const sum = (of: (record: HistoryRecord) => number): number => records.reduce((total, record) => total + of(record), 0);
  return counts(sum(({ added }) => added), sum(({ removed }) => removed));
}

function itemOfCheckpoint({ id, name, at }: Checkpoint, canRestore: boolean): vscode.TreeItem {
  const item = new vscode.TreeItem(visible(name));
  const time = timeOf(at);
  item.id = id;
  item.description = time;
  item.iconPath = new vscode.ThemeIcon('bookmark');
  item.contextValue = canRestore ? 'checkpoint.restorable' : 'checkpoint';
  item.tooltip = [visible(name), vscode.l10n.t('Checkpoint of {0}', time)].join('\n');
  item.accessibilityInformation = { label: vscode.l10n.t('Checkpoint {0}, created at {1}', visible(name), time) };
  return item;
}

function itemOf(record: HistoryRecord, canUndo: boolean, isUndone: boolean): vscode.TreeItem {
  const agent = agentOf(record.agent);
  const isAlone = record.session.startsWith(USERS_SESSION);
  const { label, beside } = namedBy(record, isAlone, agent);
  const item = new vscode.TreeItem(label);
  const undone = isUndone ? [vscode.l10n.t('undone')] : [];
  const unreviewed = record.isReviewed ? [] : [vscode.l10n.t('not reviewed')];
  const amended = record.isAmended === true ? [vscode.l10n.t('amended by you')] : [];
  const time = timeOf(record.at);
  item.id = record.id;
  item.description = [...undone, ...unreviewed, ...amended, ...beside, counts(record.added, record.removed), time, ...whereOf(record)].join(' · ');
  item.iconPath = isUndone ? UNDONE_ICON : iconOf(record);
  item.contextValue = !canUndo || isUndone ? 'landed' : isAlone ? 'undoable' : 'undoable.inSession';
  item.command = { command: 'agentfs.ui.row.openLanded', title: vscode.l10n.t('Open Diff'), arguments: [record] };
  const how = record.isReviewed ? '' : vscode.l10n.t('It landed without your review.');
  const lines = [...record.paths.map(visible), agent, brief(record.explanation, 500), how];
  item.tooltip = lines.filter((line) => line !== '').join('\n');
  const spoken = vscode.l10n.t('{0}, landed at {1}, proposed by {2}', label, time, agent);
  item.accessibilityInformation = { label: [spoken, ...undone, ...unreviewed, ...amended].join(', ') };
  return item;
}

/**
 * What a row is called: its files, with the agent's reason beside them. The row of its session names the agent. What the
 * user undid is called by what that was, as its files may be many.
 */
function namedBy(record: HistoryRecord, isAlone: boolean, agent: string): { label: string; beside: string[] } {
  const names = visible(namesOf(record));
  const why = brief(record.explanation, REASON_CHARACTERS);
  if (isAlone && record.tool === 'undo' && why !== '') {
    return { label: why, beside: [names] };
  }
  return { label: names, beside: [...(isAlone ? [agent] : []), ...(why === '' ? [] : [vscode.l10n.t('“{0}”', why)])] };
}

function iconOf(record: HistoryRecord): vscode.ThemeIcon {
  if (record.landing === 'reverted') {
    return UNDONE_ICON;
  }
  if (!record.isReviewed) {
    return new vscode.ThemeIcon('unlock');
  }
  return new vscode.ThemeIcon(record.tool === 'undo' ? 'discard' : record.landing === 'disk' ? 'check' : 'edit');
}

/** Where a change is, unless it is on disk. Nobody knows what became of it if an earlier window left it in the editor. */
function whereOf(record: HistoryRecord): string[] {
  if (record.landing === 'disk') {
    return [];
  }
  if (isUnsaved(record)) {
    return [vscode.l10n.t('unsaved')];
  }
  return [record.landing === 'reverted' ? vscode.l10n.t('reverted') : vscode.l10n.t('was unsaved')];
}

function olderItem(): vscode.TreeItem {
  const item = new vscode.TreeItem(vscode.l10n.t('Older Changes…'));
  item.id = OLDER;
  item.iconPath = new vscode.ThemeIcon('history');
  item.contextValue = OLDER;
  item.command = { command: 'agentfs.ui.olderLanded', title: vscode.l10n.t('Older Changes…') };
  return item;
}
