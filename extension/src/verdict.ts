/** What the user's decision is on the wire, with what was typed in the review. Free of the vscode API. */
import type { Decision, Proposal, SettledFile, SettleParams } from './protocol';
import { normalise } from './texts';

/** The text of a proposed file as the review shows it now; undefined where it was never shown. */
export type TextNow = (path: string) => string | undefined;

/** An acceptance of everything, with the files that the user has changed. */
export function accepted(proposal: Proposal, textNow: TextNow, always: boolean): SettleParams {
  const files = amendedFiles(proposal, textNow);
  return {
    id: proposal.id,
    decision: 'accepted',
    ...(always ? { always } : {}),
    ...(files.length > 0 ? { files } : {}),
  };
}

/** A rejection of everything; `feedback` reaches the agent. */
export function rejected(id: string, feedback: string): SettleParams {
  const said = feedback.trim();
  return { id, decision: 'rejected', ...(said === '' ? {} : { feedback: said }) };
}

/** Of several files some are accepted and some not: every file of the proposal has its decision. */
export function settledEach(
  proposal: Proposal,
  textNow: TextNow,
  decided: ReadonlyMap<string, 'accepted' | 'rejected'>,
): SettleParams {
  const amended = new Map(amendedFiles(proposal, textNow).map((file) => [file.uri, file]));
  const files = proposal.files.map(({ uri, path }): SettledFile =>
    decided.get(path) === 'rejected' ? { uri, decision: 'rejected' } : (amended.get(uri) ?? plain(uri)),
  );
  const decision: Decision = files.every((file) => file.decision === 'rejected') ? 'rejected' : 'accepted';
  return { id: proposal.id, decision, files };
}

/** The text that an acceptance lets in, `\n` line ends: the proposed one, or what the user made of it. */
export function acceptedText(file: Proposal['files'][number], textNow: TextNow): string {
  const text = textNow(file.path);
  return text === undefined || file.operation === 'delete' ? file.proposed_text : normalise(text);
}

function amendedFiles(proposal: Proposal, textNow: TextNow): SettledFile[] {
  return proposal.files.flatMap((file): SettledFile[] => {
    const text = acceptedText(file, textNow);
    return text === file.proposed_text ? [] : [{ uri: file.uri, decision: 'amended', text }];
  });
}

function plain(uri: string): SettledFile {
  return { uri, decision: 'accepted' };
}
