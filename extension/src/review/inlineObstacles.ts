/** Why a change can't be reviewed in its file, and is left to the diff. */
import * as vscode from 'vscode';
import { findDocument } from '../proposals/applyEdits';
import type { ReviewedFile } from '../protocol/types';
import { baseName, visible } from '../util/display';
import { normalize } from '../util/text';
import { isWiderThanEditor, whyHidden } from './hidden';
import { obstacleTo, type InlineHunk, type Obstacle } from './inlineHunks';
import { allTabs } from './tabs';

/** Larger files take too long to compare at each press. */
const MAX_UNITS = 2_000_000;

/** Why these hunks would not all be in sight; undefined if they would. */
export function whyNot(file: ReviewedFile, now: string, hunks: readonly InlineHunk[]): string | undefined {
  const { base_text: base, path } = file;
  const name = visible(baseName(path));
  const obstacle = base.length > MAX_UNITS ? 'large' : obstacleTo(base, hunks);
  if (obstacle !== undefined) {
    return OBSTACLES[obstacle](name);
  }
  const config = vscode.workspace.getConfiguration(undefined, findDocument(file.uri) ?? vscode.Uri.parse(file.uri));
  if (config.get('comments.visible') === false || config.get('comments.maxHeight') !== false) {
    return vscode.l10n.t('The settings comments.visible or comments.maxHeight hide new lines.');
  }
  if (hunks.some(({ removed }) => removed.some(isWiderThanEditor(config)))) {
    return OBSTACLES.wide(name);
  }
  return whyHidden(config, name, base, now);
}

const OBSTACLES: Record<Obstacle | 'wide', (name: string) => string> = {
  large: (name) => vscode.l10n.t('The change of {0} is too large to be shown in the file.', name),
  end: (name) => vscode.l10n.t('{0} is changed where the editor does not tell what is in view, such as in its last line.', name),
  characters: (name) => vscode.l10n.t('Changed lines of {0} have characters that are invisible, reorder text, or take unusual room.', name),
  blanks: (name) => vscode.l10n.t('Changed lines of {0} differ in blanks that only a diff shows.', name),
  wide: (name) => vscode.l10n.t('Removed lines of {0} may be longer than what the editor shows of a line.', name),
};

/** Whether the file is open with the text that the agent has read. */
export function holdsBase(file: ReviewedFile): boolean {
  const document = findDocument(file.uri);
  return document !== undefined && normalize(document.getText()) === file.base_text;
}

/** Why the file can't be opened as the text that the agent has read; undefined if it is open by now. */
export async function whyNotOpen(file: ReviewedFile, uri: vscode.Uri): Promise<string | undefined> {
  const name = visible(baseName(file.path));
  const isElsewhere = allTabs().some(
    ({ input }) => (input instanceof vscode.TabInputNotebook || input instanceof vscode.TabInputCustom) && input.uri.toString() === uri.toString(),
  );
  const document = isElsewhere ? undefined : await vscode.workspace.openTextDocument(uri).then((opened) => opened, () => undefined);
  if (document === undefined) {
    return vscode.l10n.t('{0} is not open as text.', name);
  }
  return holdsBase(file) ? undefined : vscode.l10n.t('{0} is no longer what the agent has read.', name);
}
