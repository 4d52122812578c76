/** Opens the editor of several files. */
import * as vscode from 'vscode';
import { run, toGroup } from './editorFocus';
import { allTabs, isMultiDiff, reviewIdOf } from './tabs';

interface Sides {
  left: vscode.Uri;
  right: vscode.Uri;
}

/**
 * Show the review `id` in an editor of several files, or bring the one that shows it to the front; scroll to the file
 * with the right side `revealed`.
 */
export async function openSeveral(id: string, title: string, files: readonly Sides[], revealed?: vscode.Uri): Promise<void> {
  const options = {
    title,
    // Tells VS Code which editor is the same. The public command has none, and opens another one each time.
    multiDiffSourceUri: vscode.Uri.from({ scheme: 'multi-diff-editor', path: `agentfs-${id}` }),
    resources: files.map(({ left, right }) => ({ originalUri: left, modifiedUri: right })),
    ...(revealed === undefined ? {} : { reveal: { modifiedUri: revealed } }),
  };
  const shown = allTabs().find((tab) => isMultiDiff(tab) && reviewIdOf(tab) === id);
  await run(
    ...(shown === undefined ? [] : toGroup(shown.group)),
    { command: '_workbench.openMultiDiffEditor', args: [options] },
    { command: 'workbench.action.keepEditor' }, // it always opens as a preview, which the next file would replace
  );
}
