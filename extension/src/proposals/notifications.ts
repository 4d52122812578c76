/** What the user is asked and told about decisions. Which ones there are, and what follows, is `proposals/decisions.ts`. */
import * as vscode from 'vscode';
import { findDocument, saveWritable } from './applyEdits';
import { askText, showStatusMessage, notify } from '../util/window';
import type { Decision, Outcome, ProposedFile, Refusal, SavedFile } from '../protocol/types';
import type { Review } from './review';
import { baseName, brief, visible } from '../util/display';
import { normalise } from '../util/text';

/** One line for a person: what, and by whom. */
export function lineOf({ proposed }: Review): string {
  return `${visible(proposed.title)}: ${agentOf(proposed.agent)}`;
}

/** The agent's name as it calls itself. */
export function agentOf(name: string): string {
  return brief(name, 80) || vscode.l10n.t('Agent');
}

export function nameOf({ proposed }: Review): string {
  return fileNames(proposed.files.map(({ path }) => path));
}

/** The names of files, for a sentence. */
export function fileNames(paths: readonly string[]): string {
  return brief(paths.map(baseName).join(', '), 200);
}

/** How much waits for the user. */
export function waitingText(changes: number, questions: number): string {
  const counted = [
    ...(changes > 0 ? [vscode.l10n.t('Pending changes: {0}.', changes)] : []),
    ...(questions > 0 ? [vscode.l10n.t('Open questions: {0}.', questions)] : []),
  ];
  return counted.length > 0 ? counted.join(' ') : vscode.l10n.t('No pending changes.');
}

/** The user's reason, empty for none; undefined where the rejection itself was given up. */
export async function askReason(title: string): Promise<string | undefined> {
  return askText({
    title,
    prompt: vscode.l10n.t('If you give a reason, the agent will receive it.'),
    placeHolder: vscode.l10n.t('Reason (optional). Press Enter to reject, or Escape to keep the change pending.'),
  });
}

/** The server's no to a decision, and why; of a conflict what changed can be shown by `showStale`. */
export function notifyRefusal(
  review: Review,
  { code, reason }: Refusal,
  showStale: (review: Review) => Promise<void>,
): void {
  const message = vscode.l10n.t('{0} was not changed. {1}', nameOf(review), reason);
  if (code === 'CONFLICT') {
    offerToShow(message, review, showStale);
  } else {
    void notify('error', message);
  }
}

/** Files at `paths` were changed by somebody else before the change could land. */
function notifyConflict(review: Review, paths: readonly string[], showStale: (review: Review) => Promise<void>): void {
  const reason = vscode.l10n.t('It changed after this change was proposed.');
  offerToShow(vscode.l10n.t('{0} was not changed. {1}', fileNames(paths), reason), review, showStale);
}

function offerToShow(message: string, review: Review, showStale: (review: Review) => Promise<void>): void {
  const buttons = review.proposal === undefined ? [] : [vscode.l10n.t('Show What Changed')];
  void notify('error', message, ...buttons).then((chosen) => (chosen === undefined ? undefined : showStale(review)));
}

/** What was accepted can't be written, and why: nothing is decided. Whether the user goes back to the review. */
export async function notifyUndecided(review: Review, reason: string): Promise<boolean> {
  const back = vscode.l10n.t('Review');
  const message = vscode.l10n.t('{0} was not changed. {1}', nameOf(review), reason);
  return (await notify('error', message, back)) === back;
}

/** The server went away before it said what became of a decision. */
export function notifyLost(review: Review, decision: Decision): void {
  void notify(
    'error',
    decision === 'rejected'
      ? vscode.l10n.t('The agentfs server stopped. {0} was not changed.', nameOf(review))
      : vscode.l10n.t(
          'The agentfs server stopped before it could report whether {0} was changed. Check the file.',
          nameOf(review),
        ),
  );
}

/** The server went away while it landed; what was `accepted`, by path, may be in the editor, unsaved. */
export function notifyUnsavedLanding({ proposed }: Review, accepted: ReadonlyMap<string, string>): void {
  const waiting = proposed.files.filter(({ path, uri }) => {
    const document = findDocument(uri);
    return document?.isDirty === true && normalise(document.getText()) === accepted.get(path);
  });
  offerToSaveAll(waiting, []);
}

