/**
 * Shows a proposal as a diff: on the left the text that it changes, on the right the proposed text, which the user may
 * edit. Only one review is open at a time, and none opens by itself. `proposals/decisions.ts` handles decisions.
 */
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { findDocument } from '../proposals/applyEdits';
import type { ReviewedFile } from '../protocol/types';
import type { Review } from '../proposals/review';
import type { ProposalStore } from '../proposals/store';
import { withEol } from '../util/text';
import { open, type DiffSides } from './diffTab';
import { BASE, idOf, PROPOSAL, virtualUri, type ReviewFileSystem, type ReadOnlyTexts } from './fileSystem';
import { SerialQueue } from '../util/serialQueue';
import { closeTabs, makeReadOnly, type Closed } from './closeTabs';
import { keysForTheFront, run, takesAllKeys, unmaximize, withoutFocus } from './editorFocus';
import type { HeldKeys } from './heldKeys';
import type { InlineReviews } from './inline';
import { allTabs, isMultiDiff, isReviewTab, proposalsIn, reviewIdOf, tabInFront } from './tabs';
import { soon, userWaits } from './userWaits';

/** By then a diff is drawn. Setting the layout takes VS Code longer than that, and would hold it up. */
const DRAWN_MS = 200;

/** `isNext`: it replaces a review that was decided. */
export interface Opening {
  review: Review;
  isNext: boolean;
}

export class DiffEditors implements vscode.Disposable {
  private readonly willOpen = new vscode.EventEmitter<Review>();
  /** A diff is about to be opened. */
  readonly onWillOpen = this.willOpen.event;
  private readonly opened = new vscode.EventEmitter<Opening>();
  /** A review was opened and has the focus. */
  readonly onDidOpen = this.opened.event;
  private readonly late = new vscode.EventEmitter<Review>();
  /** A review was requested but not opened, because its texts came too late. */
  readonly onDidOpenLate = this.late.event;
  private readonly leftBehind = new vscode.EventEmitter<Closed>();
  /** An earlier window left this tab behind, with text that the user typed. */
  readonly onDidLeaveBehind = this.leftBehind.event;
  /** The review that is being opened. */
  opening: Opening | undefined;
  /** Identifies the last request to show a review; earlier ones are dropped. */
  private asked: { review: Review } | undefined;
  private readonly shows = new SerialQueue();
  private readonly closings = new SerialQueue();
  private readonly closing = new Set<string>();
  /** The last active tab that is not a review. */
  private before: vscode.Tab | undefined;
  private readonly listener: vscode.Disposable;

  constructor(
    private readonly proposals: ProposalStore,
    private readonly files: ReviewFileSystem,
    private readonly bases: ReadOnlyTexts,
    private readonly fetch: (review: Review) => Promise<boolean>,
    /** The reviews that are shown in their files instead. */
    readonly inline: InlineReviews,
    private readonly heldKeys: HeldKeys,
  ) {
    this.listener = vscode.window.tabGroups.onDidChangeTabs((event) => this.tabsChanged(event));
  }

  /** The review that `show` is opening; undefined if none is on its way. */
  get coming(): Review | undefined {
    return this.asked?.review;
  }

  /** The active review; undefined if something else is active. */
  get current(): Review | undefined {
    const tab = tabInFront();
    return (tab && this.reviewOf(tab)) ?? this.inline.current;
  }

  /** Whether a text is part of what the review in front shows. */
  isInFront(uri: vscode.Uri): boolean {
    const { current } = this;
    return [PROPOSAL, BASE].includes(uri.scheme) ? idOf(uri) === current?.proposed.id : this.inline.isIn(current, uri);
  }

  /**
   * The file of a review of several files that is active on its own: when the user types into the editor of several
   * files, VS Code opens a tab for that file.
   */
  get currentPart(): vscode.Uri | undefined {
    const tab = tabInFront();
    const files = this.current?.proposed.files.length ?? 0;
    return tab === undefined || isMultiDiff(tab) || files < 2 ? undefined : proposalsIn(tab)[0];
  }

