/** Every command of the extension, by its id. What they do is the part of features/. */
import * as vscode from 'vscode';
import type { Server } from './client';
import type { LandedChanges } from './features/changes';
import type { Decisions } from './features/decide';
import type { HistoryView } from './features/history';
import type { PendingNode } from './features/pending';
import type { ReviewEditors } from './features/review';
import type { StatusView } from './features/status';
import type { Entry } from './ledger';
import type { Lifecycle } from './lifecycle';
import type { Review, ReviewQueue } from './queue';
import { PROPOSAL, virtualUri } from './virtual';

export interface Parts {
  server: Server;
  lifecycle: Lifecycle;
  queue: ReviewQueue;
  editors: ReviewEditors;
  decisions: Decisions;
  history: HistoryView;
  changes: LandedChanges;
  status: StatusView;
  fetch: (review: Review) => Promise<boolean>;
}

type Handler = (...args: never[]) => unknown;

export function registerCommands(parts: Parts): vscode.Disposable {
  const registered = Object.entries(handlers(parts)).map(([id, handler]) =>
    vscode.commands.registerCommand(`agentfs.ui.${id}`, handler),
  );
  return vscode.Disposable.from(...registered);
}

function handlers({
  server,
  lifecycle,
  queue,
  editors,
  decisions,
  history,
  changes,
  status,
  fetch,
}: Parts): Record<string, Handler> {
  const step = async (by: 1 | -1): Promise<void> => {
    const review = queue.beside(editors.current?.proposed.id, by);
    if (review !== undefined) {
      await editors.show(review, 'focus');
    }
  };
  return {
    accept: () => decisions.accept(false),
    acceptAlways: () => decisions.accept(true),
    reject: (node?: PendingNode) => decisions.reject(isNode(node) ? node.review : undefined),
    acceptFile: (node?: PendingNode) => decisions.decideFile('accepted', uriOf(node)),
    rejectFile: (node?: PendingNode) => decisions.decideFile('rejected', uriOf(node)),
    acceptAll: () => decisions.acceptAll(fetch),
    rejectAll: () => decisions.rejectAll(),
    next: () => step(1),
    previous: () => step(-1),
    openReview: async (id?: string | PendingNode) => {
      const wanted = isNode(id) ? id.review : queue.get(String(id));
      const review = wanted ?? editors.current ?? queue.firstWaiting ?? queue.all[0];
      if (review !== undefined) {
        await editors.show(review, 'focus');
      }
    },
    openLanded: (entry?: Entry) => entry && changes.open(entry),
    undoLanded: (entry?: Entry) => entry && changes.undo(entry),
    olderLanded: () => history.older(),
    manual: () => status.manual(),
    showPending: () => vscode.commands.executeCommand('agentfs.pending.focus'),
    restart: () => lifecycle.restart(),
    showOutput: () => server.channel.show(true),
  };
}

/** A command from a view gets the node, one from a title or the palette something else or nothing. */
function isNode(argument: unknown): argument is PendingNode {
  return typeof argument === 'object' && argument !== null && 'review' in argument;
}

function uriOf(node: PendingNode | undefined): vscode.Uri | undefined {
  return isNode(node) && node.file !== undefined
    ? virtualUri(PROPOSAL, node.review.proposed.id, node.file.path)
    : undefined;
}
