/** Tells menus and keys what they depend on: whether a review is visible and active, and how many wait. */
import * as vscode from 'vscode';
import type { Review, ReviewQueue } from '../queue';
import type { Drafts } from './drafts';
import { draftInFront } from './draftsView';
import type { Edits } from './edits';
import type { ReviewEditors } from './review';
import { isMultiDiff } from './tabs';

type Kind = '' | 'single' | 'several' | 'part';

/** What the tab in front shows: nothing of a review, one of a file, one of several files, or a single one of these. */
function kindOf(tab: vscode.Tab | undefined, review: Review | undefined, isPart: boolean): Kind {
  if (tab === undefined || review === undefined) {
    return '';
  }
  return isMultiDiff(tab) ? 'several' : isPart ? 'part' : 'single';
}

/** Keep the context keys `agentfs.ui.*` true. */
export function keepContext(
  queue: ReviewQueue,
  editors: ReviewEditors,
  edits: Edits,
  drafts: Drafts,
): vscode.Disposable {
  const told = new Map<string, unknown>();
  const tell = (key: string, value: unknown): void => {
    if (told.get(key) !== value) {
      told.set(key, value);
      void vscode.commands.executeCommand('setContext', `agentfs.ui.${key}`, value);
    }
  };
  const refresh = (): void => {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    const review = editors.current;
    tell('review', kindOf(tab, review, editors.currentPart !== undefined));
    tell('pending', queue.size > 0);
    tell('waiting', queue.size > 0 || edits.previews > 0);
    tell('more', queue.size > 1);
    tell('drafts', drafts.all.length > 0);
    tell('draft', draftInFront(drafts) !== undefined);
  };
  refresh();
  return vscode.Disposable.from(
    queue.changed.subscribe(refresh),
    drafts.changed.subscribe(refresh),
    edits.changed.subscribe(refresh),
    vscode.window.tabGroups.onDidChangeTabs(refresh),
    vscode.window.tabGroups.onDidChangeTabGroups(refresh),
  );
}
