/** Decides which changes Accept All accepts. It names those not yet seen, and Enter accepts none of these. */
import * as vscode from 'vscode';
import { choose, confirm } from '../util/window';
import type { Review } from './review';
import { acceptedTexts, acceptParams, wasSeen, type ShownText } from './settleParams';
import type { ProposalStore } from './store';
import type { ReviewFileSystem } from '../review/fileSystem';
import { isSeen, textsOf } from '../review/visibility';
import type { PlainView } from '../review/plainView';
import { lineOf } from './notifications';

/** A review has been in front long enough: remember its texts as seen if all of it is on the screen. */
export async function noteSeen(
  proposals: ProposalStore,
  review: Review,
  files: ReviewFileSystem,
  plain: PlainView,
): Promise<void> {
  const { proposal } = review;
  const shown = textsOf(files, review);
  if (proposal !== undefined && !wasSeen(review, shown) && (await isSeen(review, shown, plain))) {
    proposals.markSeen(review, acceptedTexts(proposal, acceptParams(proposal, shown, false)));
  }
}

/** Which of these reviews to accept. `shown`: the texts of each. If the user wants to look first, `show` opens the first unseen one. */
export async function chosenOf(
  shown: ReadonlyMap<Review, ShownText>,
  show: (review: Review) => Promise<void>,
): Promise<readonly Review[]> {
  const waiting = [...shown.keys()];
  const seen = [...shown].flatMap(([review, texts]) => (wasSeen(review, texts) ? [review] : []));
  const unseen = waiting.filter((review) => !seen.includes(review));
  const [first] = unseen;
  if (first === undefined) {
    const question = vscode.l10n.t('Accept all pending changes ({0})?', seen.length);
    const yes = seen.length > 0 && (await confirm(question, seen.map(lineOf), vscode.l10n.t('Accept All')));
    return yes ? seen : [];
  }
  const question = vscode.l10n.t('You have not seen {0} of the {1} pending changes.', unseen.length, waiting.length);
  const safe = seen.length > 0 ? vscode.l10n.t('Accept Only Seen ({0})', seen.length) : vscode.l10n.t('Review');
  const all = vscode.l10n.t('Accept All {0}', waiting.length);
  const chosen = await choose(question, [safe, all], unseen.map(lineOf));
  if (chosen === safe && seen.length === 0) {
    await show(first);
  }
  return chosen === all ? waiting : chosen === safe ? seen : [];
}
