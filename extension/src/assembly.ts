/** Makes the parts and connects them: who hears what from whom. What each of them does is its own. */
import * as vscode from 'vscode';
import { Server } from './client';
import type { Parts } from './commands';
import { DraftStore } from './drafts';
import { noteSeen } from './features/acceptAll';
import { Arrivals } from './features/arrivals';
import { LandedChanges } from './features/changes';
import { Confirmation } from './features/confirm';
import { askUser } from './features/answers';
import { Decisions, type Ended } from './features/decide';
import { Drafts } from './features/drafts';
import { Edits } from './features/edits';
import { HistoryView } from './features/history';
import { Marks } from './features/marks';
import { MovedFiles } from './features/moved';
import { ReviewEditors } from './features/review';
import { ReviewFocus } from './features/reviewFocus';
import { StatusView } from './features/status';
import { fetchTexts } from './fetch';
import { watchSaves } from './hand';
import { currentSettings, Lifecycle } from './lifecycle';
import type { Proposed, Settled } from './protocol';
import { Questions } from './questions';
import { ReviewQueue } from './queue';
import { Strictness } from './strictness';
import { askOver } from './requests';
import { ProposalFiles, ReadOnlyTexts } from './virtual';

export interface Assembled extends Parts {
  files: ProposalFiles;
  bases: ReadOnlyTexts;
  draftTexts: ReadOnlyTexts;
  landed: ReadOnlyTexts;
  proposed: vscode.EventEmitter<Proposed>;
  settled: vscode.EventEmitter<Settled>;
  disposables: vscode.Disposable[];
}

export function assemble(context: vscode.ExtensionContext): Assembled {
  const channel = vscode.window.createOutputChannel('agentfs', { log: true });
  const proposed = new vscode.EventEmitter<Proposed>();
  const settled = new vscode.EventEmitter<Settled>();
  const queue = new ReviewQueue();
  const questions = new Questions();
  const files = new ProposalFiles();
  const bases = new ReadOnlyTexts();
  const draftTexts = new ReadOnlyTexts();
  const landed = new ReadOnlyTexts();
  const marks = new Marks(queue);
  const moved = new MovedFiles(queue);
  const edits = new Edits(currentSettings);
  const strictness = new Strictness({ everywhere: context.globalState, here: context.workspaceState });

  const server = new Server(channel, {
    proposed: (told) => {
      moved.arrived(told);
      void arrivals.proposed(told);
      proposed.fire(told);
    },
    settled: ({ id, outcome }) => decisions.over(id, outcome),
    status: (told) => status.told(told),
    asked: (...asked) => askUser(questions, ...asked),
    applyEdit: edits.apply,
  }, () => strictness.now);
  const status = new StatusView(server, queue, questions, edits, strictness);
  const lifecycle = new Lifecycle(context, server);
  const ask = askOver(lifecycle, server);
  const fetch = fetchTexts(server, (review) => {
    moved.watch(review);
    marks.mark(review);
  });
  const editors = new ReviewEditors(queue, files, bases, fetch);
  const changes = new LandedChanges(server, ask, landed);
  const focus = new ReviewFocus(editors);
  const decisions = new Decisions(server, queue, editors, focus, files, (review) => changes.openMoved(review));
  const arrivals = new Arrivals(queue, editors, changes.awaits);
  const drafts = new Drafts(new DraftStore(vscode.Uri.joinPath(context.globalStorageUri, 'drafts').fsPath), queue, files, draftTexts);
  const history = new HistoryView(server);
  const confirmation = new Confirmation(changes);

  // What is typed until its tab is closed is in the draft.
  const letGo = async (ended: Ended): Promise<void> => {
    await editors.close(ended.review).catch((error: unknown) => channel.warn(String(error)));
    await drafts.ended(ended).catch((error: unknown) => channel.error(String(error)));
    editors.forget(ended.review);
  };

  const connections = [
    editors.late.subscribe((review) => void arrivals.late(review)),
    editors.leftBehind.subscribe((closed) => {
      void drafts.leftBehind(closed).catch((error: unknown) => channel.error(String(error)));
    }),
    focus.entering.subscribe((review) => void noteSeen(review, files)),
    focus.touched.subscribe((review) => editors.unlock(review)),
    decisions.ended.subscribe((ended) => {
      const { id } = ended.review.proposed;
      moved.forget(id);
      marks.forget(ended.review);
      history.ended(ended);
      confirmation.ended(ended);
      void letGo(ended);
      settled.fire({ id, outcome: ended.outcome });
    }),
    server.stateChanged.subscribe((state) => {
      if (state.kind !== 'running') {
        questions.clear();
        queue.all.forEach(({ proposed: { id } }) => decisions.over(id, 'failed'));
        edits.drop();
      }
    }),
  ];
  const own = [watchSaves(), files, channel, proposed, settled, server, strictness, marks, moved, status, editors, focus, history, changes, confirmation, drafts];
  const parts = { ask, server, lifecycle, queue, questions, editors, edits, decisions, drafts, history, changes, status, fetch };
  const texts = { files, bases, draftTexts, landed };
  return { ...parts, ...texts, proposed, settled, disposables: [...own, ...connections] };
}
