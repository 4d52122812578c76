/** Creates the extension's parts and connects their events. */
import * as vscode from 'vscode';
import { Server } from './server/client';
import type { Parts } from './commands';
import { DraftStore } from './review/draftStore';
import { noteSeen } from './proposals/acceptAll';
import { Announcements } from './review/announcements';
import { HistoryDiffs } from './history/diff';
import { Checkpoints } from './views/checkpoints';
import { Confirmation } from './views/confirmation';
import { askUser } from './views/questions';
import { Decisions } from './proposals/decisions';
import { Drafts } from './review/drafts';
import { caughtUp } from './util/caughtUp';
import { Presence } from './review/presence';
import { ServerEdits } from './proposals/serverEdits';
import { LandingWatcher } from './history/landings';
import { HistoryLoader } from './history/loader';
import { CheckpointStore } from './history/checkpoints';
import { shapeOf } from './history/sessions';
import { HistoryStore } from './history/store';
import { Undos } from './history/undos';
import { Decorations } from './review/decorations';
import { FileDecorations } from './views/fileDecorations';
import { StalenessWatcher } from './review/staleness';
import { DiffEditors } from './review/diffEditor';
import { AcceptedHunks } from './review/hunks';
import { HeldKeys } from './review/heldKeys';
import { InlineReviews } from './review/inline';
import { LookThrough } from './review/lookThrough';
import { PlainView } from './review/plainView';
import { ReviewFocus } from './review/focus';
import { Uncovered } from './review/uncovered';
import { HunkCount } from './views/hunkCount';
import { OutsideAgents } from './views/agents';
import { Connecting } from './views/connecting';
import { StatisticsView } from './views/statistics';
import { StatusBar } from './views/statusBar';
import { HunkDecisions } from './proposals/hunkDecisions';
import { Settling, type Ended } from './proposals/settling';
import { Walkthrough } from './views/walkthrough';
import { fetchTexts } from './proposals/fetch';
import { watchSaves } from './proposals/applyEdits';
import { currentSettings, Lifecycle } from './server/lifecycle';
import type { Proposed, Settled } from './protocol/types';
import { Questions } from './server/questions';
import { isDecided, type Review } from './proposals/review';
import { ProposalStore } from './proposals/store';
import { Sample } from './sample/sample';
import { Strictness } from './server/strictness';
import { agentRequests } from './server/agentRequests';
import { ReviewFileSystem, ReadOnlyTexts } from './review/fileSystem';
import { uncoverPlaceOf } from './review/visibility';
import { showTooEarly } from './proposals/notifications';
import { notify } from './util/window';
import { messageOf } from './util/display';
import { LastMoment } from './util/lastMoment';
import { whenOther } from './util/whenOther';

export interface Assembled extends Parts {
  files: ReviewFileSystem;
  bases: ReadOnlyTexts;
  draftTexts: ReadOnlyTexts;
  landed: ReadOnlyTexts;
  proposed: vscode.EventEmitter<Proposed>;
  settled: vscode.EventEmitter<Settled>;
  presence: Presence;
  walkthrough: Walkthrough;
  checkpointStore: CheckpointStore;
  disposables: vscode.Disposable[];
}

