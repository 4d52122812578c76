/**
 * The view of landed changes, newest first: those of this window and, if the server keeps a history, the workspace's.
 * `history/diff.ts` shows a change's diff and undoes it.
 */
import * as vscode from 'vscode';
import { isHistoryKept } from '../history/diff';
import type { HistoryLoader } from '../history/loader';
import { isUnsaved } from '../history/landings';
import { namesOf } from '../history/records';
import type { HistoryRecord, HistoryStore } from '../history/store';
import { agentOf } from '../proposals/notifications';
import { brief, counts, visible } from '../util/display';

/** The last row, if the server has older changes. */
const OLDER = 'older';

type Row = HistoryRecord | typeof OLDER;

export class HistoryView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly parts: vscode.Disposable;

  constructor(
    private readonly store: HistoryStore,
    private readonly loader: HistoryLoader,
  ) {
    const view = vscode.window.createTreeView('agentfs.landed', { treeDataProvider: this });
    this.parts = vscode.Disposable.from(
      this.changes,
      view,
      view.onDidChangeVisibility(({ visible: isVisible }) => isVisible && loader.refresh()),
      store.onDidChange(() => this.changes.fire()),
    );
  }

  getChildren(row?: Row): Row[] {
    return row !== undefined ? [] : [...this.store.all, ...(this.loader.hasOlder ? ([OLDER] as const) : [])];
  }

  getTreeItem(row: Row): vscode.TreeItem {
    return row === OLDER ? olderItem() : itemOf(row, isHistoryKept());
  }

  dispose(): void {
    this.parts.dispose();
  }
}

function itemOf(record: HistoryRecord, canUndo: boolean): vscode.TreeItem {
  const item = new vscode.TreeItem(visible(namesOf(record)));
  item.id = record.id;
  const agent = agentOf(record.agent);
  const amount = counts(record.added, record.removed);
  const time = timeOf(record.at);
  item.description = [agent, amount, time, ...whereOf(record)].join(' · ');
  item.iconPath = new vscode.ThemeIcon(record.tool === 'undo' ? 'discard' : record.landing === 'disk' ? 'check' : 'edit');
  item.contextValue = canUndo ? 'undoable' : 'landed';
  item.command = { command: 'agentfs.ui.row.openLanded', title: vscode.l10n.t('Open Diff'), arguments: [record] };
  const lines = [...record.paths.map(visible), agent, brief(record.explanation, 500)];
  item.tooltip = lines.filter((line) => line !== '').join('\n');
  item.accessibilityInformation = {
    label: vscode.l10n.t('{0}, landed at {1}, proposed by {2}', visible(namesOf(record)), time, agent),
  };
  return item;
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

/** For today, only the time. */
function timeOf(at: number): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  const { language } = vscode.env;
  return isToday ? date.toLocaleTimeString(language) : date.toLocaleString(language);
}
