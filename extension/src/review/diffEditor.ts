/**
 * Shows a proposal as a diff: left the text that it changes, right what is proposed, which may be changed. One review
 * is open at a time, however many wait, and none opens by itself. What is decided about it is `proposals/decisions.ts`.
 */
import * as vscode from 'vscode';
import { findDocument } from '../proposals/applyEdits';
import type { ReviewedFile } from '../protocol/types';
import type { Review } from '../proposals/review';
import type { ProposalStore } from '../proposals/store';
import { baseName, brief, counts, visible } from '../util/display';
import { withEol } from '../util/text';
import { BASE, PROPOSAL, virtualUri, type ReviewFileSystem, type ReadOnlyTexts } from './fileSystem';
import { SerialQueue } from '../util/serialQueue';
import { closeTabs, makeReadOnly, type Closed } from './closeTabs';
import { keysForTheFront, run, withoutFocus } from './editorFocus';
import { allTabs, isMultiDiff, isReviewTab, proposalsIn, reviewIdOf, tabInFront } from './tabs';
import { agentOf } from '../proposals/notifications';
import { userWaits } from './userWaits';

const EXPLANATION_CHARACTERS = 80;

/** So long after a decision the user has not gone elsewhere yet. */
const SOON_MS = 200;

/** `isNext`: it takes the place of a review that was decided. */
export interface Opening {
  review: Review;
  isNext: boolean;
}

export class DiffEditors implements vscode.Disposable {
  private readonly opened = new vscode.EventEmitter<Opening>();
  /** A review was opened, and has the focus. */
  readonly onDidOpen = this.opened.event;
  private readonly late = new vscode.EventEmitter<Review>();
  /** A review was asked for, and was not opened: it came too late. */
  readonly onDidOpenLate = this.late.event;
  private readonly leftBehind = new vscode.EventEmitter<Closed>();
  /** An earlier window left this behind, with text that the user typed. */
  readonly onDidLeaveBehind = this.leftBehind.event;
  /** The review that is being opened. */
  opening: Opening | undefined;
  /** What was asked for last: another one that comes after it is not wanted any more. */
  private asked = {};
  private readonly shows = new SerialQueue();
  private readonly closings = new SerialQueue();
  private readonly closing = new Set<string>();
  /** The tab that was in front last and is no review's. */
  private before: vscode.Tab | undefined;
  private readonly listener: vscode.Disposable;

  constructor(
    private readonly proposals: ProposalStore,
    private readonly files: ReviewFileSystem,
    private readonly bases: ReadOnlyTexts,
    private readonly fetch: (review: Review) => Promise<boolean>,
  ) {
    this.listener = vscode.window.tabGroups.onDidChangeTabs((event) => this.tabsChanged(event));
  }

  /** The review that is visible and active; undefined where something else is. */
  get current(): Review | undefined {
    const tab = tabInFront();
    return tab && this.reviewOf(tab);
  }

  /**
   * Of a review of several files the one that stands in front alone: VS Code opens a tab for a draft that was typed
   * in the editor of them all.
   */
  get currentPart(): vscode.Uri | undefined {
    const tab = tabInFront();
    const files = this.current?.proposed.files.length ?? 0;
    return tab === undefined || isMultiDiff(tab) || files < 2 ? undefined : proposalsIn(tab)[0];
  }

  /**
   * Open a review, in place of one that is open, and give it the focus: the user wants it. Where its texts come when the
   * user has gone on to something else, it would take the keys from that, and is `late` instead. One at a time.
   */
  async show(review: Review): Promise<void> {
    const asked = (this.asked = {});
    const isWaiting = userWaits();
    const isThere = await this.fetch(review);
    if (!isThere || this.asked !== asked) {
      return;
    }
    if (isWaiting()) {
      await this.shows.run(() => this.showNow(review));
    } else if (this.proposals.get(review.proposed.id) !== undefined) {
      this.late.fire(review);
    }
  }

