/** Registers all commands of the extension by id. What they do is implemented elsewhere. */
import * as vscode from 'vscode';
import type { Server } from './server/client';
import type { Draft } from './review/draftStore';
import { showQuestion } from './views/questions';
import type { HistoryDiffs } from './history/diff';
import type { Decisions } from './proposals/decisions';
import type { LookThrough } from './review/lookThrough';
import type { HunkDecisions } from './proposals/hunkDecisions';
import type { Drafts } from './review/drafts';
import type { ServerEdits } from './proposals/serverEdits';
import type { HistoryLoader } from './history/loader';
import { run } from './review/editorFocus';
import type { PendingNode } from './views/pending';
import { draftInFront } from './views/drafts';
import type { DiffEditors } from './review/diffEditor';
import type { By } from './review/focus';
import type { Checkpoints } from './views/checkpoints';
import { openReviewOf, showFileChanges } from './views/fileChanges';
import { toggleStyle } from './views/reviewStyle';
import type { OutsideAgents } from './views/agents';
import type { Connecting } from './views/connecting';
import type { StatisticsView } from './views/statistics';
import type { StatusBar } from './views/statusBar';
import type { Checkpoint } from './history/checkpoints';
import type { SessionChanges } from './history/sessions';
import type { HistoryRecord, HistoryStore } from './history/store';
import type { UndoableChange, Undos } from './history/undos';
import type { Lifecycle } from './server/lifecycle';
import type { LastMoment } from './util/lastMoment';
import { hasNotificationGone, listChanged, noteNotifications, notify, showStatusMessage } from './util/window';
import type { Questions } from './server/questions';
import type { Sample } from './sample/sample';
import type { PlainView } from './review/plainView';
import { AgentMethod } from './protocol/types';
import type { FileDecision, Review } from './proposals/review';
import type { ProposalStore } from './proposals/store';
import type { Ask } from './server/agentRequests';
import { PROPOSAL, virtualUri } from './review/fileSystem';

export interface Parts {
  ask: Ask;
  server: Server;
  lifecycle: Lifecycle;
  proposals: ProposalStore;
  questions: Questions;
  plain: PlainView;
  editors: DiffEditors;
  decisions: Decisions;
  hunks: HunkDecisions;
  looks: LookThrough;
  drafts: Drafts;
  edits: ServerEdits;
  records: HistoryStore;
  history: HistoryLoader;
  historyDiffs: HistoryDiffs;
  undos: Undos;
  checkpoints: Checkpoints;
  status: StatusBar;
  outside: OutsideAgents;
  connecting: Connecting;
  statistics: StatisticsView;
  sample: Sample;
  /** When rows of pending changes last moved. */
  rowsMoved: LastMoment;
  /** When buttons in the title of the review in front last made way for others. */
  titleMoved: LastMoment;
  fetch: (review: Review) => Promise<boolean>;
}

type Handler = (...args: never[]) => unknown;

/** An argument that makes a command do nothing. */
const REHEARSAL = 'rehearsal';

const REHEARSED = ['accept', 'title.accept', 'title.reject', 'title.redo', 'row.accept', 'acceptHunk', 'rejectHunk', 'title.acceptHunk', 'title.rejectHunk', 'inline.acceptHunk', 'inline.rejectHunk', 'showAsDiff', 'commentsOff', 'acceptAlways', 'acceptAll', 'reject', 'rejectFile', 'rejectAll', 'row.reject', 'row.rejectFile', 'row.discardDraft', 'showAgents', 'connectAgent', 'restoreCheckpoint'];

/**
 * When a command runs for the first time, VS Code asks the extension hosts about it. Keys pressed meanwhile are typed
 * into the review, and would be part of the text that is accepted, or reported before the command whose question must not
 * take them. So run these commands once, without effect.
 */
export async function rehearse(): Promise<void> {
  await run(...REHEARSED.map((id) => ({ command: `agentfs.ui.${id}`, args: [REHEARSAL] })));
}

export function registerCommands(parts: Parts): vscode.Disposable {
  const registered = Object.entries({ ...handlers(parts), ...rowHandlers(parts) }).map(([id, handler]) =>
    vscode.commands.registerCommand(`agentfs.ui.${id}`, (...args: never[]) => (args[0] === REHEARSAL ? undefined : handler(...args))),
  );
  return vscode.Disposable.from(...registered, ...registerRequests(parts));
}

/**
 * The server's own commands (docs/protocol.md#15-commands), for agents' hosts that can't send custom requests. They
 * work even while no server runs. Other extensions can cancel a request with a token as the second argument.
 */
function registerRequests({ ask, status }: Parts): vscode.Disposable[] {
  const requests = Object.entries(AgentMethod).map(([name, method]) =>
    vscode.commands.registerCommand(`agentfs.${name}`, (params: unknown, token?: unknown) =>
      ask(method, params ?? {}, isToken(token) ? token : undefined),
    ),
  );
  const manual = vscode.commands.registerCommand('agentfs.manual', async () => {
    await status.manual();
    return { ok: true };
  });
  return [...requests, manual];
}

