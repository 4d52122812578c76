/** Lists agents' changes of one file, or of the files in a folder. VS Code's Timeline takes no entries of extensions: its API is only proposed. */
import * as vscode from 'vscode';
import { recordsOfHistory } from '../history/records';
import { MOST } from '../history/select';
import type { HistoryRecord } from '../history/store';
import { agentOf } from '../proposals/notifications';
import type { Review } from '../proposals/review';
import type { ProposalStore } from '../proposals/store';
import { EditorMethod, type ProposedFile } from '../protocol/types';
import type { Ask } from '../server/agentRequests';
import { brief, counts } from '../util/display';
import { pick, type Choice } from '../util/pick';
import { notify, type Severity } from '../util/window';
import { timeOf } from './times';

/** A pending change of the file, or one that has landed. */
type Change = { review: Review; file: ProposedFile } | HistoryRecord;

/** What shows the two kinds of changes. */
export interface Shown {
  ask: Ask;
  proposals: ProposalStore;
  open(record: HistoryRecord): Promise<void>;
  review(review: Review, path: string): Thenable<void>;
}

/** Show the changes of the file in front if no `uri` is given. The one that the user picks is opened as a diff. */
export async function showFileChanges(by: Shown, uri = vscode.window.activeTextEditor?.document.uri): Promise<void> {
  if (uri?.scheme !== 'file') {
    void notify('information', vscode.l10n.t('Open a file of the workspace first.'));
    return;
  }
  const path = vscode.workspace.asRelativePath(uri);
  let none: [Severity, string] | undefined;
  const chosen = await pick<Change>({
    title: vscode.l10n.t('Agents’ Changes of {0}', path),
    placeHolder: vscode.l10n.t('Newest first. Select a change to open its diff.'),
    choices: async () => {
      const pending = pendingOf(by.proposals, uri);
      const { error, data, text } = await by.ask(EditorMethod.userHistory, { path, limit: MOST });
      const changes = [...pending, ...recordsOfHistory(data)];
      if (error !== undefined && pending.length === 0) {
        none = ['error', text];
      } else {
        none = changes.length > 0 ? undefined : ['information', vscode.l10n.t('No agent has changed {0}.', path)];
      }
      return changes.map(choiceOf);
    },
  });
  if (chosen !== undefined) {
    await ('review' in chosen ? by.review(chosen.review, chosen.file.path) : by.open(chosen));
  } else if (none !== undefined) {
    void notify(...none);
  }
}

function choiceOf(change: Change): Choice<Change> {
  const [{ agent, explanation }, amount, when] = 'review' in change
    ? [change.review.proposed, counts(change.file.lines_added, change.file.lines_removed), vscode.l10n.t('waits for your review')]
    : [change, counts(change.added, change.removed), timeOf(change.at)];
  return { value: change, label: [agentOf(agent), amount, when].join(' · '), detail: brief(explanation, 200) };
}

/** The pending changes of a file, newest first, as the others are. */
function pendingOf(proposals: ProposalStore, uri: vscode.Uri): readonly { review: Review; file: ProposedFile }[] {
  const found = proposals.all.flatMap((review) => {
    const file = fileAt(review, uri);
    return file === undefined ? [] : [{ review, file }];
  });
  return found.reverse();
}

/** What a proposal changes in the file at `uri`, if anything. */
export function fileAt({ proposed }: Review, uri: vscode.Uri): ProposedFile | undefined {
  return proposed.files.find((file) => vscode.Uri.parse(file.uri).toString() === uri.toString());
}

/** Open the review of the file at `uri`, by default the one in front: of several, the one that came first. */
export async function openReviewOf(by: Pick<Shown, 'proposals' | 'review'>, uri = vscode.window.activeTextEditor?.document.uri): Promise<void> {
  const first = uri && pendingOf(by.proposals, uri).at(-1);
  if (first === undefined) {
    void notify('information', vscode.l10n.t('No changes are waiting for your review.'));
  } else {
    await by.review(first.review, first.file.path);
  }
}