  /**
   * The user has decided about the review in front: the next takes its place with `onwards`, else what was there
   * before. That is done with the press; when the answer comes, the user may be typing somewhere else. The next one
   * takes the keys from nowhere else. What is typed on is not meant for it: it is read-only until the user goes into it.
   */
  async leave(review: Review, onwards: boolean): Promise<void> {
    const next = onwards ? this.proposals.firstWaiting() : undefined;
    // The editor of several files can't be made read-only and back: they wait until they are asked for.
    const goesOn = next?.proposed.files.length === 1 && (await soon(this.fetch(next)));
    const tab = tabInFront();
    if (tab === undefined || reviewIdOf(tab) !== review.proposed.id) {
      return;
    }
    if (next !== undefined && goesOn) {
      await this.shows.run(() => this.showNow(next, tab.group));
    } else {
      await this.goBack(tab.group);
    }
  }

  /** Get the texts of what comes next, for the moment when the user has decided about the review in front. */
  async prepareNext(): Promise<void> {
    const { current } = this;
    const next = this.proposals.firstWaiting(current);
    if (current !== undefined && next !== undefined) {
      await this.fetch(next);
    }
  }

  /** What is proposed may be typed in, but for what it deletes. */
  unlock({ proposed: { id, files } }: Review): void {
    for (const { path } of files.filter(({ operation }) => operation !== 'delete')) {
      this.files.unlock(virtualUri(PROPOSAL, id, path));
    }
  }

  /** The user has decided: what is typed from now on is too late. */
  async lock({ proposed: { id } }: Review): Promise<void> {
    const shown = allTabs().filter((tab) => reviewIdOf(tab) === id).flatMap(proposalsIn);
    await this.closings.run(() => makeReadOnly(this.files, shown));
  }

  /** Close what shows a review that is over. What is unsaved in it is kept until `forget`. */
  async close({ proposed: { id } }: Review): Promise<void> {
    await this.closeKnowing((tab) => reviewIdOf(tab) === id);
  }

  /** Let go of the texts of a review that was closed. */
  forget({ proposed: { id, files } }: Review): void {
    for (const { path } of files) {
      this.files.forget(virtualUri(PROPOSAL, id, path));
      this.bases.delete(virtualUri(BASE, id, path));
    }
  }

  /** Close tabs that an earlier window, or a proposal that is over, left behind. */
  async closeStale(): Promise<void> {
    const stale = (tab: vscode.Tab): boolean => isReviewTab(tab) && this.reviewOf(tab) === undefined;
    const closed = await this.closings.run(() => closeTabs(this.files, stale));
    closed.forEach(({ uri }) => this.files.forget(uri));
    closed.filter(({ wasUnsaved }) => wasUnsaved).forEach((one) => this.leftBehind.fire(one));
  }

  dispose(): void {
    this.listener.dispose();
  }

  /** `place`: the group in which it takes the place of a review that was decided. */
  private async showNow(review: Review, place?: vscode.TabGroup): Promise<void> {
    const { id } = review.proposed;
    const isNext = place !== undefined;
    if (review.proposal === undefined || this.proposals.get(id) === undefined) {
      return;
    }
    const sides = review.proposal.files.map((file) => this.prepare(id, file));
    sides.filter(({ file }) => file.operation === 'delete').forEach(({ right }) => this.files.lock(right));
    if (isNext) {
      sides.forEach(({ right }) => this.files.lock(right));
    } else {
      this.unlock(review);
    }
    const giveKeys = await keysForTheFront();
    this.proposals.setAside(review, false);
    this.opening = { review, isNext };
    const opened = open(review, sides, place);
    await Promise.all([opened, isNext && run(giveKeys)]).finally(() => {
      this.opening = undefined;
    });
    this.opened.fire({ review, isNext });
    await run(giveKeys);
    await this.closeKnowing((tab) => ![undefined, review].includes(this.reviewOf(tab)));
    await this.prepareNext();
  }

  /** To the editor that was in front before the reviews, or another one of the group. */
  private async goBack({ tabs }: vscode.TabGroup): Promise<void> {
    const giveKeys = await keysForTheFront();
    const others = tabs.filter((tab) => !isReviewTab(tab));
    const tab = others.find((other) => other === this.before) ?? others.at(-1);
    if (tab !== undefined) {
      const byIndex = { command: 'workbench.action.openEditorAtIndex', args: [tabs.indexOf(tab)] };
      await run(withoutFocus(tab) ?? byIndex, giveKeys);
    }
  }

