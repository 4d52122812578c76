/** Converts the user's decision into params, including what was typed in the review. Doesn't use the vscode API. */
import type { Proposal, ReviewedFile, SettledFile, SettleParams } from '../protocol/types';
import type { FileDecision, Review } from './review';
import { normalize } from '../util/text';

/** The text of a proposed file as its review shows it; undefined if it was never shown. */
export type ShownText = (path: string) => string | undefined;

/**
 * Accept all files that were not rejected before, with the user's edits. If all were rejected, it is a rejection.
 * `always` auto-accepts the session's later changes.
 */
export function acceptParams(
  proposal: Proposal,
  shown: ShownText,
  always: boolean,
  decided: Review['decided'] = new Map(),
): SettleParams {
  const files = proposal.files.flatMap((file) => ownDecision(file, shown, decided.get(file.path)));
  const isNone = proposal.files.every(({ path }) => decided.get(path) === 'rejected');
  return {
    id: proposal.id,
    decision: isNone ? 'rejected' : 'accepted',
    ...(always && !isNone ? { always } : {}),
    ...(files.length > 0 ? { files } : {}),
  };
}

/** The protocol's limit for what goes to the agent. */
const MAX_FEEDBACK = 10_000;

/** Reject everything; the agent receives `feedback`. */
export function rejectParams(id: string, feedback: string): SettleParams {
  const said = feedback.trim().slice(0, MAX_FEEDBACK);
  return { id, decision: 'rejected', ...(said === '' ? {} : { feedback: said }) };
}

/** A decision with the user's reasons to reject single files. */
export function withReasons(decision: SettleParams, { files }: Proposal, reasons: Review['reasons']): SettleParams {
  const own = files.flatMap(({ path, uri }): SettledFile[] => {
    const reason = reasons.get(path);
    return reason === undefined ? [] : [{ uri, decision: 'rejected', feedback: reason.slice(0, MAX_FEEDBACK) }];
  });
  const others = (decision.files ?? []).filter(({ uri }) => own.every((one) => one.uri !== uri));
  return own.length === 0 ? decision : { ...decision, files: [...others, ...own] };
}

/** All that a decision tells the agent in the user's words. */
export function wordsOf({ feedback = '', files = [] }: SettleParams): string {
  return [feedback, ...files.map((file) => file.feedback ?? '')].filter((words) => words !== '').join(' ');
}

/** The texts that a decision accepts, by path, with `\n` line ends: as proposed, or as the user edited them. */
export function acceptedTexts({ files }: Proposal, { decision, files: own = [] }: SettleParams): Map<string, string> {
  const decided = new Map(own.map((one) => [one.uri, one]));
  const accepted = files.filter(({ uri }) => (decided.get(uri)?.decision ?? decision) !== 'rejected');
  return new Map(accepted.map(({ path, uri, proposed_text: text }) => [path, decided.get(uri)?.text ?? text]));
}

/** Whether all that accepting this review would land, as `shown` is now, is what was on the screen. */
export function wasSeen({ proposal, seen, decided }: Review, shown: ShownText): boolean {
  const texts = proposal && acceptedTexts(proposal, acceptParams(proposal, shown, false, decided));
  return texts !== undefined && [...texts].every(([path, text]) => seen.get(path) === text);
}

/**
 * The files that a decision accepts with the text that they had before, which rejects their change. A byte-order mark
 * does not count, and a new file without text is still a new file.
 */
export function leftAsBefore({ files }: Proposal, { files: own = [] }: SettleParams): readonly ReviewedFile[] {
  const unmarked = (text: string | undefined): string | undefined => text?.replace(/^\ufeff/, '');
  const texts = new Map(own.map(({ uri, text }) => [uri, unmarked(text)]));
  return files.filter(({ uri, operation, base_text: base }) => operation !== 'create' && texts.get(uri) === unmarked(base));
}

/** The decision on a file if it differs from the one on the whole proposal. */
function ownDecision(
  file: ReviewedFile,
  shown: ShownText,
  decided: FileDecision | undefined,
): SettledFile[] {
  if (decided === 'rejected') {
    return [{ uri: file.uri, decision: 'rejected' }];
  }
  const typed = file.operation === 'delete' ? undefined : shown(file.path);
  const text = typed === undefined ? file.proposed_text : normalize(typed);
  return text === file.proposed_text ? [] : [{ uri: file.uri, decision: 'amended', text }];
}
