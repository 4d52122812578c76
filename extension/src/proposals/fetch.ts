/** Loads the texts of a proposal, once, when somebody is about to look at it. */
import type { Server } from '../server/client';
import { ProposalRequest } from '../protocol/requests';
import type { Review } from './review';
import type { ProposalStore } from './store';

/** Create the function that loads them, and returns whether the proposal still exists. Then it calls `known`. */
export function fetchTexts(
  server: Server,
  proposals: ProposalStore,
  known: (review: Review) => void,
): (review: Review) => Promise<boolean> {
  return async (review) => {
    if (review.proposal !== undefined) {
      return true;
    }
    try {
      const answer = await server.request(ProposalRequest, { id: review.proposed.id });
      if ('ok' in answer) {
        return false;
      }
      proposals.load(answer);
    } catch (error) {
      server.channel.warn(String(error));
      return false;
    }
    if (review.proposal === undefined) {
      return false; // it ended in the meantime
    }
    known(review);
    return true;
  };
}
