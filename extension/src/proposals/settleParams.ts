/** What the user's decision is on the wire, with what was typed in the review. Free of the vscode API. */
import type { Proposal, SettledFile, SettleParams } from '../protocol/types';
import { normalise } from '../util/text';

/** The text of a proposed file as the review shows it; undefined where it was never shown. */
export type ShownText = (path: string) => string | undefined;

/** What the user has decided about single files of several, by path. */
export type Decided = ReadonlyMap<string, 'accepted' | 'rejected'>;

/**
 * An acceptance of all that was not rejected before, with what the user has typed; with every file rejected it is
 * a rejection. `always` lets the session's later changes through.
 */
export function acceptParams(
  proposal: Proposal,
  shown: ShownText,
  always: boolean,
  decided: Decided = new Map(),
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

/** A rejection of everything; `feedback` reaches the agent. */
export function rejectParams(id: string, feedback: string): SettleParams {
  const said = feedback.trim();
  return { id, decision: 'rejected', ...(said === '' ? {} : { feedback: said }) };
}

/** The texts that a decision lets in, by path, `\n` line ends: the proposed ones, or what the user made of them. */
export function acceptedTexts({ files }: Proposal, { decision, files: own = [] }: SettleParams): Map<string, string> {
  const decided = new Map(own.map((one) => [one.uri, one]));
  const accepted = files.filter(({ uri }) => (decided.get(uri)?.decision ?? decision) !== 'rejected');
  return new Map(accepted.map(({ path, uri, proposed_text: text }) => [path, decided.get(uri)?.text ?? text]));
}

/** A file's own decision, where that is another than the whole proposal's. */
function ownDecision(
  file: Proposal['files'][number],
  shown: ShownText,
  decided: 'accepted' | 'rejected' | undefined,
): SettledFile[] {
  if (decided === 'rejected') {
    return [{ uri: file.uri, decision: 'rejected' }];
  }
  const typed = file.operation === 'delete' ? undefined : shown(file.path);
  const text = typed === undefined ? file.proposed_text : normalise(typed);
  return text === file.proposed_text ? [] : [{ uri: file.uri, decision: 'amended', text }];
}
