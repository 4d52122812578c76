/** Asks and tells the user about decisions. `proposals/decisions.ts` decides when. */
import * as vscode from 'vscode';
import { ask, askText, confirm, showStatusMessage, notify } from '../util/window';
import type { Decision, Outcome, ProposedFile, Refusal, Settled, WithdrawnReason } from '../protocol/types';
import { mayAsk } from '../review/userWaits';
import { isAllOrNone, type Review } from './review';
import { baseName, brief, counts, visible } from '../util/display';

/** A review in one line: what is proposed, and by whom. */
export function lineOf(review: Review): string {
  return vscode.l10n.t('{0}: {1}', titleOf(review), agentOf(review.proposed.agent));
}

/** What is proposed: the change of a file, or how many files are changed. */
export function titleOf({ proposed: { files: [only, ...more], title } }: Review): string {
  return only === undefined || more.length > 0 ? visible(title) : changeOf(only, pathNow(only));
}

/** What happens to a file, called `name`. */
export function changeOf(file: ProposedFile, name: string): string {
  const change = `${visible(name)} ${counts(file.lines_added, file.lines_removed)}`;
  const operation = OPERATIONS[file.operation]?.();
  return operation === undefined ? change : vscode.l10n.t('{0} ({1})', change, operation);
}

export const OPERATIONS: Partial<Record<ProposedFile['operation'], () => string>> = {
  create: () => vscode.l10n.t('new file'),
  delete: () => vscode.l10n.t('to be deleted'),
};

/** The path of a file in the folders that are open now, with the folder's name if there are several. */
export function pathNow({ uri }: { uri: string }): string {
  return vscode.workspace.asRelativePath(vscode.Uri.parse(uri));
}

/** The name that the agent gives itself. */
export function agentOf(name: string): string {
  return brief(name, 80) || vscode.l10n.t('Agent');
}

/** The names of those who propose these changes, each once. */
export function agentsOf(reviews: readonly Review[]): string {
  return brief([...new Set(reviews.map(({ proposed: { agent } }) => agentOf(agent)))].join(', '), 200);
}

export function nameOf({ proposed }: Review): string {
  return namesOf(proposed.files);
}

/** The names of files, for a sentence. */
export function namesOf(files: readonly { path: string }[]): string {
  return fileNames(files.map(({ path }) => path));
}

/** File names for a sentence. */
export function fileNames(paths: readonly string[]): string {
  return brief(paths.map(baseName).join(', '), 200);
}

/** How many changes and questions are pending. */
export function waitingText(changes: number, questions: number): string {
  const counted = [
    ...(changes > 0 ? [vscode.l10n.t('Pending changes: {0}.', changes)] : []),
    ...(questions > 0 ? [vscode.l10n.t('Open questions: {0}.', questions)] : []),
  ];
  return counted.length > 0 ? counted.join(' ') : vscode.l10n.t('No pending changes.');
}

/** Ask the user for a reason, which may be empty; undefined if the user cancels the rejection. */
export async function askReason(title: string): Promise<string | undefined> {
  const prompt = vscode.l10n.t('If you give a reason, the agent will receive it.');
  const placeHolder = vscode.l10n.t('Reason (optional). Press Enter to reject, or Escape to keep the change pending.');
  return (await mayAsk(title)) ? askText({ title, prompt, placeHolder }) : undefined;
}

/**
 * The user accepts a change of several files of which some are as before, but the agent requires all or none. Returns
 * whether to reject it; otherwise nothing is decided.
 */
export async function askToRejectAll(review: Review, same: readonly { path: string }[]): Promise<boolean> {
  const count = review.proposed.files.length;
  const question =
    same.length === 1
      ? vscode.l10n.t('The agent wants all {0} files changed, or none. {1} is as it was before.', count, namesOf(same))
      : vscode.l10n.t('The agent wants all {0} files changed, or none. These are as they were before: {1}', count, namesOf(same));
  const details = [vscode.l10n.t('Nothing has been decided. To bring a change back, go back and undo your edit.')];
  return (await mayAsk(question)) && confirm(question, details, vscode.l10n.t('Reject All…'), vscode.l10n.t('Go Back'));
}

