/** Marks files with pending proposals in the Explorer, on tabs, and wherever else VS Code shows a file's name. */
import * as vscode from 'vscode';
import { agentOf, OPERATIONS } from '../proposals/notifications';
import { PendingFiles } from '../proposals/pendingFiles';
import type { Review } from '../proposals/review';
import type { ProposalStore } from '../proposals/store';
import { readSettings, SECTION } from '../server/settings';
import type { ProposedFile } from '../protocol/types';
import { counts } from '../util/display';

/** VS Code drops URIs from events with more than 250. */
const MOST_AT_ONCE = 250;

const SETTING = `${SECTION}.decorations`;

export class FileDecorations implements vscode.FileDecorationProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri[]>();
  readonly onDidChangeFileDecorations = this.changed.event;
  private readonly pending = new PendingFiles((uri) => vscode.Uri.parse(uri).toString());
  private isEnabled = readSettings(vscode.workspace.getConfiguration(SECTION)).decorations;
  private readonly parts: vscode.Disposable;

  constructor(proposals: ProposalStore) {
    this.parts = vscode.Disposable.from(
      this.changed,
      vscode.window.registerFileDecorationProvider(this),
      proposals.onDidChange((review) => this.tell(this.pending.update(review, proposals.get(review.proposed.id) === review))),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(SETTING)) {
          this.isEnabled = readSettings(vscode.workspace.getConfiguration(SECTION)).decorations;
          this.tell(this.pending.all);
        }
      }),
    );
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    const pending = this.isEnabled ? this.pending.get(uri.toString()) : [];
    if (pending.length === 0) {
      return undefined;
    }
    const meaning = pending.map(([review, file]) => meaningOf(review, file)).join(' • ');
    // A letter, as git has them.
    const decoration = new vscode.FileDecoration('P', meaning, new vscode.ThemeColor('agentfs.pendingResourceForeground'));
    // As for changes in git, folders show that something below them waits: also a new file, which has no row yet.
    decoration.propagate = true;
    return decoration;
  }

  dispose(): void {
    this.parts.dispose();
  }

  private tell(keys: readonly string[]): void {
    for (let at = 0; at < keys.length; at += MOST_AT_ONCE) {
      this.changed.fire(keys.slice(at, at + MOST_AT_ONCE).map((key) => vscode.Uri.parse(key)));
    }
  }
}

function meaningOf({ proposed }: Review, file: ProposedFile): string {
  const operation = OPERATIONS[file.operation]?.();
  const change = [...(operation === undefined ? [] : [operation]), counts(file.lines_added, file.lines_removed)];
  return vscode.l10n.t('Pending change by {0}: {1}', agentOf(proposed.agent), change.join(', '));
}