  /** Put the texts where the editors find them. */
  private prepare(id: string, file: ReviewedFile): DiffSides {
    const right = virtualUri(PROPOSAL, id, file.path);
    if (!this.files.has(right)) {
      this.files.set(right, withEol(file.proposed_text, file.eol));
    }
    // Not the open document itself: a diff editor would let the user type in it.
    const left = virtualUri(BASE, id, file.path);
    this.bases.set(left, withEol(file.base_text, file.eol));
    const open = file.version === null ? undefined : findDocument(file.uri);
    return { file, left, right, unsaved: open?.isDirty === true };
  }

  /** Close tabs, which is not the user's setting aside of their reviews. What was typed in them is kept. */
  private async closeKnowing(which: (tab: vscode.Tab) => boolean): Promise<void> {
    const ids = allTabs().filter(which).flatMap((tab) => reviewIdOf(tab) ?? []);
    ids.forEach((id) => this.closing.add(id));
    try {
      await this.closings.run(() => closeTabs(this.files, which));
    } finally {
      ids.forEach((id) => this.closing.delete(id));
    }
  }

  private reviewOf(tab: vscode.Tab): Review | undefined {
    return this.proposals.get(reviewIdOf(tab) ?? '');
  }

  private tabsChanged({ opened, closed }: vscode.TabChangeEvent): void {
    const front = tabInFront();
    this.before = front !== undefined && !isReviewTab(front) ? front : this.before;
    const gone = closed.filter((tab) => !allTabs().some((other) => reviewIdOf(other) === reviewIdOf(tab)));
    for (const review of gone.flatMap((tab) => this.reviewOf(tab) ?? [])) {
      this.proposals.setAside(review, review.setAside || !this.closing.has(review.proposed.id));
    }
    if (opened.some((tab) => isReviewTab(tab) && this.reviewOf(tab) === undefined)) {
      void this.closeStale();
    }
  }
}

/** Whether it comes true at once. */
function soon(coming: Promise<boolean>): Promise<boolean> {
  return Promise.race([coming, new Promise<false>((resolve) => setTimeout(resolve, SOON_MS, false))]);
}

interface DiffSides {
  file: ReviewedFile;
  left: vscode.Uri;
  right: vscode.Uri;
  unsaved: boolean;
}

/** In the group `place` it takes the keys from nowhere. */
async function open(review: Review, sides: readonly DiffSides[], place?: vscode.TabGroup): Promise<void> {
  const [only, ...more] = sides;
  if (only === undefined) {
    return;
  }
  const title = titleOf(review, only, more.length);
  if (more.length > 0) {
    const resources = sides.map(({ left, right }) => [right, left, right]);
    await vscode.commands.executeCommand('vscode.changes', title, resources);
    return;
  }
  await vscode.commands.executeCommand('vscode.diff', only.left, only.right, title, {
    preview: false,
    preserveFocus: place !== undefined,
    viewColumn: place?.viewColumn,
    override: true, // as text, whatever editor the user has for such files
  });
}

/** What the tab says: which file, whose change, and why. */
function titleOf({ proposed }: Review, { file, unsaved }: DiffSides, more: number): string {
  const agent = agentOf(proposed.agent);
  const why = brief(proposed.explanation, EXPLANATION_CHARACTERS);
  const about = why === '' ? agent : vscode.l10n.t('{0}: {1}', agent, why);
  if (more > 0) {
    return vscode.l10n.t('{0} files ← {1}', more + 1, about);
  }
  const name = `${visible(baseName(file.path))} ${counts(file.lines_added, file.lines_removed)}`;
  if (file.operation === 'create') {
    return vscode.l10n.t('{0} (new file) ← {1}', name, about);
  }
  if (file.operation === 'delete') {
    return vscode.l10n.t('{0} (to be deleted) ← {1}', name, about);
  }
  return unsaved
    ? vscode.l10n.t('{0} (your unsaved text) ← {1}', name, about)
    : vscode.l10n.t('{0} ← {1}', name, about);
}
