/**
 * Tells whether what is in front has only just been uncovered, as what was in front of it closed. A click on a button of the
 * title may then be meant for the button that was there before.
 */
import * as vscode from 'vscode';
import { caughtUp } from '../util/caughtUp';
import { noteOtherInFront } from '../util/window';
import { tabInFront } from './tabs';

/** VS Code reports a closed tab and the tab that becomes active in two events, this close together. */
const TOGETHER_MS = 200;

/** More than what separates the clicks of a double click. */
const MOMENT_MS = 700;

export class Uncovered implements vscode.Disposable {
  private front = tabInFront();
  private frontSince = -Infinity;
  private opened: readonly vscode.Tab[] = [];
  private openedAt = -Infinity;
  private closedAt = -Infinity;
  private ending: NodeJS.Timeout | undefined;
  private readonly listeners: vscode.Disposable;

  constructor() {
    this.listeners = vscode.Disposable.from(
      vscode.window.tabGroups.onDidChangeTabs(({ opened, closed }) => this.changed(opened, closed.length > 0)),
      vscode.window.tabGroups.onDidChangeTabGroups(({ closed }) => this.changed([], closed.length > 0)),
      vscode.window.onDidChangeActiveTextEditor(() => this.changed([], false)),
    );
  }

  /** Whether it has. */
  get isNow(): boolean {
    return this.ending !== undefined;
  }

  dispose(): void {
    clearTimeout(this.ending);
    this.listeners.dispose();
  }

  private changed(opened: readonly vscode.Tab[], isClosing: boolean): void {
    const now = performance.now();
    if (opened.length > 0) {
      this.opened = opened;
      this.openedAt = now;
    }
    this.closedAt = isClosing ? now : this.closedAt;
    const front = tabInFront();
    const isOther = front !== this.front;
    this.front = front;
    if (isOther) {
      this.frontSince = now;
      noteOtherInFront();
    }
    const isOpened = front !== undefined && this.opened.includes(front) && now - this.openedAt < TOGETHER_MS;
    if (isOther && isOpened) {
      this.end();
    } else if ((isOther || isClosing) && !isOpened && now - Math.min(this.closedAt, this.frontSince) < TOGETHER_MS) {
      this.begin();
    }
  }

  private begin(): void {
    clearTimeout(this.ending);
    const ending = setTimeout(() => {
      // While the extension host is busy, clicks arrive together with what they came after.
      void caughtUp().finally(() => this.ending === ending && this.end());
    }, MOMENT_MS);
    this.ending = ending;
  }

  private end(): void {
    clearTimeout(this.ending);
    this.ending = undefined;
  }
}
