/**
 * The view of what landed, newest first: seen in this window, and, where the server keeps a history, that of the
 * workspace. A change's diff, and its undoing, are `changes.ts`.
 */
import * as vscode from 'vscode';
import type { Server } from '../client';
import { SECTION } from '../config';
import { Ledger, type Entry } from '../ledger';
import { AgentMethod, EditorMethod, type Envelope, type History } from '../protocol';
import { brief, counts, visible } from '../shown';
import { historyMethod, undoMethod } from './changes';
import type { Ended } from './decide';
import { entriesOfHistory, entryOfEnded, entryOfEnvelope, namesOf } from './landed';
import { agentOf } from './telling';

/** So many are asked for at once. */
const PAGE = 50;

/** The last row, where the server has more. */
const OLDER = 'older';

type Row = Entry | typeof OLDER;

export class HistoryView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly ledger = new Ledger();
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
        this.ledger.changed.subscribe(() => this.changes.fire()),
        server.answered.subscribe((answer) => this.answered(answer)),
        server.stateChanged.subscribe(({ kind }) => kind === 'running' && this.refresh()),
      ),
    ];
  }

  /** A review is over; what landed of it is kept with the texts that the user saw. */
  ended(ended: Ended): void {
    if (ended.outcome === 'landed' || ended.outcome === 'editor') {
      this.ledger.add(entryOfEnded(ended));
      this.refresh();
    }
  }

  /** Ask the server for changes before those that are listed. */
  async older(): Promise<void> {
    await this.load(this.last);
  }

  getChildren(row?: Row): Row[] {
    return row !== undefined ? [] : [...this.ledger.all, ...(this.last === undefined ? [] : [OLDER] as const)];
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
    const entry = entryOfEnvelope(tool.replace('agentfs/', ''), params, envelope);
    if (entry !== undefined) {
      this.ledger.add(entry);
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
    this.ledger.merge(entriesOfHistory(data));
  }
}

function itemOf(entry: Entry, canUndo: boolean): vscode.TreeItem {
  const item = new vscode.TreeItem(visible(namesOf(entry)));
  item.id = entry.id;
  const agent = agentOf(entry.agent);
  const amount = counts(entry.added, entry.removed);
  const time = timeOf(entry.at);
  const isUnsaved = entry.landing === 'editor';
  item.description = [agent, amount, time, ...(isUnsaved ? [vscode.l10n.t('unsaved')] : [])].join(' · ');
  item.iconPath = new vscode.ThemeIcon(entry.tool === 'undo' ? 'discard' : isUnsaved ? 'edit' : 'check');
  item.contextValue = canUndo ? 'undoable' : 'landed';
  item.command = { command: 'agentfs.ui.row.openLanded', title: vscode.l10n.t('Open Diff'), arguments: [entry] };
  const lines = [...entry.paths.map(visible), agent, brief(entry.explanation, 500)];
  item.tooltip = lines.filter((line) => line !== '').join('\n');
  item.accessibilityInformation = {
    label: vscode.l10n.t('{0}, landed at {1}, proposed by {2}', visible(namesOf(entry)), time, agent),
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
