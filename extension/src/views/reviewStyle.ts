/** The command that switches between reviews in the file itself and reviews in diffs. */
import * as vscode from 'vscode';
import { currentSettings } from '../server/lifecycle';
import { SECTION, type ReviewStyle } from '../server/settings';
import { showStatusMessage } from '../util/window';
import { fileAt, openReviewOf, type Shown } from './fileChanges';

/** Switch, for this and all later windows. A change of the file in front that waits is then shown in the new way. */
export async function toggleStyle(by: Pick<Shown, 'proposals' | 'review'>): Promise<void> {
  const style: ReviewStyle = currentSettings().style === 'inline' ? 'diff' : 'inline';
  await vscode.workspace.getConfiguration(SECTION).update('review.style', style, vscode.ConfigurationTarget.Global);
  showStatusMessage(
    style === 'inline' ? vscode.l10n.t('Reviews open in their files now, if these can show all.') : vscode.l10n.t('Reviews open as diffs now.'),
  );
  const uri = vscode.window.activeTextEditor?.document.uri;
  if (uri !== undefined && by.proposals.all.some((review) => fileAt(review, uri) !== undefined)) {
    await openReviewOf(by, uri);
  }
}