/** What to know before deciding on one of these files, if it is one of several; otherwise undefined. */
export function allOrNoneText(review: Review): string | undefined {
  return isAllOrNone(review) ? vscode.l10n.t('The agent wants all {0} files changed, or none.', review.proposed.files.length) : undefined;
}

/** Say what became of an acceptance that has left nothing of the change. */
export function showNothingLeft(review: Review): void {
  showStatusMessage(vscode.l10n.t('Rejected: the text that you accepted does not change {0}.', nameOf(review)));
}

/** Report the server's refusal of a decision. For a conflict, `showStale` can show the other changes. */
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

/** Tell the user that others changed the files at `paths` before the change could land. */
function notifyConflict(review: Review, paths: readonly string[], showStale: (review: Review) => Promise<void>): void {
  offerToShow(conflictOf(paths), review, showStale);
}

/** What became of the files at `paths`, which others changed before the change could land. */
export function conflictOf(paths: readonly string[]): string {
  const reason = vscode.l10n.t('It changed after this change was proposed.');
  return vscode.l10n.t('{0} was not changed. {1}', fileNames(paths), reason);
}

/** Accepting could only be a conflict: say so, and offer what helps. */
export function notifyStale(review: Review, showStale: (review: Review) => Promise<void>, redo: () => Promise<void>): void {
  const message = vscode.l10n.t('{0} changed after this change was proposed. Accepting it would be a conflict.', fileNames([...review.stale.keys()]));
  const buttons = { [vscode.l10n.t('Show What Changed')]: () => showStale(review), [vscode.l10n.t('Ask the Agent to Redo')]: redo };
  void ask('warning', message, ...Object.keys(buttons)).then((chosen) => buttons[chosen ?? '']?.());
}

/** Others changed the files of a review, but no longer: say so. */
export function notifySame(): void {
  void notify('information', vscode.l10n.t('The text is the same again as when this change was proposed.'));
}

/** What the agent is told if the user asks for a new proposal. */
export function redoReason({ stale }: Review): string {
  return vscode.l10n.t('{0} changed after you proposed this. Read it again, and propose the change for the text as it is now.', fileNames([...stale.keys()]));
}

function offerToShow(message: string, review: Review, showStale: (review: Review) => Promise<void>): void {
  const buttons = review.proposal === undefined ? [] : [vscode.l10n.t('Show What Changed')];
  void notify('error', message, ...buttons).then((chosen) => (chosen === undefined ? undefined : showStale(review)));
}

/** Report that the accepted text can't be written; the proposal stays open. Whether the user goes back to it. */
export async function notifyUndecided(review: Review, reason: string): Promise<boolean> {
  const back = vscode.l10n.t('Review');
  const message = vscode.l10n.t('{0} was not changed. {1}', nameOf(review), reason);
  return (await notify('error', message, back)) === back;
}

/** Tell the user that the server stopped before it reported the outcome of a decision. */
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

/** Some of several accepted files landed. Report the others, by path: those that had changed, and those that failed. */
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

/** Tell the user that the proposal ended, or was accepted, while the reason to reject it was typed. */
export function notifyTooLate(review: Review): void {
  void notify('information', vscode.l10n.t('The change of {0} ended before you rejected it. The agent did not receive your answer.', nameOf(review)));
}

/** Tell the user that no review is active that a decision could apply to. */
export function notifyNothingOpen(): void {
  void notify('information', vscode.l10n.t('Open the review first. You can only decide on a change that you can see.'));
}

/** Tell the user that a key was pressed in a review that doesn't have the focus. */
export function notifyOutside(): void {
  void notify('information', vscode.l10n.t('Nothing was decided. Click into the review before you use a key to decide.'));
}

/** Say, without interrupting, that a press came before anybody can have seen what it would decide. */
export function showTooEarly(): void {
  showStatusMessage(vscode.l10n.t('Press again: this has only just come.'));
}

/** Say, without interrupting, that no file of the review in front has been entered, or it is scrolled out of view since. */
export function showNoFile(): void {
  showStatusMessage(vscode.l10n.t('This file is not in view. Click into it, then press again.'));
}

/** Say, without interrupting, that one of several files will not be changed. */
export function showFileRejected(path: string): void {
  showStatusMessage(vscode.l10n.t('{0} is taken out of the change.', fileNames([path])));
}

