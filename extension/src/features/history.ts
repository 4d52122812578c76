/** The view of what landed in this window, with its diffs; and undo, where the server has it. */
import * as vscode from 'vscode';
import type { Server } from '../client';
import { Ledger, type Entry, type LandedText } from '../ledger';
import { AgentMethod, type Envelope } from '../protocol';
import { baseName, brief, counts, visible } from '../shown';
import { LANDED, virtualUri, type ReadOnlyTexts } from '../virtual';
import type { Ended } from './decide';
import { entryOfEnded, entryOfEnvelope, entryOfHistory, textsOfHistory } from './landed';
import { agentOf } from './review';
import { allTabs, isLandedTab } from './tabs';

const SHOWN = 50;

/** The session in which the user's own undos are proposed. */
const SESSION = 'vscode-history';

export class HistoryView implements vscode.TreeDataProvider<Entry>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly ledger = new Ledger();
  private readonly since = Date.now();
  private readonly parts: vscode.Disposable[];

  constructor(
    private readonly server: Server,
    private readonly texts: ReadOnlyTexts,
  ) {
    this.parts = [
      vscode.window.createTreeView('agentfs.landed', { treeDataProvider: this }),
      vscode.Disposable.from(
        this.ledger.changed.subscribe(() => this.changes.fire()),
        server.answered.subscribe(({ params, envelope }) => this.answered(params, envelope)),
      ),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (uri.scheme === LANDED) {
          texts.delete(uri);
        }
      }),
    ];
  }

  /** Close what an earlier window left: its texts are gone. */
  async closeStale(): Promise<void> {
    const stale = allTabs().filter(isLandedTab);
    if (stale.length > 0) {
      await vscode.window.tabGroups.close(stale, true);
    }
  }

  /** A review is over; what landed of it is kept with the texts that the user saw. */
  ended(ended: Ended): void {
    if (ended.outcome === 'landed' || ended.outcome === 'editor') {
      this.landed(entryOfEnded(ended));
    }
  }

  /** Show what a change did. */
  async open(entry: Entry): Promise<void> {
    const files = entry.files.length > 0 ? entry.files : await this.fetchTexts(entry);
    const sides = files.map((file) => this.put(entry, file));
    const [only] = sides;
    const title = vscode.l10n.t('{0} (landed)', namesOf(entry));
    if (only === undefined) {
      const uri = virtualUri(LANDED, entry.id, `${namesOf(entry)}.diff`);
      this.texts.set(uri, entry.preview);
      await vscode.window.showTextDocument(uri, { preview: true });
    } else if (sides.length === 1) {
      await vscode.commands.executeCommand('vscode.diff', only.before, only.after, title, { preview: true });
    } else {
      const resources = sides.map(({ before, after }) => [after, before, after]);
      await vscode.commands.executeCommand('vscode.changes', title, resources);
    }
  }

  /** Propose the reverse of a change; it is reviewed like any. */
  async undo(entry: Entry): Promise<void> {
    const params = { change_id: entry.id, session: SESSION, agent: vscode.l10n.t('Undo') };
    const envelope = await this.server.request<Envelope>(AgentMethod.undo, params);
    const quiet = envelope.error === undefined || envelope.error.code === 'USER_REJECTED';
    if (!quiet) {
      void vscode.window.showErrorMessage(envelope.text);
    }
  }

  getChildren(entry?: Entry): Entry[] {
    return entry === undefined ? [...this.ledger.all] : [];
  }

  getTreeItem(entry: Entry): vscode.TreeItem {
    const item = new vscode.TreeItem(visible(namesOf(entry)));
    const agent = agentOf(entry.agent);
    const amount = counts(entry.added, entry.removed);
    const time = new Date(entry.at).toLocaleTimeString();
    const unsaved = entry.landing === 'editor' ? [vscode.l10n.t('unsaved')] : [];
    item.description = [agent, amount, time, ...unsaved].join(' · ');
    item.iconPath = new vscode.ThemeIcon(entry.landing === 'editor' ? 'edit' : 'check');
    item.contextValue = this.server.methods.has(AgentMethod.undo) ? 'undoable' : 'landed';
    item.command = { command: 'agentfs.ui.openLanded', title: vscode.l10n.t('Open Diff'), arguments: [entry] };
    const lines = [...entry.paths.map(visible), agent, brief(entry.explanation, 500)];
    item.tooltip = new vscode.MarkdownString().appendText(lines.filter((line) => line !== '').join('\n'));
    item.accessibilityInformation = {
      label: vscode.l10n.t('{0}, landed at {1}, proposed by {2}', visible(namesOf(entry)), time, agent),
    };
    return item;
  }

  dispose(): void {
    vscode.Disposable.from(...this.parts).dispose();
    this.changes.dispose();
  }

  /** Changes that nobody reviewed here show in their answers alone. */
  private answered(params: unknown, envelope: Envelope): void {
    const entry = entryOfEnvelope(params, envelope);
    if (entry !== undefined) {
      this.landed(entry);
    }
  }

  private landed(entry: Entry): void {
    if (this.server.methods.has(AgentMethod.history)) {
      void this.load().catch((error: unknown) => this.server.channel.warn(String(error)));
    } else {
      this.ledger.add(entry);
    }
  }

  private async load(): Promise<void> {
    const params = { limit: SHOWN };
    const { data } = await this.server.request<Envelope>(AgentMethod.history, params);
    this.ledger.replace(entryOfHistory(data).filter(({ at }) => at >= this.since));
  }

  private async fetchTexts(entry: Entry): Promise<readonly LandedText[]> {
    if (!this.server.methods.has(AgentMethod.history)) {
      return [];
    }
    const params = { change_id: entry.id, texts: true };
    const { data } = await this.server.request<Envelope>(AgentMethod.history, params);
    return textsOfHistory(data);
  }

  private put(entry: Entry, file: LandedText): { before: vscode.Uri; after: vscode.Uri } {
    const before = virtualUri(LANDED, `${entry.id}.before`, file.path);
    const after = virtualUri(LANDED, `${entry.id}.after`, file.path);
    this.texts.set(before, file.before);
    this.texts.set(after, file.after);
    return { before, after };
  }
}

function namesOf(entry: Entry): string {
  return entry.paths.map(baseName).join(', ');
}
