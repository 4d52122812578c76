/** Puts the parts together, and starts. Nothing is done here. */
import * as vscode from 'vscode';
import { apiOver, type AgentfsApi, type Ask } from './api';
import { Server } from './client';
import { registerCommands } from './commands';
import { Arrivals } from './features/arrivals';
import { keepContext } from './features/context';
import { Decisions } from './features/decide';
import { Edits } from './features/edits';
import { HistoryView } from './features/history';
import { Marks } from './features/marks';
import { MovedFiles } from './features/moved';
import { PendingView } from './features/pending';
import { ReviewEditors } from './features/review';
import { StatusItem } from './features/status';
import { registerTools } from './features/tools';
import { fetchTexts } from './fetch';
import { currentSettings, Lifecycle } from './lifecycle';
import type { Proposed, Settled, Status } from './protocol';
import { ReviewQueue } from './queue';
import { BASE, LANDED, PROPOSAL, ProposalFiles, ReadOnlyTexts } from './virtual';

let lifecycle: Lifecycle | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<AgentfsApi> {
  const channel = vscode.window.createOutputChannel('agentfs', { log: true });
  const proposed = new vscode.EventEmitter<Proposed>();
  const settled = new vscode.EventEmitter<Settled>();
  let status: Status | undefined;

  const queue = new ReviewQueue();
  const files = new ProposalFiles();
  const bases = new ReadOnlyTexts();
  const landed = new ReadOnlyTexts();
  const marks = new Marks(queue);
  const moved = new MovedFiles(queue);
  const item = new StatusItem();
  const edits = new Edits(currentSettings);
  const server = new Server(channel, {
    proposed: (told) => {
      proposed.fire(told);
      void arrivals.proposed(told);
    },
    settled: (told) => {
      decisions.over(told.id, told.outcome);
      settled.fire(told);
    },
    status: (told) => {
      status = told;
      refresh();
    },
    applyEdit: edits.apply,
  });
  const cycle = new Lifecycle(context, server);
  lifecycle = cycle;
  const fetch = fetchTexts(server, (review) => {
    moved.watch(review);
    marks.mark(review);
  });
  const editors = new ReviewEditors(queue, files, bases, fetch);
  const decisions = new Decisions(server, queue, editors, files);
  const arrivals = new Arrivals(queue, editors);
  const history = new HistoryView(server, landed);
  const refresh = (): void =>
    item.show({ server: server.state, status, pending: queue.size + edits.previews });

  const ask: Ask = async (method, params, token) => {
    await cycle.running();
    return server.request(method, params, token);
  };
  const api = apiOver(ask, proposed.event, settled.event);

  context.subscriptions.push(
    channel,
    proposed,
    settled,
    server,
    marks,
    moved,
    item,
    editors,
    arrivals,
    history,
    new PendingView(queue),
    keepContext(queue, editors),
    vscode.workspace.registerFileSystemProvider(PROPOSAL, files, { isCaseSensitive: true }),
    vscode.workspace.registerTextDocumentContentProvider(BASE, bases),
    vscode.workspace.registerTextDocumentContentProvider(LANDED, landed),
    registerCommands({ server, lifecycle: cycle, queue, editors, decisions, history, fetch }),
    registerTools(api),
    queue.changed.subscribe(refresh),
    edits.changed.subscribe(refresh),
    decisions.ended.subscribe((ended) => {
      moved.forget(ended.review.proposed.id);
      marks.forget(ended.review);
      history.ended(ended);
      void arrivals.ended(ended.review);
    }),
    server.stateChanged.subscribe((state) => {
      if (state.kind !== 'running') {
        status = undefined;
        queue.all.forEach((review) => decisions.over(review.proposed.id, 'withdrawn'));
      }
      refresh();
    }),
  );

  void editors.closeStale();
  cycle.restart();
  const testSocket = process.env['AGENTFS_TEST_SOCKET'];
  if (testSocket !== undefined) {
    const { serveTests } = await import('./testing.js');
    const probe = {
      request: ask,
      pending: () => queue.all.map(({ proposed: about }) => about),
      mode: () => status?.mode ?? 'unknown',
      status: () => status,
    };
    context.subscriptions.push(serveTests(testSocket, probe));
  }
  return api;
}

export async function deactivate(): Promise<void> {
  await lifecycle?.stop();
}