export function assemble(context: vscode.ExtensionContext): Assembled {
  const channel = vscode.window.createOutputChannel('agentfs', { log: true });
  const proposed = new vscode.EventEmitter<Proposed>();
  const settled = new vscode.EventEmitter<Settled>();
  const proposals: ProposalStore = new ProposalStore((told) => undos.titleOf(told) ?? connecting.nameOf(told));
  const questions = new Questions();
  const files = new ReviewFileSystem();
  const bases = new ReadOnlyTexts();
  const draftTexts = new ReadOnlyTexts();
  const landed = new ReadOnlyTexts();
  const decorations = new Decorations(proposals);
  const fileDecorations = new FileDecorations(proposals);
  const stale = new StalenessWatcher(proposals);
  const edits = new ServerEdits(currentSettings, (id) => proposals.get(id) !== undefined);
  const strictness = new Strictness({ everywhere: vscode.Uri.joinPath(context.globalStorageUri, 'autoModeEnded').fsPath, here: context.workspaceState });

  const server = new Server(channel, {
    proposed: (told) => {
      stale.arrived(told);
      void announcements.proposed(told);
      proposed.fire(told);
    },
    settled: (told) => settling.over(told),
    asked: (...asked) => askUser(questions, plain, ...asked),
    applyEdit: edits.apply,
  }, () => strictness.now);
  const status = new StatusBar(server, proposals, questions, edits, strictness);
  const lifecycle = new Lifecycle(context, server);
  const ask = agentRequests(lifecycle, server);
  const fetch = fetchTexts(server, proposals, (review) => {
    stale.watch(review);
    decorations.update(review);
  });
  const acceptedHunks = new AcceptedHunks();
  const inline = new InlineReviews(proposals, files, acceptedHunks);
  const heldKeys = new HeldKeys();
  const editors = new DiffEditors(proposals, files, bases, fetch, inline, heldKeys);
  const records = new HistoryStore();
  const historyDiffs = new HistoryDiffs(ask, landed, records);
  const undos = new Undos(ask, (paths, ids) => historyDiffs.openConflict(paths, ids), () => server.status?.mode === 'auto_edit');
  const checkpointStore = new CheckpointStore(vscode.Uri.joinPath(context.storageUri ?? context.globalStorageUri, 'checkpoints').fsPath);
  const checkpoints = new Checkpoints(checkpointStore, undos);
  const uncovered = new Uncovered();
  const rowsMoved = new LastMoment(caughtUp);
  const titleMoved = new LastMoment(caughtUp);
  const focus = new ReviewFocus(editors, uncovered);
  const plain = new PlainView();
  const connecting = new Connecting(server, lifecycle, context.extensionUri, context.workspaceState, () => walkthrough.tick('connect'));
  const outside = new OutsideAgents(server, lifecycle, connecting, () => walkthrough.tick('connect'));
  const statistics = new StatisticsView(server, lifecycle);
  const showStale = (review: Review): Promise<void> => historyDiffs.openStale(review);
  const settling = new Settling(server, proposals, editors, showStale);
  const decisions = new Decisions(settling, proposals, editors, focus, files, plain, showStale);
  const looks = new LookThrough(proposals, editors, decisions, files, landed, plain, fetch, uncovered);
  const hunks = new HunkDecisions(proposals, editors, focus, decisions, settling, acceptedHunks, files);
  const hunkCount = new HunkCount(proposals, editors, hunks);
  const walkthrough = new Walkthrough(server, context.globalState, context.extension.id);
  const sample = new Sample(ask, server, lifecycle, status, context.workspaceState, () => walkthrough.tick('sample'));
  const announcements = new Announcements(proposals, editors, async (told) => (await sample.awaits(told)) || (await undos.awaits(told)) || connecting.awaits(told));
  const presence = new Presence(caughtUp);
  const draftStore = new DraftStore(vscode.Uri.joinPath(context.globalStorageUri, 'drafts').fsPath, presence, (error) => {
    void notify('warning', vscode.l10n.t(
      'What you type into proposals cannot be stored, and is lost when this window closes or reloads. Copy it to a safe place. {0}',
      messageOf(error),
    ));
  });
  const drafts = new Drafts(draftStore, proposals, files, draftTexts, plain, uncovered);
  const history = new HistoryLoader(server, records);
  const confirmation = new Confirmation();

  const landedMoved = whenOther(() => shapeOf(records.all, checkpointStore.all), () => void rowsMoved.note());
  const draftsMoved = whenOther(() => drafts.all.map(({ id, path }) => [id, path]), () => void rowsMoved.note());

  // Close the tabs first: the draft then includes everything typed until that moment.
  const letGo = async (ended: Ended): Promise<void> => {
    await editors.close(ended.review).catch((error: unknown) => channel.warn(String(error)));
    await drafts.ended(ended).catch((error: unknown) => channel.error(String(error)));
    editors.forget(ended.review);
  };

  const connections = [
    questions.onDidChange(() => void rowsMoved.note()), // they come first
    settling.onDidEnd(() => void rowsMoved.note()),
    ...[records, checkpointStore].map(({ onDidChange }) => onDidChange(landedMoved)),
    drafts.onDidChange(draftsMoved),
    heldKeys.onDidSwallow(() => editors.current !== undefined && showTooEarly()),
    editors.onWillOpen((review) => uncoverPlaceOf(files, review)),
    editors.onDidOpen(({ review }) => plain.closeOthers(review.proposed.id)),
    editors.onDidOpenLate((review) => void announcements.late(review)),
    editors.onDidLeaveBehind((closed) => {
      void drafts.leftBehind(closed).catch((error: unknown) => channel.error(String(error)));
    }),
    focus.onDidSee((review) => void noteSeen(proposals, review, files, plain)),
    settling.onDidBegin((review) => focus.decided(review)),
    focus.onDidGuard((review) => decorations.flash(review)),
    hunks.onDidDecide(() => confirmation.hide()),
    focus.onDidTouch((review) => editors.unlock(review)),
    settling.onDidEnd((ended) => {
      const { id, outcome, reason, files } = ended;
      stale.forget(id);
      decorations.forget(ended.review);
      plain.close(id);
      history.ended(ended);
      confirmation.ended(ended);
      sample.ended(ended);
      if (isDecided(ended.review)) {
        walkthrough.tick('review');
      }
      void letGo(ended);
      settled.fire({ id, outcome, ...(reason === undefined ? {} : { reason }), ...(files === undefined ? {} : { files }) });
    }),
    server.onDidChangeState((state) => {
      if (state.kind !== 'running') {
        questions.clear();
        proposals.all.forEach((review) => {
          const { id } = review.proposed;
          settling.over(isDecided(review) ? { id, outcome: 'failed' } : { id, outcome: 'withdrawn', reason: 'shutdown' });
        });
        edits.drop();
      }
    }),
  ];
  const own = [watchSaves(), new LandingWatcher(records), files, channel, proposed, settled, server, strictness, decorations, fileDecorations, announcements, stale, status, heldKeys, editors, inline, uncovered, focus, hunks, hunkCount, looks, plain, history, historyDiffs, confirmation, drafts, outside, walkthrough, statistics];
  const parts = { ask, plain, server, lifecycle, proposals, questions, editors, edits, decisions, hunks, looks, drafts, records, history, historyDiffs, undos, checkpoints, status, outside, connecting, statistics, sample, rowsMoved, titleMoved, fetch };
  const texts = { files, bases, draftTexts, landed, presence, checkpointStore };
  return { ...parts, ...texts, walkthrough, proposed, settled, disposables: [...own, ...connections] };
}
