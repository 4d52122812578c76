/** What the user is asked and told about decisions. Which ones there are, and what follows, is `decide.ts`. */
import * as vscode from 'vscode';
import { askText, mention, notify } from '../notifications';
import type { Outcome, Refusal } from '../protocol';
import type { Review } from '../queue';
import { baseName, brief, visible } from '../shown';
import { agentOf } from './review';

/** One line for a person: what, and by whom. */
export function lineOf({ proposed }: Review): string {
  return `${visible(proposed.title)}: ${agentOf(proposed.agent)}`;
}

export function nameOf({ proposed }: Review): string {
  return brief(proposed.files.map(({ path }) => baseName(path)).join(', '), 200);
}

/** The user's reason, empty for none; undefined where the rejection itself was given up. */
export async function askReason(title: string): Promise<string | undefined> {
  return askText({
    title,
    prompt: vscode.l10n.t('The agent is told your reason, if you give one.'),
    placeHolder: vscode.l10n.t('Why not? (Enter to reject, Escape to keep it pending)'),
  });
}

export function tellRefusal(review: Review, { reason }: Refusal): void {
  void notify(
    'error',
    vscode.l10n.t('{0} was not changed. {1}', nameOf(review), reason),
  );
}

/** Nothing was decided, and what is to be done first. */
export function tellUnsaved(path: string): void {
  void notify(
    'warning',
    vscode.l10n.t(
      '{0} has unsaved changes that the agent has not seen. Save it, or revert it, before you accept this.',
      visible(baseName(path)),
    ),
  );
}

/** What ended without the user is said where it does not interrupt. */
export function tellEnd(review: Review, outcome: Outcome): void {
  const name = nameOf(review);
  const agent = agentOf(review.proposed.agent);
  const said: Partial<Record<Outcome, string>> = {
    withdrawn: vscode.l10n.t('{0} took the change of {1} back.', agent, name),
    timed_out: vscode.l10n.t('The review of {0} timed out.', name),
    conflict: vscode.l10n.t('{0} has changed: the proposal is off.', name),
    failed: vscode.l10n.t('The proposal for {0} failed.', name),
  };
  const message = said[outcome];
  if (message !== undefined) {
    mention(message);
  }
}
