/**
 * Which review the user has put the focus into: by opening it, by choosing its tab, or with a click or the cursor keys
 * in it. Only there do keys accept and reject. No stable API tells what has the keys, so this goes by what users do; a
 * review that is in front because the tab before it was closed does not count.
 */
import * as vscode from 'vscode';
import type { Review } from '../proposals/review';
import { BASE, idOf, PROPOSAL } from './fileSystem';
import type { DiffEditors } from './diffEditor';

/** Before that nobody can have seen what took the place of a review: longer than a held key takes to repeat. */
const MOMENT_MS = 700;

/**
 * Before that nobody has seen a review that they have asked for: a key was meant for the list, the terminal or the search
 * that the user had gone to meanwhile. No API tells of keys there.
 */
const OPENED_MS = 300;

/** Presses that follow one another faster are one key that is held. */
const HELD_MS = 400;

/** VS Code tells of a tab that was closed, and of the one that is in front then, one after the other. */
const TOGETHER_MS = 100;

/** A key is pressed in whatever has the focus; a button, row or command is chosen. */
export type By = 'key' | 'choice';

export class ReviewFocus implements vscode.Disposable {
  private readonly entering = new vscode.EventEmitter<Review>();
  /** The user has put the focus into this review, or moved it there. */
  readonly onDidEnter = this.entering.event;
  private readonly touched = new vscode.EventEmitter<Review>();
  /** The user has clicked, or moved the cursor, in this review. */
  readonly onDidTouch = this.touched.event;
  private front: Review | undefined;
  private entered: Review | undefined;
  /** What took the place of a review that was decided, and when. */
  private next: { review: Review; at: number } | undefined;
  private openedAt = -Infinity;
  private pressedAt = -Infinity;
  private closedAt = -Infinity;
  private timer: NodeJS.Timeout | undefined;
  private readonly versions = new WeakMap<vscode.TextDocument, number>();
  private readonly listeners: vscode.Disposable;

  constructor(private readonly editors: DiffEditors) {
    this.listeners = vscode.Disposable.from(
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => this.tabsChanged(closed.length > 0)),
      vscode.window.tabGroups.onDidChangeTabGroups(({ closed }) => this.tabsChanged(closed.length > 0)),
      vscode.window.onDidChangeActiveTextEditor(() => this.tabsChanged(false)),
      vscode.window.onDidChangeTextEditorSelection((event) => this.selectionChanged(event)),
      editors.onDidOpen(({ review, isNext }) => {
        this.openedAt = Date.now();
        this.next = isNext ? { review, at: Date.now() } : undefined;
        this.enter(isNext ? undefined : review);
      }),
    );
  }

  /** Whether the user has put the focus into the review in front. */
  get isInside(): boolean {
    const { current } = this.editors;
    return current !== undefined && current === this.entered;
  }

  /** Whether the review in front has opened so lately that no key can be about it, unless the user has clicked into it. */
  get isOpening(): boolean {
    return this.editors.opening !== undefined || Date.now() - this.openedAt < OPENED_MS;
  }

  /** Whether the review in front has only just taken the place of another: a click was meant for that one. */
  get isUnseen(): boolean {
    const { current, opening } = this.editors;
    const isNext = this.next?.review === current && Date.now() - (this.next?.at ?? 0) < MOMENT_MS;
    return (isNext && current !== this.entered) || (opening?.isNext === true && opening.review === current);
  }

  /** The user has pressed a key that decides; whether it is one that is held. */
  isHeld(): boolean {
    const now = Date.now();
    const isHeld = now - this.pressedAt < HELD_MS;
    this.pressedAt = now;
    return isHeld;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listeners.dispose();
  }

  private tabsChanged(isClosing: boolean): void {
    this.closedAt = isClosing ? Date.now() : this.closedAt;
    const front = this.editors.current;
    if (front === this.front) {
      return;
    }
    this.front = front;
    this.entered = this.entered === front ? front : undefined;
    this.next = this.next?.review === front ? this.next : undefined;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.isChosen(front), TOGETHER_MS);
  }

  /** Its tab has come to the front, and neither because another one was closed nor in the place of another. */
  private isChosen(front: Review | undefined): void {
    const { opening } = this.editors;
    const isNext = (opening?.isNext === true && opening.review === front) || this.next?.review === front;
    if (!isNext && Date.now() - this.closedAt > 2 * TOGETHER_MS) {
      this.enter(front);
    }
  }

  private enter(review: Review | undefined): void {
    this.entered = review;
    if (review !== undefined) {
      this.entering.fire(review);
    }
  }

  /** A key that types moves the cursor too, but changes the text before. */
  private selectionChanged({ kind, textEditor: { document } }: vscode.TextEditorSelectionChangeEvent): void {
    const isTyped = document.version !== (this.versions.get(document) ?? 1);
    this.versions.set(document, document.version);
    const { current } = this.editors;
    const isIn = [PROPOSAL, BASE].includes(document.uri.scheme) && idOf(document.uri) === current?.proposed.id;
    const isClick = kind === vscode.TextEditorSelectionChangeKind.Mouse;
    const isMove = kind === vscode.TextEditorSelectionChangeKind.Keyboard && !isTyped;
    if (current !== undefined && isIn && (isClick || isMove)) {
      this.openedAt = isClick ? -Infinity : this.openedAt;
      this.enter(current);
      this.touched.fire(current);
    }
  }
}
