/** Shows in the status bar which hunk of the review in front the keys and buttons decide on, of how many. */
import * as vscode from 'vscode';
import type { HunkDecisions } from '../proposals/hunkDecisions';
import type { ProposalStore } from '../proposals/store';
import type { DiffEditors } from '../review/diffEditor';
import { hunkAt } from '../review/hunks';
import { StatusItem } from '../util/window';

/** Held keys move the cursor, and change the text, more often than the hunks of a long text can be found. */
const SOON_MS = 100;

export class HunkCount implements vscode.Disposable {
  private readonly item = new StatusItem('agentfs.hunks', vscode.l10n.t('agentfs: hunks'), 7);
  private timer: NodeJS.Timeout | undefined;
  private isShown = false;
  private readonly listeners: vscode.Disposable;

  constructor(
    proposals: ProposalStore,
    private readonly editors: DiffEditors,
    private readonly hunks: HunkDecisions,
  ) {
    const soon = (): void => this.soon();
    this.listeners = vscode.Disposable.from(
      proposals.onDidChange(() => this.refresh()),
      hunks.onDidDecide(() => this.refresh()),
      editors.inline.onDidChange(() => this.refresh()),
      vscode.window.tabGroups.onDidChangeTabs(soon),
      vscode.window.tabGroups.onDidChangeTabGroups(soon),
      vscode.window.onDidChangeActiveTextEditor(soon),
      vscode.window.onDidChangeVisibleTextEditors(soon),
      vscode.window.onDidChangeTextEditorSelection(soon),
      vscode.workspace.onDidChangeTextDocument(({ document: { uri } }) => editors.isInFront(uri) && soon()),
    );
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listeners.dispose();
    this.item.dispose();
  }

  private soon(): void {
    this.timer ??= setTimeout(() => this.refresh(), SOON_MS);
  }

  private refresh(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const front = this.hunks.front();
    const hunk = front && hunkAt(front.hunks, front.line);
    if (front === undefined || hunk === undefined) {
      this.item.hide();
      this.tell(false);
      return;
    }
    const { length } = front.hunks;
    const at = front.hunks.indexOf(hunk) + 1;
    const accepted = front.hunks.filter(({ isAccepted }) => isAccepted).length;
    const text = accepted === 0 ? vscode.l10n.t('Hunk {0} of {1}', at, length) : vscode.l10n.t('Hunk {0} of {1} · accepted: {2}', at, length, accepted);
    const tooltip = accepted === 0
      ? vscode.l10n.t('{0}. Accept Hunk and Reject Hunk decide on this one.', text)
      : vscode.l10n.t('Hunks left: {0}. Accepted: {1}; they are applied once you have decided on all.', length - accepted, accepted);
    this.item.show({ icon: 'diff', text, tooltip, command: undefined });
    this.tell(this.editors.inline.current === undefined); // comments in the file have buttons of their own
  }

  /** Whether the title of the diff has buttons for hunks. */
  private tell(isShown: boolean): void {
    if (isShown !== this.isShown) {
      this.isShown = isShown;
      void vscode.commands.executeCommand('setContext', 'agentfs.ui.hunks', isShown);
    }
  }
}
