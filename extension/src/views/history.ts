/**
 * The view of what landed, newest first: seen in this window, and, where the server keeps a history, that of the
 * workspace. A change's diff, and its undoing, are `history/diff.ts`.
 */
import * as vscode from 'vscode';
import type { Server } from '../server/client';
import { SECTION } from '../server/settings';
import { HistoryStore, type HistoryRecord } from '../history/store';
import { AgentMethod, EditorMethod, type Envelope, type History } from '../protocol/types';
import { brief, counts, visible } from '../util/display';
import { historyMethod, undoMethod } from '../history/diff';
import type { Ended } from '../proposals/decisions';
import { recordsOfHistory, recordOfDecision, recordOfEnvelope, namesOf } from '../history/records';
import { agentOf } from '../proposals/notifications';

/** So many are asked for at once. */
const PAGE = 50;

/** The last row, where the server has more. */
const OLDER = 'older';

type Row = HistoryRecord | typeof OLDER;

export class HistoryView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly records = new HistoryStore();
  private readonly parts: vscode.Disposable[];
  /** The oldest change that the server told of, where it has older ones. */
  private last: string | undefined;
  private isKnown = false;
  private refreshing: 'no' | 'once' | 'again' = 'no';

  constructor(private readonly server: Server) {
    const view = vscode.window.createTreeView('agentfs.landed', { treeDataProvider: this });
    this.parts = [
      view,
      view.onDidChangeVisibility(({ visible: isVisible }) => isVisible && this.refresh()),
      vscode.Disposable.from(
        this.records.changed.subscribe(() => this.changes.fire()),
        server.answered.subscribe((answer) => this.answered(answer)),
        server.stateChanged.subscribe(({ kind }) => kind === 'running' && this.refresh()),
      ),
    ];
  }

  /** A review is over; what landed of it is kept with the texts that the user saw. */
  ended(ended: Ended): void {
    if (ended.outcome === 'landed' || ended.outcome === 'editor') {
      this.records.add(recordOfDecision(ended));
      this.refresh();
    }
  }

  /** Ask the server for changes before those that are listed. */
  async older(): Promise<void> {
    await this.load(this.last);
  }

  getChildren(row?: Row): Row[] {
    return row !== undefined ? [] : [...this.records.all, ...(this.last === undefined ? [] : [OLDER] as const)];
  }

  getTreeItem(row: Row): vscode.TreeItem {
    return row === OLDER ? olderItem() : itemOf(row, this.isKept && undoMethod(this.server) !== undefined);
  }

  dispose(): void {
    vscode.Disposable.from(...this.parts).dispose();
    this.changes.dispose();
  }

  /** Changes that nobody reviewed here show in their answers alone, where the server keeps none. */
  private answered({ method, params, envelope }: { method: string; params: unknown; envelope: Envelope }): void {
    if (this.isKept) {
      this.refresh();
      return;
    }
    const tool = method === EditorMethod.userUndo ? AgentMethod.undo : method;
    const record = recordOfEnvelope(tool.replace('agentfs/', ''), params, envelope);
    if (record !== undefined) {
      this.records.add(record);
    }
  }

  private get isKept(): boolean {
    const isOn = vscode.workspace.getConfiguration(SECTION).get('history.enabled', true);
    return isOn && historyMethod(this.server) !== undefined;
  }

  /** Look at the newest ones again; once more afterwards, however many changes come meanwhile. */
  private refresh(): void {
    if (!this.isKept || this.refreshing !== 'no') {
      this.refreshing = this.refreshing === 'no' ? 'no' : 'again';
      return;
    }
    this.refreshing = 'once';
    void this.load()
      .catch((error: unknown) => this.server.channel.warn(String(error)))
      .then(() => {
        const isStale = this.refreshing === 'again';
        this.refreshing = 'no';
        if (isStale) {
          this.refresh();
        }
      });
  }

  private async load(before?: string): Promise<void> {
    const params = { limit: PAGE, ...(before === undefined ? {} : { before }) };
    const { data } = await this.server.request<Envelope>(
      historyMethod(this.server) ?? AgentMethod.history,
      params,
    );
    const { changes = [], more = false } = data as Partial<History>;
    if (before !== undefined || !this.isKnown) {
      this.isKnown = true;
      this.last = more ? changes.at(-1)?.change_id : undefined;
    }
    this.records.merge(recordsOfHistory(data));
  }
}

function itemOf(record: HistoryRecord, canUndo: boolean): vscode.TreeItem {
  const item = new vscode.TreeItem(visible(namesOf(record)));
  item.id = record.id;
  const agent = agentOf(record.agent);
  const amount = counts(record.added, record.removed);
  const time = timeOf(record.at);
  const isUnsaved = record.landing === 'editor';
  item.description = [agent, amount, time, ...(isUnsaved ? [vscode.l10n.t('unsaved')] : [])].join(' · ');
  item.iconPath = new vscode.ThemeIcon(record.tool === 'undo' ? 'discard' : isUnsaved ? 'edit' : 'check');
  item.contextValue = canUndo ? 'undoable' : 'landed';
  item.command = { command: 'agentfs.ui.row.openLanded', title: vscode.l10n.t('Open Diff'), arguments: [record] };
  const lines = [...record.paths.map(visible), agent, brief(record.explanation, 500)];
  item.tooltip = lines.filter((line) => line !== '').join('\n');
  item.accessibilityInformation = {
    label: vscode.l10n.t('{0}, landed at {1}, proposed by {2}', visible(namesOf(record)), time, agent),
  };
  return item;
}

function olderItem(): vscode.TreeItem {
  const item = new vscode.TreeItem(vscode.l10n.t('Older Changes…'));
  item.id = OLDER;
  item.iconPath = new vscode.ThemeIcon('history');
  item.contextValue = OLDER;
  item.command = { command: 'agentfs.ui.olderLanded', title: vscode.l10n.t('Older Changes…') };
  return item;
}

/** Of today the time alone. */
function timeOf(at: number): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  const { language } = vscode.env;
  return isToday ? date.toLocaleTimeString(language) : date.toLocaleString(language);
}
