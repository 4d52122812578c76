/** Tells menus and keys what they depend on: whether a review is visible and active, and how many wait. */
import * as vscode from 'vscode';
import type { ReviewQueue } from '../queue';
import type { ReviewEditors } from './review';
import { isMultiDiff } from './tabs';

/** Keep the context keys `agentfs.ui.*` true. */
export function keepContext(queue: ReviewQueue, editors: ReviewEditors): vscode.Disposable {
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
    tell('review', review === undefined ? '' : tab && isMultiDiff(tab) ? 'several' : 'single');
    tell('pending', queue.size > 0);
    tell('more', queue.size > 1);
  };
  refresh();
  return vscode.Disposable.from(
    queue.changed.subscribe(refresh),
    vscode.window.tabGroups.onDidChangeTabs(refresh),
    vscode.window.tabGroups.onDidChangeTabGroups(refresh),
  );
}
