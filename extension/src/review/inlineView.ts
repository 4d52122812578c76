/**
 * Draws a proposal in its file: marks the lines that it removes, and shows the new ones in comments below them. VS Code
 * tells only which lines of a file are in view. So a hunk counts as seen once the lines above and below its comment have
 * been in view together for a moment.
 */
import * as vscode from 'vscode';
import { agentOf } from '../proposals/notifications';
import type { Review } from '../proposals/review';
import type { ReviewedFile } from '../protocol/types';
import { brief, counts } from '../util/display';
import { areNotificationsAtTop, areTallNotificationsShown, changedMarkdown } from '../util/window';
import { caughtUp } from '../util/caughtUp';
import { roomOf } from './covered';
import { stalenessNote, warningText } from './decorations';
import { MOMENT_MS } from './focus';
import { keyOf } from './hunks';
import type { InlineHunk } from './inlineHunks';
import { FREE_PART, mayBeCovered, NARROW_COLUMNS, rowsOf } from './rows';

/** How many rows a comment takes at least and at most besides those of its lines. */
const COMMENT_ROWS = { least: 3, most: 6 };

/** So much of an agent's reason is shown. */
const REASON_CHARACTERS = 1000;

export class InlineView implements vscode.Disposable {
  hunks: readonly InlineHunk[] = [];
  private readonly threads = new Map<string, vscode.CommentThread>();
  private readonly seen = new Set<string>();
  /** The hunks to which the editor has gone. */
  private readonly reached = new Set<string>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private removed = removedLook();
  private readonly listeners: vscode.Disposable;

  /** `front`: the editor in front, if it shows this file. */
  constructor(
    private readonly controller: vscode.CommentController,
    readonly review: Review,
    readonly file: ReviewedFile,
    readonly uri: vscode.Uri,
    private readonly front: () => vscode.TextEditor | undefined,
  ) {
    this.listeners = vscode.Disposable.from(
      vscode.window.onDidChangeVisibleTextEditors(() => this.mark()),
      vscode.window.onDidChangeActiveTextEditor(() => this.look()),
      vscode.window.onDidChangeTextEditorVisibleRanges(() => this.look()),
      vscode.window.onDidChangeActiveColorTheme(() => {
        this.removed.dispose();
        this.removed = removedLook();
        this.mark();
      }),
    );
  }

  /** Show these hunks, and no others. If the file has changed, everything stays where it has moved to, and says so. */
  draw(hunks: readonly InlineHunk[]): void {
    this.hunks = this.staleness === undefined ? hunks : this.hunks;
    const keys = new Set(this.hunks.map(keyOf));
    for (const [key, thread] of [...this.threads].filter(([known]) => !keys.has(known))) {
      thread.dispose();
      this.threads.delete(key);
    }
    this.hunks.forEach((hunk, at) => this.drawHunk(hunk, at));
    this.mark();
    this.look();
  }

  hasSeen(hunk: InlineHunk): boolean {
    return this.seen.has(keyOf(hunk));
  }

  /** The key of the hunk whose comment this is. */
  keyOf(thread: unknown): string | undefined {
    return [...this.threads].find(([, own]) => own === thread)?.[0];
  }

  /** Comments may only now be shown in an editor: what was in view without them is not there any more. */
  commentsAppear(uri: vscode.Uri): void {
    if (uri.toString() === this.uri.toString()) {
      this.timers.forEach((timer) => clearTimeout(timer));
      this.timers.clear();
      this.seen.clear();
      this.look();
    }
  }

