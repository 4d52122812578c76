/**
 * Shows all pending changes of one agent in one editor of several files, to look through and accept together. Nothing
 * can be typed there, and what is accepted is what it shows.
 */
import * as vscode from 'vscode';
import { agentOf, notifyLeftWaiting, notifyNothingOpen, nameOf, showTooEarly } from '../proposals/notifications';
import type { Decisions } from '../proposals/decisions';
import { isStale, type Review } from '../proposals/review';
import type { ProposalStore } from '../proposals/store';
import type { ReviewedFile } from '../protocol/types';
import { normalize, withEol } from '../util/text';
import { brief, withoutMarkup } from '../util/display';
import type { DiffEditors } from './diffEditor';
import { AGENT_CHARACTERS } from './diffTab';
import { keysForTheFront, run } from './editorFocus';
import type { ReadOnlyTexts, ReviewFileSystem } from './fileSystem';
import { MOMENT_MS } from './focus';
import type { PlainView } from './plainView';
import { allTabs, landedIn, lookThroughUri, tabInFront } from './tabs';
import type { Uncovered } from './uncovered';
import { openAwaited, userWaits } from './userWaits';
import { areOnScreen, textsOf, type ShownFile } from './visibility';

/** A change, and the files of it that the editor shows. */
interface ShownReview {
  review: Review;
  files: readonly ShownFile[];
}

