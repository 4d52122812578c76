/**
 * Shows a proposal as a diff: left the text that it changes, right what is proposed, which may be changed. One review
 * is open at a time, however many wait. What is decided about it is `decide.ts`.
 */
import * as vscode from 'vscode';
import { findDocument } from '../hand';
import type { FileTexts, ProposedFile } from '../protocol';
import type { Review, ReviewQueue } from '../queue';
import { baseName, brief, counts, visible } from '../shown';
import { withEol } from '../texts';
import { BASE, PROPOSAL, virtualUri, type ProposalFiles, type ReadOnlyTexts } from '../virtual';
import { Turns } from '../turns';
import { closeTabs } from './closing';
import { allTabs, isMultiDiff, isReviewTab, proposalsIn, reviewIdOf } from './tabs';

/** "quiet": seen, but the keyboard stays where it is. "background": its tab is there, nothing else changes. */
export type Manner = 'focus' | 'quiet' | 'background';

/** A file of a proposal with its texts. */
type ReviewedFile = ProposedFile & FileTexts;

const EXPLANATION_CHARACTERS = 80;

/** So long after one is over nobody can have seen the next review; longer than most double clicks. */
const ADVANCE_MS = 400;

export class ReviewEditors implements vscode.Disposable {
  private readonly shows = new Turns();
  private readonly closings = new Turns();
  private readonly closing = new Set<string>();
  /** What took the place of a review that was over, and when; Infinity until it is open. */
  private advanced: { id: string; at: number } | undefined;
  /** The review that was opened last, from before its tab is there until it is gone. */
  private opened: string | undefined;
  private readonly listener: vscode.Disposable;

  constructor(
    private readonly queue: ReviewQueue,
    private readonly files: ProposalFiles,
    private readonly bases: ReadOnlyTexts,
    private readonly fetch: (review: Review) => Promise<boolean>,
  ) {
    this.listener = vscode.window.tabGroups.onDidChangeTabs((event) => this.tabsChanged(event));
  }

  /** The review that is visible and active; undefined where something else is. */
  get current(): Review | undefined {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    return tab && this.reviewOf(tab);
  }

  /**
   * Of a review of several files the one that stands in front alone: VS Code opens a tab for a draft that was typed
   * in the editor of them all.
   */
  get currentPart(): vscode.Uri | undefined {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    const files = this.current?.proposed.files.length ?? 0;
    return tab === undefined || isMultiDiff(tab) || files < 2 ? undefined : proposalsIn(tab)[0];
  }

  /** Whether the review in front has only just taken the place of one that is over. */
  get hasJustAdvanced(): boolean {
    const { advanced } = this;
    return advanced?.id === this.current?.proposed.id && Date.now() - (advanced?.at ?? -Infinity) < ADVANCE_MS;
  }

  /** Whether a review stands open, seen or behind another tab. */
  get isOpen(): boolean {
    return (
      this.queue.get(this.opened ?? '') !== undefined ||
      allTabs().some((tab) => this.reviewOf(tab) !== undefined)
    );
  }

  /** Whether a tab shows this review, which may be over. */
  isShown(review: Review): boolean {
    return allTabs().some((tab) => reviewIdOf(tab) === review.proposed.id);
  }

  /** Open a review in place of the one that is open. One at a time, in the order of the calls. */
  show(review: Review, manner: Manner): Promise<void> {
    return this.shows.take(() => this.showNow(review, manner));
  }

  /** Open the review that `choose` names when it is its turn, unless another one is open then. */
  showFirst(choose: () => Review | undefined, manner: () => Manner): Promise<void> {
    return this.shows.take(async () => {
      const review = this.isOpen ? undefined : choose();
      if (review !== undefined) {
        await this.showNow(review, manner());
      }
    });
  }

  /** The same, in place of one that is over: a key or click that is still on its way was meant for that. */
  async advance(choose: () => Review | undefined, manner: () => Manner): Promise<void> {
    let next: string | undefined;
    const chosen = (): Review | undefined => {
      const review = choose();
      if (review !== undefined) {
        next = review.proposed.id;
        this.advanced = { id: next, at: Infinity };
      }
      return review;
    };
    await this.showFirst(chosen, manner).finally(() => {
      if (next !== undefined) {
        this.advanced = { id: next, at: Date.now() };
      }
    });
  }