/** Checks structurally: between extension hosts the token becomes a plain object. */
function isToken(value: unknown): value is vscode.CancellationToken {
  return typeof (value as Partial<vscode.CancellationToken> | undefined)?.onCancellationRequested === 'function';
}

function handlers({
  ask,
  server,
  lifecycle,
  proposals,
  questions,
  plain,
  editors,
  decisions,
  hunks,
  looks,
  drafts,
  edits,
  history,
  historyDiffs,
  undos,
  checkpoints,
  status,
  outside,
  connecting,
  statistics,
  sample,
  titleMoved,
  fetch,
}: Parts): Record<string, Handler> {
  const step = async (by: 1 | -1): Promise<void> => {
    // Pressed quickly, each press goes on from where the one before leads.
    const review = proposals.beside((editors.coming ?? editors.current)?.proposed.id, by);
    if (review !== undefined) {
      await editors.show(review);
    }
  };
  const ofFile = {
    ask,
    proposals,
    open: (record: HistoryRecord) => historyDiffs.open(record),
    review: (review: Review, path: string) => vscode.commands.executeCommand<void>('agentfs.ui.openReview', review.proposed.id, path),
  };
  const asDiff = async (why?: string): Promise<void> => {
    const { current } = editors.inline;
    if (current !== undefined) {
      await decisions.showAsDiff(current, why);
    }
  };
  const backToReview = async (): Promise<void> => {
    const review = proposals.get(historyDiffs.changedInFront ?? '');
    if (review !== undefined) {
      await editors.show(review);
    }
  };
  /** The click may have been meant for the button that was there before. */
  const button = (act: () => unknown) => (): unknown => (titleMoved.isRecent() ? showButtonsMoved() : act());
  const frontOrFirst = (): Review | undefined => editors.current ?? proposals.firstWaiting() ?? proposals.all[0];
  return {
    accept: (by?: unknown) => decisions.accept(false, byOf(by)),
    acceptAlways: (by?: unknown) => (vscode.workspace.isTrusted ? decisions.accept(true, byOf(by)) : showUntrustedMessage()),
    reject: (by?: unknown) => decisions.reject(byOf(by)),
    acceptHunk: (by?: unknown) => hunks.decide('accepted', byOf(by)),
    rejectHunk: (by?: unknown) => hunks.decide('rejected', byOf(by)),
    // The buttons of comments in the file, which pass their comment. VS Code shows only icons there.
    'inline.acceptHunk': (comment: unknown) => decideByComment(hunks, 'accepted', comment),
    'inline.rejectHunk': (comment: unknown) => decideByComment(hunks, 'rejected', comment),
    nextHunk: () => editors.inline.step(1),
    previousHunk: () => editors.inline.step(-1),
    showAsDiff: () => asDiff(),
    toggleInline: () => toggleStyle(ofFile),
    // The keys that decide, where the file cannot show what they are about. `showAsDiff` itself has no key: a menu would name it.
    commentsOff: () => asDiff(vscode.l10n.t('Comments in editors, which show the new lines, are turned off.')),
    // Aliases for the title bar: VS Code shows a command as text there only if it has neither an icon nor a key.
    'title.accept': button(() => decisions.accept(false, 'choice')),
    'title.reject': () => decisions.reject('choice'),
    'title.acceptHunk': button(() => hunks.decide('accepted', 'choice')),
    'title.rejectHunk': button(() => hunks.decide('rejected', 'choice')),
    'title.next': () => step(1),
    'title.showChanged': () => decisions.showChanged(),
    'title.backToReview': () => backToReview(),
    backToReview: () => backToReview(), // by a key that no menu may name
    'title.redo': button(() => decisions.redo()),
    'title.acceptLooked': () => looks.accept(),
    lookThrough: async () => {
      const review = frontOrFirst();
      if (review !== undefined) {
        await looks.show(review);
      }
    },
    acceptFile: () => decisions.decideFile('accepted'),
    rejectFile: () => decisions.decideFile('rejected'),
    acceptAll: () => decisions.acceptAll(fetch),
    rejectAll: () => decisions.rejectAll(),
    next: () => step(1),
    previous: () => step(-1),
    openReview: async (id?: unknown, path?: unknown) => {
      const asked = typeof id === 'string' ? proposals.get(id) : frontOrFirst();
      const [question] = questions.all;
      if (asked !== undefined) {
        await editors.show(asked, typeof path === 'string' ? path : undefined);
      } else if (typeof id === 'string') {
        void notify('information', vscode.l10n.t('This change is no longer waiting for your review.'));
      } else if (edits.previews > 0) {
        edits.open();
      } else if (question !== undefined) {
        await showQuestion(questions, plain, question.id);
      } else {
        void notify('information', vscode.l10n.t('No changes are waiting for your review.'));
      }
    },
    applyDraft: async () => {
      const draft = draftInFront(drafts);
      if (draft !== undefined) {
        await drafts.apply(draft);
      }
    },
    answerQuestion: (id?: unknown) => showQuestion(questions, plain, id),
    olderLanded: () => history.loadOlder(),
    createCheckpoint: () => checkpoints.create(),
    restoreCheckpoint: () => checkpoints.restore(),
    'title.undoLanded': async () => {
      const { inFront } = historyDiffs;
      await (inFront === undefined ? decisions.showNothingActive() : undos.undo(inFront));
    },
    showFileChanges: (uri?: vscode.Uri) => showFileChanges(ofFile, uri),
    'file.openReview': (uri?: vscode.Uri) => openReviewOf(ofFile, uri),
    manual: () => status.manual(),
    resumeAuto: () => status.resumeAuto(),
    showAgents: () => outside.show(),
    connectAgent: () => connecting.connect(),
    showStatistics: () => statistics.show(),
    sample: () => sample.start(),
    showPending: () => vscode.commands.executeCommand('agentfs.pending.focus'),
    restart: () => lifecycle.restart(),
    showOutput: () => server.channel.show(true),
  };
}

