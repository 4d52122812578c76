/** Gets the texts of a proposal, once, when somebody is about to look at it. */
import type { Server } from '../server/client';
import { EditorMethod, type ProposalAnswer } from '../protocol/types';
import type { Review } from './store';

/** What fetches; it tells whether the proposal is still there. `known` is called when its texts came. */
export function fetchTexts(
  server: Server,
  known: (review: Review) => void,
): (review: Review) => Promise<boolean> {
  return async (review) => {
    if (review.proposal !== undefined) {
      return true;
    }
    try {
      const answer = await server.request<ProposalAnswer>(EditorMethod.proposal, { id: review.proposed.id });
      if ('ok' in answer) {
        return false;
      }
      review.proposal ??= answer;
    } catch (error) {
      server.channel.warn(String(error));
      return false;
    }
    known(review);
    return true;
  };
}