/** Say, without interrupting, that there was no hunk to decide on. */
export function showNoHunk(): void {
  showStatusMessage(vscode.l10n.t('No hunk was decided. Go to one, or decide on the whole.'));
}

/** Say, without interrupting, that hunks of a file have not been in view, and that the editor has gone to the first. */
export function showUnseen(count: number): void {
  showStatusMessage(vscode.l10n.t('Hunks not in view so far: {0}. Look, then press again.', count));
}

/** Say, without interrupting, that a change that is shown in its file is accepted in that editor. */
export function showAcceptInEditor(): void {
  showStatusMessage(vscode.l10n.t('Nothing decided. Accept this in the editor of its file.'));
}

/** Say, without interrupting, that a change is accepted from the list only after a look at it. */
export function showNotSeen(): void {
  showStatusMessage(vscode.l10n.t('Nothing decided. Look at this change, then accept it.'));
}

/** Tell the user that nothing was decided, and what to do first. */
export function notifyUnsaved(path: string): void {
  void notify(
    'warning',
    vscode.l10n.t(
      '{0} has unsaved changes that the agent has not seen. Save or revert the file before you accept this change.',
      visible(baseName(path)),
    ),
  );
}

/** Report that nothing was accepted because no editor shows the proposal. Returns whether the user wants to see it. */
export async function notifyNotShown(path: string): Promise<boolean> {
  const show = vscode.l10n.t('Show It');
  const message = vscode.l10n.t(
    'Nothing was accepted because the editor does not show the proposal for {0}.',
    visible(baseName(path)),
  );
  return (await notify('warning', message, show)) === show;
}

/** Report that some changes that the user looked through were not accepted, as they are no longer what was shown. */
export function notifyLeftWaiting(count: number): void {
  void notify(
    'warning',
    vscode.l10n.t('Changes that are no longer as you saw them: {0}. They were not accepted, and wait for your review.', count),
  );
}

/** Report that nothing was accepted yet: the diff may not show everything, but the view beside it does. */
export function notifyHidden(why: string): void {
  void notify(
    'warning',
    vscode.l10n.t('Nothing was accepted. {0} All of it is now shown beside the review. To accept it, press Accept again.', why),
  );
}

/** Report that a draft was not applied yet, for the same reason. */
export function notifyDraftHidden(why: string): void {
  void notify(
    'warning',
    vscode.l10n.t(
      'Nothing was applied. {0} All of it is now shown beside the draft. To apply it, press Apply Draft to the File again.',
      why,
    ),
  );
}

/** Report an end that the user didn't decide: a conflict in a notification, others in the status bar, without interrupting. */
export function notifyEnd(review: Review, { outcome, reason = 'agent' }: Settled, showStale: (review: Review) => Promise<void>): void {
  if (outcome === 'conflict') {
    notifyConflict(review, review.proposed.files.map(({ path }) => path), showStale);
    return;
  }
  const said = outcome === 'withdrawn' ? WITHDRAWN[reason] : ENDED[outcome];
  if (said !== undefined) {
    showStatusMessage(said(nameOf(review), agentOf(review.proposed.agent)));
  }
}

type Said = (name: string, agent: string) => string;

const WITHDRAWN: Readonly<Record<WithdrawnReason, Said>> = {
  agent: (name, agent) => vscode.l10n.t('{0} withdrew the change of {1}.', agent, name),
  disconnected: (name, agent) => vscode.l10n.t('{0} was disconnected, so its change of {1} was withdrawn.', agent, name),
  root_removed: (name) => vscode.l10n.t('The folder was closed, so the change of {0} was withdrawn.', name),
  settings: (name) => vscode.l10n.t('The settings no longer allow the change of {0}, so it was withdrawn.', name),
  shutdown: (name) => vscode.l10n.t('agentfs stopped, so the change of {0} was withdrawn.', name),
};

const ENDED: Readonly<Partial<Record<Outcome, Said>>> = {
  timed_out: (name) => vscode.l10n.t('The review of {0} timed out.', name),
  failed: (name) => vscode.l10n.t('The proposal for {0} failed.', name),
};
