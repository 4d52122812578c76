/** Opens the diff of a review in a tab. `diffEditor.ts` decides which and when. */
import * as vscode from 'vscode';
import { agentOf } from '../proposals/notifications';
import type { Review } from '../proposals/review';
import type { ReviewedFile } from '../protocol/types';
import { baseName, brief, visible, withoutMarkup } from '../util/display';
import { run, toGroup } from './editorFocus';
import { allTabs, isMultiDiff, reviewIdOf } from './tabs';

/** So much of an agent's name fits into a tab. */
export const AGENT_CHARACTERS = 30;

const ASKED_CHARACTERS = 60;

export interface DiffSides {
  file: ReviewedFile;
  left: vscode.Uri;
  right: vscode.Uri;
  unsaved: boolean;
}

/** With `place`, opens in that group without taking the focus. With `path`, scrolls to that one of several files. */
export async function open(review: Review, sides: readonly DiffSides[], place?: vscode.TabGroup, path?: string): Promise<void> {
  const [only, ...more] = sides;
  if (only === undefined) {
    return;
  }
  const title = withoutMarkup(titleOf(review, only, more.length)); // the list of open editors makes icons of it
  if (more.length > 0) {
    return openSeveral(review.proposed.id, title, sides, path);
  }
  await vscode.commands.executeCommand('vscode.diff', only.left, only.right, title, {
    preview: false,
    preserveFocus: place !== undefined,
    viewColumn: place?.viewColumn,
    override: true, // as text, whichever editor the user has chosen for such files
  });
}

/** Open the editor of several files, or bring the one that shows this review to the front; scroll to the file at `path`. */
async function openSeveral(id: string, title: string, sides: readonly DiffSides[], path?: string): Promise<void> {
  const revealed = sides.find(({ file }) => file.path === path);
  const options = {
    title,
    // Tells VS Code which editor is the same. The public command has none, and opens another one each time.
    multiDiffSourceUri: vscode.Uri.from({ scheme: 'multi-diff-editor', path: `agentfs-${id}` }),
    resources: sides.map(({ left, right }) => ({ originalUri: left, modifiedUri: right })),
    ...(revealed === undefined ? {} : { reveal: { modifiedUri: revealed.right } }),
  };
  const shown = allTabs().find((tab) => isMultiDiff(tab) && reviewIdOf(tab) === id);
  await run(
    ...(shown === undefined ? [] : toGroup(shown.group)),
    { command: '_workbench.openMultiDiffEditor', args: [options] },
    { command: 'workbench.action.keepEditor' }, // it always opens as a preview, which the next file would replace
  );
}

/** The tab's title: which file, and whose change, or what the user asked for; also whether it contains the user's unsaved text. */
function titleOf({ proposed, name: asked }: Review, { file, unsaved }: DiffSides, more: number): string {
  const agent = asked === undefined ? brief(agentOf(proposed.agent), AGENT_CHARACTERS) : brief(asked, ASKED_CHARACTERS);
  if (more > 0) {
    return asked === undefined ? vscode.l10n.t('Changes by {0}', agent) : agent; // VS Code adds the number of files
  }
  const name = visible(baseName(file.path));
  return unsaved && file.operation === 'update'
    ? vscode.l10n.t('{0} ({1}, with your unsaved text)', name, agent)
    : vscode.l10n.t('{0} ({1})', name, agent);
}