  /** Bring a hunk into view, and the cursor to it. */
  goTo(hunk: InlineHunk | undefined, isOpening = false): void {
    const editor = this.front();
    const thread = hunk && this.threads.get(keyOf(hunk));
    if (editor !== undefined && hunk !== undefined && thread !== undefined) {
      const at = new vscode.Position(hunk.line, 0);
      thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
      editor.selection = new vscode.Selection(at, at); // which doesn't scroll, not sideways either
      const { InCenter, InCenterIfOutsideViewport } = vscode.TextEditorRevealType;
      const end = this.isInView(hunk) ? at : new vscode.Position(hunk.after + 1, 0);
      editor.revealRange(new vscode.Range(at, end), end === at ? InCenterIfOutsideViewport : InCenter);
      if (!isOpening || !areNotificationsAtTop()) { // which can't be scrolled from beneath them at the top of a file
        this.reached.add(keyOf(hunk));
      }
      this.look();
    }
  }

  dispose(): void {
    this.listeners.dispose();
    this.removed.dispose();
    this.timers.forEach((timer) => clearTimeout(timer));
    void this.removeComments();
  }

  /** The user may be looking at something else: comments that go above it must not move it. */
  private async removeComments(): Promise<void> {
    const shown = this.editors.map((editor) => ({ editor, first: editor.visibleRanges[0]?.start.line ?? 0 }));
    this.threads.forEach((thread) => thread.dispose());
    await caughtUp();
    const moved = shown.filter(({ first }) => this.hunks.some(({ after }) => after < first));
    for (const { editor, first } of moved) {
      const at = first + stickyLines(editor.document); // VS Code leaves so much room above what it reveals
      editor.revealRange(new vscode.Range(at, 0, at, 0), vscode.TextEditorRevealType.AtTop);
    }
  }

  private get editors(): readonly vscode.TextEditor[] {
    return vscode.window.visibleTextEditors.filter(({ document }) => document.uri.toString() === this.uri.toString());
  }

  private get staleness(): string | undefined {
    const stale = this.review.stale.get(this.file.path);
    return stale && stalenessNote(stale);
  }

  private drawHunk(hunk: InlineHunk, at: number): void {
    const { staleness } = this;
    const size = vscode.l10n.t('Hunk {0} of {1}: {2}', at + 1, this.hunks.length, counts(hunk.added.length, hunk.removed.length));
    const thread = this.threads.get(keyOf(hunk)) ?? this.create(hunk, at);
    if (staleness !== undefined) {
      thread.label = `⚠ ${staleness}`;
    } else {
      thread.label = hunk.isAccepted ? vscode.l10n.t('{0} · ✓ accepted; waits for the others', size) : size;
    }
    thread.contextValue = staleness !== undefined ? 'stale' : hunk.isAccepted ? 'accepted' : 'open';
  }

  private create(hunk: InlineHunk, at: number): vscode.CommentThread {
    const range = new vscode.Range(hunk.after, 0, hunk.after, 0);
    const thread = this.controller.createCommentThread(this.uri, range, [this.commentOn(hunk, at === 0)]);
    thread.canReply = false;
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    this.threads.set(keyOf(hunk), thread);
    return thread;
  }

  /** The new lines, below long ones that are removed; with the first, why the agent wants the change, and what is unusual about it. */
  private commentOn({ shown, repeated }: InlineHunk, isFirst: boolean): vscode.Comment {
    const { agent, explanation } = this.review.proposed;
    const reason = brief(explanation, REASON_CHARACTERS);
    const said = isFirst ? [...(reason === '' ? [] : [reason]), ...this.file.warnings.map((warned) => `⚠ ${warningText(warned)}`)] : [];
    const none = shown.length === 0 ? [vscode.l10n.t('The marked lines are removed.')] : [];
    return { author: { name: agentOf(agent) }, mode: vscode.CommentMode.Preview, body: changedMarkdown([...said, ...none], repeated, shown) };
  }

  /** Mark the removed lines. */
  private mark(): void {
    if (this.staleness !== undefined) {
      return;
    }
    const ranges = this.hunks.filter(({ marked }) => marked > 0).map(({ line, after }) => new vscode.Range(line, 0, after, 0));
    this.editors.forEach((editor) => editor.setDecorations(this.removed, ranges));
  }