/**
 * Commands of the views' rows. They never fall back to the active review: when a row is redrawn while it is pressed, VS
 * Code passes no row, and deciding on a different change is worse than doing nothing.
 */
function rowHandlers({ editors, decisions, looks, drafts, historyDiffs, undos, checkpoints, rowsMoved }: Parts): Record<string, Handler> {
  const of =
    <Row>(act: (row: Row) => unknown) =>
    (row?: Row): unknown =>
      row === undefined ? showStaleRowMessage() : act(row);
  /** The click may have been meant for the row that was there before. */
  const decide = <Row>(act: (row: Row) => unknown): ((row?: Row) => unknown) =>
    of((row: Row) => (rowsMoved.isRecent() ? showStatusMessage(listChanged()) : act(row)));
  return {
    'row.openReview': of(({ review, file }: PendingNode) => editors.show(review, file?.path)),
    'row.accept': decide(({ review }: PendingNode) => decisions.acceptRow(review)),
    'row.reject': of(({ review }: PendingNode) => decisions.reject('choice', review)),
    'row.lookThrough': of(({ review }: PendingNode) => looks.show(review)),
    'row.acceptFile': decide((node: PendingNode) => decisions.decideFile('accepted', uriOf(node))),
    'row.rejectFile': decide((node: PendingNode) => decisions.decideFile('rejected', uriOf(node))),
    'row.openDraft': of((draft: Draft) => drafts.open(draft)),
    'row.discardDraft': of((draft: Draft) => drafts.discard(draft)),
    'row.openLanded': of((record: HistoryRecord) => historyDiffs.open(record)),
    'row.undoLanded': of((change: UndoableChange) => undos.undo(change)),
    'row.undoFrom': of((record: HistoryRecord) => undos.undoFrom(record)),
    'row.undoSession': of((group: SessionChanges) => undos.undoSession(group)),
    'row.restoreCheckpoint': of((checkpoint: Checkpoint) => checkpoints.restore(checkpoint)),
    'row.renameCheckpoint': of((checkpoint: Checkpoint) => checkpoints.rename(checkpoint)),
    'row.deleteCheckpoint': decide((checkpoint: Checkpoint) => checkpoints.delete(checkpoint)),
  };
}

/** Notifications may cover the buttons of comments. */
async function decideByComment(hunks: HunkDecisions, decision: FileDecision, comment: unknown): Promise<void> {
  await ((await hasNotificationGone()) ? showUncovered() : hunks.decide(decision, 'choice', comment ?? null));
}

function showUntrustedMessage(): void {
  void notify('information', vscode.l10n.t('Nothing was accepted because you must review every change in a workspace that is not trusted.'));
}

/** Only the keybindings in the manifest pass 'key', or 'keyBeneath' while notifications are on the screen; buttons and other extensions don't. */
function byOf(argument: unknown): By {
  if (argument === 'keyBeneath') {
    noteNotifications();
  }
  return argument === 'key' || argument === 'keyBeneath' ? 'key' : 'choice';
}

function showStaleRowMessage(): void {
  void notify('information', listChanged());
}

function showUncovered(): void {
  showStatusMessage(vscode.l10n.t('Press again: a notification has just gone.'));
}

function showButtonsMoved(): void {
  showStatusMessage(vscode.l10n.t('Press again: the buttons have just moved.'));
}

function uriOf({ review, file }: PendingNode): vscode.Uri | undefined {
  return file && virtualUri(PROPOSAL, review.proposed.id, file.path);
}
