/**
 * Tracks which review the user has focused: by opening it, choosing its tab, clicking into it, or moving the cursor in
 * it. Only there do keys accept and reject. No stable API tells what has the focus, so this follows the user's actions.
 * A review that becomes active because another tab closed doesn't count.
 */
import * as vscode from 'vscode';
import { notifyOutside, showTooEarly } from '../proposals/notifications';
import type { Review } from '../proposals/review';
import { caughtUp } from '../util/caughtUp';
import type { DiffEditors } from './diffEditor';
import type { Uncovered } from './uncovered';

/**
 * How long a review must be in front before it can have been seen. No API tells that a key repeats: if the system waits
 * longer than this before the first repeat, that counts as a press.
 */
export const MOMENT_MS = 700;

/**
 * How long after a requested review has opened keys are ignored: they were meant for the list, terminal or search that
 * the user had moved to. No API reports keys there.
 */
const OPENED_MS = 300;

/** Presses that follow each other faster come from one held key. */
const HELD_MS = 400;

/** VS Code reports a closed tab and the tab that becomes active in two events, this close together. */
const TOGETHER_MS = 100;

/** A key is pressed in whatever has the focus; a button, row or command is chosen. */
export type By = 'key' | 'choice';

export class ReviewFocus implements vscode.Disposable {
  private readonly seen = new vscode.EventEmitter<Review>();
  /** The user has moved the focus into this review, and it, or a change of its text, has been in front long enough to be seen. */
  readonly onDidSee = this.seen.event;
  private readonly touched = new vscode.EventEmitter<Review>();
  /** The user has clicked or moved the cursor in this review. */
  readonly onDidTouch = this.touched.event;
  private readonly guarded = new vscode.EventEmitter<Review | undefined>();
  /** This review has just opened, so that nobody can have seen it yet; undefined: that is over. */
  readonly onDidGuard = this.guarded.event;
  /** The active review, once it has been in front long enough to be seen. */
  shown: Review | undefined;
  private front: Review | undefined;
  private entered: Review | undefined;
  /** The review that has replaced a decided one. */
  private next: Review | undefined;
  /** The user decided on a review that they had entered, and hasn't gone elsewhere: what replaces it is entered, too. */
  private staysIn = false;
  /** The decided review may already be closed, and the next one isn't open yet. */
  private awaitsNext = false;
  private openedAt = -Infinity;
  private pressedAt = -Infinity;
  private closedAt = -Infinity;
  private choosing: NodeJS.Timeout | undefined;
  private showing: NodeJS.Timeout | undefined;
  private guarding: NodeJS.Timeout | undefined;
  private changing: NodeJS.Timeout | undefined;
  private readonly versions = new WeakMap<vscode.TextDocument, number>();
  private readonly listeners: vscode.Disposable;

