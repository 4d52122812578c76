/** After the user's decision, briefly shows in the status bar what landed, and offers to undo it. */
import * as vscode from 'vscode';
import { isDecided } from '../proposals/review';
import { StatusItem } from '../util/window';
import { isHistoryKept } from '../history/diff';
import type { Ended } from '../proposals/settling';
import { fileNames } from '../proposals/notifications';
import { notifyUnsavedLanding } from '../proposals/saveOffers';

const SHOWN_MS = 15_000;

export class Confirmation implements vscode.Disposable {
  private readonly item = new StatusItem('agentfs.landed', vscode.l10n.t('agentfs: last change'), 9);
  private timer: NodeJS.Timeout | undefined;

  /** A review has ended. */
  ended({ review, outcome, texts, accepted }: Ended): void {
    if (outcome === 'failed' && texts.size === 0) {
      notifyUnsavedLanding(review, accepted);
    }
    if (outcome !== 'landed' || texts.size === 0 || !isDecided(review)) {
      return;
    }
    const canUndo = isHistoryKept();
    const name = fileNames([...texts.keys()]);
    const { id, agent, tool, explanation } = review.proposed;
    const text = canUndo ? vscode.l10n.t('Changed {0} · Undo', name) : vscode.l10n.t('Changed {0}', name);
    this.item.show({
      icon: 'check',
      text,
      tooltip: canUndo ? vscode.l10n.t('Click to undo this change. You review the undo first.') : text,
      command: canUndo
        ? { command: 'agentfs.ui.row.undoLanded', title: text, arguments: [{ id, agent, tool, explanation }] }
        : undefined,
    });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.item.hide(), SHOWN_MS);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.item.dispose();
  }
}