export class LookThrough implements vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  /** Whether its editor is active may have changed. */
  readonly onDidChange = this.changes.event;
  private shownReviews: readonly ShownReview[] = [];
  private title = '';
  private count = 0;
  private isFront = false;
  private frontSince = Infinity;
  private readonly listeners: vscode.Disposable;

  constructor(
    private readonly proposals: ProposalStore,
    private readonly editors: DiffEditors,
    private readonly decisions: Decisions,
    private readonly proposed: ReviewFileSystem,
    private readonly texts: ReadOnlyTexts,
    private readonly plain: PlainView,
    private readonly fetch: (review: Review) => Promise<boolean>,
    private readonly uncovered: Uncovered,
  ) {
    const look = (): void => this.frontChanged();
    this.listeners = vscode.Disposable.from(
      vscode.window.tabGroups.onDidChangeTabs(look),
      vscode.window.tabGroups.onDidChangeTabGroups(look),
      vscode.window.onDidChangeActiveTextEditor(look), // which tells what is in front, and comes after the tabs' events
      proposals.onDidChange(() => void this.closeIfOver()),
    );
  }

  /** Whether its editor is active. */
  get isInFront(): boolean {
    const tab = tabInFront();
    return tab !== undefined && this.isOurs(tab);
  }

  /** What the plain view knows it by. */
  private get plainId(): string {
    return `look-${this.count}`;
  }

  /** Show what this review's agent has pending; a single change in its own review. */
  async show(chosen: Review): Promise<void> {
    const isWaiting = userWaits();
    const agent = agentOf(chosen.proposed.agent);
    const ofAgent = this.proposals.undecided.filter((review) => agentOf(review.proposed.agent) === agent && !isStale(review));
    await Promise.all(ofAgent.map((review) => this.fetch(review)));
    const reviews = ofAgent.filter((review) => review.proposal !== undefined && review.state === 'waiting');
    if (reviews.length < 2) {
      await this.editors.show(chosen);
      return;
    }
    const title = vscode.l10n.t('All Pending Changes by {0}', brief(agent, AGENT_CHARACTERS));
    await openAwaited(isWaiting, brief(reviews.map(nameOf).join(', '), 200), vscode.l10n.t('Look Through'), () => this.open(title, reviews));
  }

  /** Accept what the active editor shows, except changes that are different or have ended by now. */
  async accept(): Promise<void> {
    const tab = tabInFront();
    if (tab === undefined || !this.isOurs(tab)) {
      notifyNothingOpen();
      return;
    }
    if (this.uncovered.isNow || performance.now() - this.frontSince < MOMENT_MS) {
      showTooEarly();
      return;
    }
    const { title } = this; // another agent's may be open by the time that this one is reopened
    const waiting = this.shownReviews.filter(({ review }) => review.state === 'waiting');
    const same = waiting.filter((review) => this.isSame(review));
    const files = same.flatMap(({ files: of }) => of);
    if (!(await areOnScreen(this.plainId, files, this.plain, () => this.open(title, same.map(({ review }) => review))))) {
      return;
    }
    const shown = new Map(same.map(({ review, files: of }) => [review, (path: string) => of.find((file) => file.path === path)?.now] as const));
    const accepted = this.decisions.acceptEach(shown);
    this.plain.close(this.plainId);
    const giveKeys = await keysForTheFront();
    await vscode.window.tabGroups.close(tab, true); // without `true`, what is beneath takes the focus from wherever the user is now
    await run(giveKeys);
    if (same.length < waiting.length) {
      notifyLeftWaiting(waiting.length - same.length);
    }
    await accepted;
  }

  dispose(): void {
    this.listeners.dispose();
    this.changes.dispose();
  }

  /** Show these reviews, except those that were decided or have ended since the user asked. */
  private async open(title: string, reviews: readonly Review[]): Promise<void> {
    const waiting = reviews.filter(({ state }) => state === 'waiting');
    if (waiting.length === 0) {
      return;
    }
    const before = this.tabs();
    this.count += 1;
    this.title = title;
    this.plain.closeOthers(this.plainId);
    this.shownReviews = waiting.map((review) => ({ review, files: this.storeTexts(review) }));
    const resources = this.shownReviews.flatMap(({ files }) => files.map(({ uri, left }) => [uri, left, uri]));
    // It always opens as a preview, which the next file would replace.
    await run({ command: '_workbench.changes', args: [withoutMarkup(title), resources] }, { command: 'workbench.action.keepEditor' });
    await vscode.window.tabGroups.close(before, true);
    this.frontSince = performance.now();
    this.frontChanged();
  }

  /** Store both sides of the files that the user hasn't rejected, as the review shows them now. */
  private storeTexts(review: Review): readonly ShownFile[] {
    const { id } = review.proposed;
    const shown = textsOf(this.proposed, review);
    return filesOf(review).map((file) => {
      const left = lookThroughUri(id, 'before', this.count, file.path);
      const uri = lookThroughUri(id, 'after', this.count, file.path);
      const now = normalize(shown(file.path) ?? file.proposed_text);
      this.texts.set(left, withEol(file.base_text, file.eol));
      this.texts.set(uri, withEol(now, file.eol));
      return { path: file.path, uri, left, base: file.base_text, now };
    });
  }

  /** Whether the review would still land what the editor shows. */
  private isSame({ review, files }: ShownReview): boolean {
    const shown = textsOf(this.proposed, review);
    const now = new Map(filesOf(review).map((file) => [file.path, normalize(shown(file.path) ?? file.proposed_text)] as const));
    return !isStale(review) && now.size === files.length && files.every((file) => file.now === now.get(file.path));
  }

  private tabs(): readonly vscode.Tab[] {
    return allTabs().filter((tab) => this.isOurs(tab));
  }

  private isOurs(tab: vscode.Tab): boolean {
    const [first] = landedIn(tab);
    return first !== undefined && this.shownReviews.some(({ files }) => files.some(({ uri }) => uri.toString() === first.toString()));
  }

  private frontChanged(): void {
    const isFront = this.isInFront;
    if (isFront !== this.isFront) {
      this.isFront = isFront;
      this.frontSince = performance.now();
      this.changes.fire();
    }
  }

  /** Close the editor once all that it shows has been decided elsewhere or withdrawn. */
  private async closeIfOver(): Promise<void> {
    const isOver = this.shownReviews.every(({ review }) => this.proposals.get(review.proposed.id) === undefined);
    if (isOver && this.shownReviews.length > 0) {
      const tabs = this.tabs();
      this.shownReviews = [];
      this.plain.close(this.plainId);
      await vscode.window.tabGroups.close(tabs, true);
    }
  }
}

function filesOf({ proposal, decided }: Review): readonly ReviewedFile[] {
  return (proposal?.files ?? []).filter(({ path }) => decided.get(path) !== 'rejected');
}
