/** After the user's decision, briefly shows in the status bar what landed, with an offer to undo it, or was rejected. */
import * as vscode from 'vscode';
import { isDecided, type Review } from '../proposals/review';
import { StatusItem, type StatusLook } from '../util/window';
import { isHistoryKept } from '../history/diff';
import type { Ended } from '../proposals/settling';
import { agentOf, fileNames, nameOf } from '../proposals/notifications';
import { notifyUnsavedLanding } from '../proposals/saveOffers';

const SHOWN_MS = 15_000;

export class Confirmation implements vscode.Disposable {
  private readonly item = new StatusItem('agentfs.landed', vscode.l10n.t('agentfs: last decision'), 8);
  private timer: NodeJS.Timeout | undefined;

  /** A review has ended. */
  ended({ review, outcome, texts, accepted, rejection }: Ended): void {
    if (outcome === 'failed' && texts.size === 0) {
      notifyUnsavedLanding(review, accepted);
    }
    if (rejection !== undefined) {
      const text = rejectedText(review, rejection);
      this.show({ icon: 'close', text, tooltip: text, command: undefined });
      return;
    }
    if (!isDecided(review)) {
      return;
    }
    this.hide();
    if (outcome !== 'landed' || texts.size === 0) {
      return;
    }
    if (review.proposed.tool === 'undo') {
      const text = vscode.l10n.t('Undone: {0}', fileNames([...texts.keys()]));
      this.show({ icon: 'discard', text, tooltip: text, command: undefined });
      return;
    }
    this.showLanded(review, texts.keys());
  }

  /** What it shows is not the last decision any more. */
  hide(): void {
    this.item.hide();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.item.dispose();
  }

  private showLanded(review: Review, paths: Iterable<string>): void {
    const canUndo = isHistoryKept();
    const rejected = [...review.decided].filter(([, decision]) => decision === 'rejected').map(([path]) => path);
    const landed = fileNames([...paths]);
    const name = rejected.length === 0 ? landed : vscode.l10n.t('{0}, not {1}', landed, fileNames(rejected));
    const { id, agent, tool, explanation } = review.proposed;
    const [only, ...more] = review.proposed.files;
    const isNew = only?.operation === 'create' && more.length === 0;
    const said = isNew ? vscode.l10n.t('Created {0}', name) : vscode.l10n.t('Changed {0}', name);
    const text = canUndo ? vscode.l10n.t('{0} · Undo', said) : said;
    this.show({
      icon: 'check',
      text,
      tooltip: canUndo ? vscode.l10n.t('{0}. Click to undo this change. You review the undo first.', said) : text,
      command: canUndo
        ? { command: 'agentfs.ui.row.undoLanded', title: text, arguments: [{ id, agent, tool, explanation }] }
        : undefined,
    });
  }

  private show(look: StatusLook): void {
    this.item.show(look);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.item.hide(), SHOWN_MS);
  }
}

/** What became of a rejection. `reason`: what the user gave the agent as one. */
function rejectedText(review: Review, reason: string): string {
  const name = nameOf(review);
  return reason === '' || review.name !== undefined
    ? vscode.l10n.t('Rejected {0}.', name)
    : vscode.l10n.t('Rejected {0}. {1} has your reason.', name, agentOf(review.proposed.agent));
}
