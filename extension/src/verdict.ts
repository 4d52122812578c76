/** What the user's decision is on the wire, with what was typed in the review. Free of the vscode API. */
import type { Proposal, SettledFile, SettleParams } from './protocol';
import { normalise } from './texts';

/** The text of a proposed file as the review shows it now; undefined where it was never shown. */
export type TextNow = (path: string) => string | undefined;

/** What the user has decided about single files of several, by path. */
export type Decided = ReadonlyMap<string, 'accepted' | 'rejected'>;

/**
 * An acceptance of all that was not rejected before, with what the user has typed; with every file rejected it is
 * a rejection. `always` lets the session's later changes through.
 */
export function accepted(
  proposal: Proposal,
  textNow: TextNow,
  always: boolean,
  decided: Decided = new Map(),
): SettleParams {
  const files = proposal.files.flatMap((file) => ownDecision(file, textNow, decided.get(file.path)));
  const isNone = proposal.files.every(({ path }) => decided.get(path) === 'rejected');
  return {
    id: proposal.id,
    decision: isNone ? 'rejected' : 'accepted',
    ...(always && !isNone ? { always } : {}),
    ...(files.length > 0 ? { files } : {}),
  };
}

/** A rejection of everything; `feedback` reaches the agent. */
export function rejected(id: string, feedback: string): SettleParams {
  const said = feedback.trim();
  return { id, decision: 'rejected', ...(said === '' ? {} : { feedback: said }) };
}

/** The text that an acceptance lets in, `\n` line ends: the proposed one, or what the user made of it. */
export function acceptedText(file: Proposal['files'][number], textNow: TextNow): string {
  const text = textNow(file.path);
  return text === undefined || file.operation === 'delete' ? file.proposed_text : normalise(text);
}

/** A file's own decision, where that is another than the whole proposal's. */
function ownDecision(
  file: Proposal['files'][number],
  textNow: TextNow,
  decided: 'accepted' | 'rejected' | undefined,
): SettledFile[] {
  if (decided === 'rejected') {
    return [{ uri: file.uri, decision: 'rejected' }];
  }
  const text = acceptedText(file, textNow);
  return text === file.proposed_text ? [] : [{ uri: file.uri, decision: 'amended', text }];
}