  constructor(
    private readonly editors: DiffEditors,
    private readonly uncovered: Uncovered,
  ) {
    this.listeners = vscode.Disposable.from(
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => this.tabsChanged(closed.length > 0)),
      vscode.window.tabGroups.onDidChangeTabGroups(({ closed }) => this.tabsChanged(closed.length > 0)),
      vscode.window.onDidChangeActiveTextEditor(() => this.tabsChanged(false)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.textChanged(document)),
      vscode.window.onDidChangeTextEditorSelection((event) => this.selectionChanged(event)),
      vscode.window.onDidChangeActiveTerminal(() => (this.staysIn = false)),
      vscode.window.onDidChangeWindowState(({ focused }) => (this.staysIn &&= focused)),
      editors.onDidOpen(({ review, isNext }) => {
        this.openedAt = performance.now();
        this.awaitsNext = false;
        this.next = isNext ? review : undefined;
        this.frontChanged();
        this.enter(isNext ? undefined : review);
        this.guard(review, isNext ? MOMENT_MS : OPENED_MS);
      }),
    );
  }

  /** Whether the active review has just come in place of something else, for which a click was meant. Tells the user so. */
  isTooEarly(): boolean {
    const { current, opening } = this.editors;
    const hasCome = current !== undefined && (current === this.next || this.uncovered.isNow);
    const isTooEarly = (hasCome && ![this.entered, this.shown].includes(current)) || (opening?.isNext === true && opening.review === current);
    if (isTooEarly) {
      showTooEarly();
    }
    return isTooEarly;
  }

  /** The user has decided on this review. */
  decided(review: Review): void {
    this.staysIn = this.entered === review;
    this.awaitsNext = true;
  }

  /**
   * Whether a key that decides doesn't count: the user hasn't focused the active review, or it has just opened without a
   * click into it. Tells the user so. Call this once for each press.
   */
  isOutside(): boolean {
    const { current, opening } = this.editors;
    const isInside = current !== undefined && current === this.entered;
    const isOpening = opening !== undefined || performance.now() - this.openedAt < OPENED_MS;
    const isHeld = performance.now() - this.pressedAt < HELD_MS;
    this.pressedAt = performance.now();
    // What replaced a decided review takes no key that is still held, and none before it can have been seen.
    const isTooEarly = isOpening || (this.staysIn && current === this.next && (isHeld || !isInside));
    if (isTooEarly) {
      showTooEarly();
    } else if (!isInside && !isHeld) {
      notifyOutside();
    }
    return !isInside || isTooEarly;
  }

  dispose(): void {
    clearTimeout(this.choosing);
    clearTimeout(this.showing);
    clearTimeout(this.guarding);
    clearTimeout(this.changing);
    vscode.Disposable.from(this.seen, this.touched, this.guarded).dispose();
    this.listeners.dispose();
  }

  private tabsChanged(isClosing: boolean): void {
    this.closedAt = isClosing ? performance.now() : this.closedAt;
    const front = this.editors.current;
    if (front === this.front) {
      return;
    }
    this.front = front;
    this.entered = this.entered === front ? front : undefined;
    this.next = this.next === front ? front : undefined;
    this.staysIn &&= this.awaitsNext || (front !== undefined && front === this.next);
    this.frontChanged();
    clearTimeout(this.choosing);
    this.choosing = setTimeout(() => this.chosen(front), TOGETHER_MS);
  }

  /** The active review counts as shown after a moment. */
  private frontChanged(): void {
    this.shown = undefined;
    clearTimeout(this.showing);
    const showing = setTimeout(() => void this.noteShown(showing), MOMENT_MS);
    this.showing = showing;
  }

  private async noteShown(showing: NodeJS.Timeout): Promise<void> {
    await caughtUp();
    if (this.showing === showing) {
      this.shown = this.front;
      if (this.staysIn && this.front === this.next) {
        this.entered = this.front; // it isn't seen by that: the keys may be in the chat, which no API tells
      } else {
        this.noteSeen();
      }
    }
  }

  /** Show for `ms` that no key decides about this review yet. */
  private guard(review: Review, ms: number): void {
    clearTimeout(this.guarding);
    this.guarded.fire(review);
    this.guarding = setTimeout(() => this.guarded.fire(undefined), ms);
  }

  private noteSeen(): void {
    if (this.entered !== undefined && this.entered === this.shown) {
      this.seen.fire(this.entered);
    }
  }

  /** What is typed in the active review has been seen once it stays there for a moment, and so has what remains. */
  private textChanged({ uri }: vscode.TextDocument): void {
    if (this.editors.isInFront(uri)) {
      clearTimeout(this.changing);
      const changing = setTimeout(() => void caughtUp().then(() => this.changing === changing && this.noteSeen()), MOMENT_MS);
      this.changing = changing;
    }
  }

  /** Its tab has become active: enter it, unless another tab closed or it replaced a review. */
  private chosen(front: Review | undefined): void {
    const { opening } = this.editors;
    const isNext = (opening?.isNext === true && opening.review === front) || this.next === front;
    if (!isNext && performance.now() - this.closedAt > 2 * TOGETHER_MS) {
      this.enter(front);
    }
  }

  private enter(review: Review | undefined): void {
    this.entered = review;
    this.noteSeen();
  }

  /** Typing moves the cursor, too, but changes the text first. */
  private selectionChanged({ kind, textEditor: { document } }: vscode.TextEditorSelectionChangeEvent): void {
    const isTyped = document.version !== (this.versions.get(document) ?? 1);
    this.versions.set(document, document.version);
    const { current } = this.editors;
    const isIn = this.editors.isInFront(document.uri);
    const isClick = kind === vscode.TextEditorSelectionChangeKind.Mouse;
    const isMove = kind === vscode.TextEditorSelectionChangeKind.Keyboard && !isTyped;
    this.staysIn &&= !isClick && !isMove;
    if (current !== undefined && isIn && (isClick || isMove)) {
      this.openedAt = isClick ? -Infinity : this.openedAt;
      this.enter(current);
      this.touched.fire(current);
    }
  }
}