  /** Some hunks may have come into view, or gone. */
  private look(): void {
    for (const hunk of this.hunks) {
      const key = keyOf(hunk);
      if (!this.isInView(hunk)) {
        clearTimeout(this.timers.get(key));
        this.timers.delete(key);
      } else if (!this.seen.has(key) && !this.timers.has(key)) {
        const timer = setTimeout(() => void this.noteSeen(hunk, timer), MOMENT_MS);
        this.timers.set(key, timer);
      }
    }
  }

  private async noteSeen(hunk: InlineHunk, timer: NodeJS.Timeout): Promise<void> {
    await caughtUp(); // a window that is busy may not have drawn it yet
    const key = keyOf(hunk);
    if (this.timers.get(key) !== timer) {
      return;
    }
    this.timers.delete(key);
    if (this.isInView(hunk)) {
      this.seen.add(key);
    }
  }

  /**
   * Whether the editor in front shows all that the hunk removes and adds: the comment is between the last two lines. In the
   * part that notifications may cover, only if it has gone there; and not where it may be scrolled sideways.
   */
  private isInView(hunk: InlineHunk): boolean {
    const thread = this.threads.get(keyOf(hunk));
    const isOpen = thread?.collapsibleState === vscode.CommentThreadCollapsibleState.Expanded;
    const editor = isOpen ? this.front() : undefined;
    const isAside = (editor?.selection.active.character ?? 0) > NARROW_COLUMNS;
    return !isAside && !areTallNotificationsShown() && editor?.visibleRanges.some(({ start, end }) => {
      const covered = start.line === 0 ? 0 : stickyLines(editor.document);
      const isCut = start.line === hunk.line && start.character > 0; // the line is wrapped, and its first rows are above
      const isFree = !this.mayBeCovered(hunk, start.line, end.line) || this.reached.has(keyOf(hunk));
      return start.line + covered <= hunk.line && !isCut && hunk.after < end.line && isFree;
    }) === true;
  }

  /** Whether notifications may cover some of a hunk in an editor that shows the lines from `start` to `end`. */
  private mayBeCovered(hunk: InlineHunk, start: number, end: number): boolean {
    const shown = this.hunks.filter(({ after }) => after >= start && after < end);
    const least = (until: number): number =>
      shown.filter(({ after }) => after < until).reduce((sum, one) => sum + COMMENT_ROWS.least + one.shown.length, until - start);
    const most = shown.filter(({ after }) => after <= hunk.after).reduce((sum, one) => sum + this.rowsOf(one), hunk.after + 1 - start);
    const isFar = hunk.after > start + FREE_PART * (end - start); // in a low editor, too
    const atTop = areNotificationsAtTop();
    return (isFar && !atTop) || mayBeCovered({ above: least(hunk.line), toEnd: most, all: least(end) }, atTop, roomOf(this.uri).freeRows);
  }

  /** How many rows the comment of a hunk takes at most. */
  private rowsOf({ shown, repeated }: InlineHunk): number {
    const said = [brief(this.review.proposed.explanation, REASON_CHARACTERS), ...this.file.warnings.map(warningText)];
    return COMMENT_ROWS.most + rowsOf([...said, ...repeated, ...shown]); // only the first has what is said
  }
}

/** How many lines at the top of an editor VS Code may cover with those that its sticky scroll keeps there. */
function stickyLines(document: vscode.TextDocument): number {
  const sticky = vscode.workspace.getConfiguration('editor.stickyScroll', document);
  return sticky.get('enabled') === false ? 0 : sticky.get('maxLineCount', 5);
}

/** Themes with high contrast have no background for removed lines. */
function removedLook(): vscode.TextEditorDecorationType {
  const { HighContrast, HighContrastLight } = vscode.ColorThemeKind;
  const isContrast = [HighContrast, HighContrastLight].includes(vscode.window.activeColorTheme.kind);
  const border = { border: '1px dashed', borderColor: new vscode.ThemeColor('diffEditor.removedTextBorder') };
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('diffEditor.removedLineBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.deletedForeground'),
    ...(isContrast ? border : {}),
  });
}