  /**
   * Open and focus a review in place of the one that is open. If its texts load only after the user has moved on,
   * opening it would take the focus, so fire `onDidOpenLate` instead. Opens one at a time. `path`: the file to scroll to,
   * if it has several.
   */
  async show(review: Review, path?: string): Promise<void> {
    const asked = (this.asked = { review });
    try {
      const isWaiting = userWaits();
      const isThere = await this.fetch(review);
      const isAwaited = await isWaiting();
      if (!isThere || this.asked !== asked) {
        return;
      }
      if (isAwaited) {
        await this.shows.run(() => this.showNow(review, undefined, path));
      } else if (this.proposals.get(review.proposed.id) !== undefined) {
        this.late.fire(review);
      }
    } finally {
      if (this.asked === asked) {
        this.asked = undefined;
      }
    }
  }

  /**
   * The user has decided on the active review: with `onwards` show the next one in its place, else what was there
   * before. Don't wait for the answer: by then the user may be typing elsewhere. The next review doesn't take the focus
   * from elsewhere. It is read-only until the user focuses it, as keys still being typed aren't meant for it.
   */
  async leave(review: Review, onwards: boolean): Promise<void> {
    const next = onwards ? this.proposals.firstWaiting() : undefined;
    // The editor of several files, and the user's own file, can't be made read-only and writable again, so these reviews
    // don't open by themselves.
    const goesOn = next?.proposed.files.length === 1 && !this.inline.wants(next) && (await soon(this.fetch(next)));
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

  /** Load the next review's texts, so that it can open as soon as the user decides on this one. */
  async prepareNext(): Promise<void> {
    const { current } = this;
    const next = this.proposals.firstWaiting(current);
    if (current !== undefined && next !== undefined) {
      await this.fetch(next);
    }
  }

  /** Let the user edit the proposed texts, except of files to be deleted, until the user has decided. */
  unlock({ state, proposed: { id, files } }: Review): void {
    for (const { path } of files.filter(({ operation }) => state === 'waiting' && operation !== 'delete')) {
      this.files.unlock(virtualUri(PROPOSAL, id, path));
    }
  }

  /** The user has decided: make the review read-only, and remove it from its file. */
  async lock(review: Review): Promise<void> {
    const { id } = review.proposed;
    this.holdKeys(review);
    this.inline.hide(review);
    const shown = allTabs().filter((tab) => reviewIdOf(tab) === id).flatMap(proposalsIn);
    await this.closings.run(() => makeReadOnly(this.files, shown));
  }

  /** Close the tabs of a review that has ended. Unsaved text in them is kept until `forget`. */
  async close(review: Review): Promise<void> {
    const { id } = review.proposed;
    this.holdKeys(review);
    this.inline.hide(review);
    await this.closeKnowing((tab) => reviewIdOf(tab) === id);
  }

  /** Release the texts of a closed review. */
  forget({ proposed: { id, files } }: Review): void {
    for (const { path } of files) {
      this.files.forget(virtualUri(PROPOSAL, id, path));
      this.bases.delete(virtualUri(BASE, id, path));
    }
  }

  /** Close tabs left by an earlier window or by a proposal that has ended. */
  async closeStale(): Promise<void> {
    const stale = (tab: vscode.Tab): boolean => isReviewTab(tab) && this.reviewOf(tab) === undefined;
    const closed = await this.closings.run(() => closeTabs(this.files, stale));
    closed.forEach(({ uri }) => this.files.forget(uri));
    closed.filter(({ wasUnsaved }) => wasUnsaved).forEach((one) => this.leftBehind.fire(one));
  }

  dispose(): void {
    this.listener.dispose();
  }

  private holdKeys(review: Review): void {
    if (this.current === review) {
      this.heldKeys.hold();
    }
  }

  /** `place`: the group in which it replaces a review that was decided. */
  private async showNow(review: Review, place?: vscode.TabGroup, path?: string): Promise<void> {
    const { id } = review.proposed;
    const isNext = place !== undefined;
    if (review.proposal === undefined || this.proposals.get(id) === undefined) {
      return;
    }
    if (!isNext && (await this.showInline(review))) {
      return;
    }
    this.inline.leaveToDiff(review); // for good: what is typed there could not be shown in the file
    this.inline.hide();
    const sides = review.proposal.files.map((file) => this.prepare(id, file));
    sides.filter(({ file }) => file.operation === 'delete').forEach(({ right }) => this.files.lock(right));
    if (isNext) {
      sides.forEach(({ right }) => this.files.lock(right));
    } else {
      this.unlock(review);
      await unmaximize();
    }
    const giveKeys = isNext ? await keysForTheFront() : undefined;
    this.proposals.setAside(review, false);
    this.opening = { review, isNext };
    this.willOpen.fire(review);
    const opened = open(review, sides, place, path);
    await Promise.all([opened, giveKeys && run(giveKeys)]).finally(() => {
      this.opening = undefined;
    });
    this.opened.fire({ review, isNext });
    await (giveKeys && run(giveKeys));
    await this.closeKnowing((tab) => ![undefined, review].includes(this.reviewOf(tab)));
    await Promise.all([this.prepareNext(), isNext || delay(DRAWN_MS).then(async () => this.current === review && run(await keysForTheFront()))]);
  }

  /** Show a review in its file, if the user wants that and it can be done. False if it is to be shown as a diff. */
  private async showInline(review: Review): Promise<boolean> {
    this.opening = { review, isNext: false };
    let isShown: boolean;
    try {
      isShown = await this.inline.show(review);
    } catch {
      this.inline.hide(review);
      this.late.fire(review); // VS Code opens no editor if the user has gone to another one meanwhile
      return true;
    } finally {
      this.opening = undefined;
    }
    if (isShown) {
      this.proposals.setAside(review, false);
      this.opened.fire({ review, isNext: false });
      await this.closeKnowing((tab) => this.reviewOf(tab) !== undefined);
      await this.prepareNext();
    }
    return isShown;
  }

  /** Show the editor that was active before the reviews, or another one of the group; without any, go to another group. */
  private async goBack({ tabs }: vscode.TabGroup): Promise<void> {
    const giveKeys = await keysForTheFront();
    const inGroup = tabs.filter((tab) => !isReviewTab(tab));
    const others = inGroup.length > 0 ? inGroup : allTabs().filter((tab) => tab.isActive && !isReviewTab(tab) && withoutFocus(tab));
    const tab = others.find((other) => other === this.before) ?? others.at(-1);
    if (tab !== undefined && takesAllKeys(tab)) {
      await this.heldKeys.released(); // the review's own tab is closed by then, which gives the keys to nobody
      await run(await keysForTheFront());
    } else if (tab !== undefined) {
      const byIndex = { command: 'workbench.action.openEditorAtIndex', args: [tabs.indexOf(tab)] };
      await run(withoutFocus(tab) ?? byIndex, giveKeys);
    }
  }

  /** Store the texts where the editors read them. */
  private prepare(id: string, file: ReviewedFile): DiffSides {
    const right = virtualUri(PROPOSAL, id, file.path);
    if (!this.files.has(right)) {
      this.files.set(right, withEol(file.proposed_text, file.eol));
    }
    // Show a copy, not the open document: the user could edit that in the diff.
    const left = virtualUri(BASE, id, file.path);
    this.bases.set(left, withEol(file.base_text, file.eol));
    const open = file.version === null ? undefined : findDocument(file.uri);
    return { file, left, right, unsaved: open?.isDirty === true };
  }

  /** Close tabs without marking their reviews as set aside by the user. What was typed in them is kept. */
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