  /** Close what shows a review that is over, whatever is unsaved in it. */
  async close(id: string): Promise<void> {
    await this.closeKnowing((tab) => reviewIdOf(tab) === id);
  }

  /** Let go of the texts of a review that is over, and of its tab. */
  async forget(review: Review): Promise<void> {
    const { id, files } = review.proposed;
    await this.close(id);
    for (const { path } of files) {
      this.files.delete(virtualUri(PROPOSAL, id, path));
      this.bases.delete(virtualUri(BASE, id, path));
    }
  }

  /** Close tabs that an earlier window, or a proposal that is over, left behind. */
  async closeStale(): Promise<void> {
    const stale = (tab: vscode.Tab): boolean => isReviewTab(tab) && this.reviewOf(tab) === undefined;
    const closed = await this.closings.take(() => closeTabs(stale));
    closed.forEach((uri) => this.files.delete(uri));
  }

  dispose(): void {
    this.listener.dispose();
  }

  private async showNow(review: Review, manner: Manner): Promise<void> {
    const { id } = review.proposed;
    if (!(await this.fetch(review)) || review.proposal === undefined || this.queue.get(id) === undefined) {
      return;
    }
    const sides = review.proposal.files.map((file) => this.prepare(id, file));
    review.setAside = false;
    this.opened = id;
    if (!(await open(review, sides, manner))) {
      this.opened = undefined;
    }
    await this.closeKnowing((tab) => ![undefined, review].includes(this.reviewOf(tab)));
  }

  /** Put the texts where the editors find them. */
  private prepare(id: string, file: ReviewedFile): Sides {
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
      await this.closings.take(() => closeTabs(which, (uri, text) => this.files.set(uri, text)));
    } finally {
      ids.forEach((id) => this.closing.delete(id));
    }
  }

  private reviewOf(tab: vscode.Tab): Review | undefined {
    return this.queue.get(reviewIdOf(tab) ?? '');
  }

  private tabsChanged({ opened, closed }: vscode.TabChangeEvent): void {
    const gone = closed.filter((tab) => !allTabs().some((other) => reviewIdOf(other) === reviewIdOf(tab)));
    for (const tab of gone) {
      if (reviewIdOf(tab) === this.opened) {
        this.opened = undefined;
      }
      const review = this.reviewOf(tab);
      if (review !== undefined && !this.closing.has(review.proposed.id)) {
        review.setAside = true;
      }
    }
    if (opened.some((tab) => isReviewTab(tab) && this.reviewOf(tab) === undefined)) {
      void this.closeStale();
    }
  }
}

interface Sides {
  file: ReviewedFile;
  left: vscode.Uri;
  right: vscode.Uri;
  unsaved: boolean;
}

/** Whether there is a tab now. */
async function open(review: Review, sides: readonly Sides[], manner: Manner): Promise<boolean> {
  const [only, ...more] = sides;
  if (only === undefined) {
    return false;
  }
  const title = titleOf(review, only, more.length);
  if (more.length === 0) {
    await vscode.commands.executeCommand('vscode.diff', only.left, only.right, title, {
      preview: false,
      preserveFocus: manner !== 'focus',
      background: manner === 'background',
      override: true, // as text, whatever editor the user has for such files
    });
    return true;
  }
  if (manner === 'background') {
    return false; // this editor can't be opened behind another one: it waits until the user asks for it
  }
  const resources = sides.map(({ left, right }) => [right, left, right]);
  await vscode.commands.executeCommand('vscode.changes', title, resources);
  return true;
}

/** What the tab says: which file, whose change, and why. */
function titleOf({ proposed }: Review, { file, unsaved }: Sides, more: number): string {
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

/** The agent's name as it calls itself. */
export function agentOf(name: string): string {
  return brief(name, 80) || vscode.l10n.t('Agent');
}
