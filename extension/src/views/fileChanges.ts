/** Lists agents' changes of one file, or of the files in a folder. VS Code's Timeline takes no entries of extensions: its API is only proposed. */
import * as vscode from 'vscode';
import type { HistoryDiffs } from '../history/diff';
import { recordsOfHistory } from '../history/records';
import { MOST } from '../history/select';
import type { HistoryRecord } from '../history/store';
import { agentOf } from '../proposals/notifications';
import { EditorMethod } from '../protocol/types';
import type { Ask } from '../server/agentRequests';
import { brief, counts } from '../util/display';
import { notify, pick, type Choice, type Severity } from '../util/window';
import { timeOf } from './times';

/** Show the changes of the file in front if no `uri` is given. The one that the user picks is opened as a diff. */
export async function showFileChanges(ask: Ask, diffs: HistoryDiffs, uri = vscode.window.activeTextEditor?.document.uri): Promise<void> {
  if (uri?.scheme !== 'file') {
    void notify('information', vscode.l10n.t('Open a file of the workspace first.'));
    return;
  }
  const path = vscode.workspace.asRelativePath(uri);
  let none: [Severity, string] | undefined;
  const record = await pick({
    title: vscode.l10n.t('Agents’ Changes of {0}', path),
    placeHolder: vscode.l10n.t('Newest first. Select a change to open its diff.'),
    choices: async () => {
      const { error, data, text } = await ask(EditorMethod.userHistory, { path, limit: MOST });
      const records = recordsOfHistory(data);
      if (error !== undefined) {
        none = ['error', text];
      } else {
        none = records.length > 0 ? undefined : ['information', vscode.l10n.t('No agent has changed {0}.', path)];
      }
      return records.map(choiceOf);
    },
  });
  if (record !== undefined) {
    await diffs.open(record);
  } else if (none !== undefined) {
    void notify(...none);
  }
}

function choiceOf(record: HistoryRecord): Choice<HistoryRecord> {
  return {
    value: record,
    label: [agentOf(record.agent), counts(record.added, record.removed), timeOf(record.at)].join(' · '),
    detail: brief(record.explanation, 200),
  };
}