/** Files at `paths` landed in the editor alone; `failed`: documents that it could not save. */
export function notifyNotSaved({ proposed }: Review, paths: readonly string[], failed: readonly SavedFile[]): void {
  const inEditor = proposed.files.filter(({ path }) => paths.includes(path));
  const waiting = inEditor.filter(({ uri }) => findDocument(uri)?.isDirty === true || isAmong(uri, failed));
  offerToSaveAll(waiting, failed);
}

/** Of several accepted files some landed, and these did not, by path: they had changed, or their landing failed. */
export function notifyNotLanded(
  review: Review,
  conflicts: readonly string[],
  failed: readonly string[],
  showStale: (review: Review) => Promise<void>,
): void {
  if (conflicts.length > 0) {
    notifyConflict(review, conflicts, showStale);
  }
  if (failed.length > 0) {
    void notify('error', vscode.l10n.t('The proposal for {0} failed.', fileNames(failed)));
  }
}

function offerToSaveAll(waiting: readonly ProposedFile[], failed: readonly SavedFile[]): void {
  if (waiting.length > 0) {
    const names = fileNames(waiting.map(({ path }) => path));
    const uris = waiting.map(({ uri }) => uri);
    void offerToSave(names, uris, failed.map(({ reason }) => reason ?? ''));
  }
}

function isAmong(uri: string, files: readonly SavedFile[]): boolean {
  const wanted = vscode.Uri.parse(uri).toString();
  return files.some((file) => vscode.Uri.parse(file.uri).toString() === wanted);
}

async function offerToSave(names: string, uris: readonly string[], reasons: readonly string[]): Promise<void> {
  const said = [vscode.l10n.t('The change of {0} is in the editor, but not saved.', names), ...reasons];
  const button = vscode.l10n.t('Save');
  if ((await notify('warning', said.join(' '), button)) !== button) {
    return;
  }
  for (const uri of uris) {
    const saved = await saveWritable(uri);
    if (!saved.saved) {
      await offerToSave(names, uris, [saved.reason ?? '']);
      return;
    }
  }
}

/** No review is in front that a decision could be about. */
export function notifyNothingOpen(): void {
  void notify(
    'information',
    vscode.l10n.t('Open the review first. You can only decide on a change that you can see.'),
  );
}

/** A key was pressed in a review that the user has not put the focus into. */
export function notifyOutside(): void {
  void notify(
    'information',
    vscode.l10n.t('Nothing was decided. Click into the review before you use a key to decide.'),
  );
}

/** Nothing was decided, and what is to be done first. */
export function notifyUnsaved(path: string): void {
  void notify(
    'warning',
    vscode.l10n.t(
      '{0} has unsaved changes that the agent has not seen. Save or revert the file before you accept this change.',
      visible(baseName(path)),
    ),
  );
}

/** Nothing was accepted: the editor shows nothing of what is proposed for the file. Whether it is to. */
export async function notifyNotShown(path: string): Promise<boolean> {
  const show = vscode.l10n.t('Show It');
  const message = vscode.l10n.t(
    'Nothing was accepted because the editor does not show the proposal for {0}.',
    visible(baseName(path)),
  );
  return (await notify('warning', message, show)) === show;
}

/** Nothing was accepted yet, and why: the diff may not show all of it, the view beside it does. */
export function notifyHidden(why: string): void {
  void notify(
    'warning',
    vscode.l10n.t('Nothing was accepted. {0} All of it is now shown beside the review. To accept it, press Accept again.', why),
  );
}

/** What ended without the user is said where it does not interrupt; a conflict can be looked at. */
export function notifyEnd(
  review: Review,
  outcome: Outcome,
  showStale: (review: Review) => Promise<void>,
): void {
  const name = nameOf(review);
  const agent = agentOf(review.proposed.agent);
  const said: Partial<Record<Outcome, string>> = {
    withdrawn: vscode.l10n.t('{0} withdrew the change of {1}.', agent, name),
    timed_out: vscode.l10n.t('The review of {0} timed out.', name),
    failed: vscode.l10n.t('The proposal for {0} failed.', name),
  };
  if (outcome === 'conflict') {
    notifyConflict(review, review.proposed.files.map(({ path }) => path), showStale);
  }
  const message = said[outcome];
  if (message !== undefined) {
    showStatusMessage(message);
  }
}
