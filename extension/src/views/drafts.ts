/** The view of drafts whose reviews have ended; it appears while there are any. */
import * as vscode from 'vscode';
import type { Draft } from '../review/draftStore';
import { brief, baseName, visible } from '../util/display';
import { DRAFT, virtualUri } from '../review/fileSystem';
import type { Drafts } from '../review/drafts';
import { draftIn, tabInFront } from '../review/tabs';
import { agentOf, pathNow } from '../proposals/notifications';

export class DraftsView implements vscode.TreeDataProvider<Draft>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly parts: vscode.Disposable;

  constructor(private readonly drafts: Drafts) {
    this.parts = vscode.Disposable.from(
      this.changes,
      vscode.window.createTreeView('agentfs.drafts', { treeDataProvider: this }),
      drafts.onDidChange(() => this.changes.fire()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.changes.fire()),
    );
  }

  getChildren(draft?: Draft): Draft[] {
    return draft === undefined ? [...this.drafts.all] : [];
  }

  getTreeItem(draft: Draft): vscode.TreeItem {
    const item = new vscode.TreeItem(visible(baseName(draft.path)));
    item.id = `${draft.id} ${draft.path}`;
    const time = new Date(draft.at).toLocaleString(vscode.env.language);
    item.description = `${agentOf(draft.agent)} · ${time}`;
    item.tooltip = [pathNow(draft), draft.explanation]
      .map((text) => brief(text, 500))
      .filter((text) => text !== '')
      .join('\n');
    item.resourceUri = virtualUri(DRAFT, draft.id, draft.path);
    item.iconPath = new vscode.ThemeIcon('edit');
    item.contextValue = 'draft';
    item.command = { command: 'agentfs.ui.row.openDraft', title: vscode.l10n.t('Open Draft'), arguments: [draft] };
    item.accessibilityInformation = {
      label: vscode.l10n.t('Your draft of {0}, last edited at {1}', visible(pathNow(draft)), time),
    };
    return item;
  }

  dispose(): void {
    this.parts.dispose();
  }
}

/** The draft that the active tab shows beside its file. */
export function draftInFront(drafts: Drafts): Draft | undefined {
  const tab = tabInFront();
  const uri = tab && draftIn(tab);
  return uri && drafts.shownAt(uri);
}
