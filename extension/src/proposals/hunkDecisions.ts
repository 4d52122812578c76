/**
 * Accept and Reject for single hunks of the active review. A rejected hunk leaves the proposed text; an accepted one is
 * marked, and waits for the others. The last decision about a hunk decides the file.
 */
import * as vscode from 'vscode';
import type { ReviewedFile } from '../protocol/types';
import type { DiffEditors } from '../review/diffEditor';
import { idOf, PROPOSAL, pathOf, virtualUri, type ReviewFileSystem } from '../review/fileSystem';
import { MOMENT_MS, type By, type ReviewFocus } from '../review/focus';
import { hunkAt, revert, type AcceptedHunks, type Replacement, type ReviewHunk } from '../review/hunks';
import type { InlineHunk } from '../review/inlineHunks';
import { partOf } from '../review/tabs';
import { SerialQueue } from '../util/serialQueue';
import { hunks, normalize } from '../util/text';
import type { Decisions } from './decisions';
import { showNoHunk, showTooEarly, showUnseen } from './notifications';
import type { Settling } from './settling';
import type { FileDecision, Review } from './review';
import type { ProposalStore } from './store';

/** Larger files take too long to compare at each press. */
const MAX_UNITS = 2_000_000;

/** Presses that follow each other faster come from a held key. */
const REPEAT_MS = 120;

/** What the keys decide on: the proposed text at `uri`, its hunks, and the editor that shows them. */
interface Target<H extends ReviewHunk = ReviewHunk> {
  review: Review;
  editor: vscode.TextEditor;
  uri: vscode.Uri;
  text(): string;
  hunks(): H[];
  /** The hunk whose comment in the file this is. */
  hunkOf?(comment: unknown): H | undefined;
  replace(what: Replacement): PromiseLike<boolean> | void;
  draw(): void;
  goTo(hunk: H | undefined): void;
}

/** The hunks that are in front, and the line of the cursor in the text that shows them. */
export interface HunksInFront {
  hunks: readonly ReviewHunk[];
  line: number;
}

export class HunkDecisions implements vscode.Disposable {
  private readonly decided = new vscode.EventEmitter<void>();
  /** A hunk was accepted or rejected. */
  readonly onDidDecide = this.decided.event;
  private readonly presses = new SerialQueue();
  private pressedAt = -Infinity;
  /** When a press last decided a hunk, and the next one was shown. */
  private decidedAt = -Infinity;
  private readonly mark = vscode.window.createTextEditorDecorationType({
    after: { margin: '0 0 0 3em', color: new vscode.ThemeColor('charts.green'), fontStyle: 'italic' },
    overviewRulerColor: new vscode.ThemeColor('charts.green'),
  });
  private readonly parts: readonly vscode.Disposable[];

  constructor(
    private readonly proposals: ProposalStore,
    private readonly editors: DiffEditors,
    private readonly focus: ReviewFocus,
    private readonly decisions: Decisions,
    settling: Settling,
    private readonly hunks: AcceptedHunks,
    private readonly files: ReviewFileSystem,
  ) {
    this.parts = [
      this.decided,
      this.mark,
      vscode.window.onDidChangeVisibleTextEditors((shown) => shown.forEach((editor) => this.show(editor))),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.showAll(document)),
      settling.onDidEnd(({ review: { proposed: { id, files } } }) => {
        files.forEach(({ path }) => this.hunks.forget(virtualUri(PROPOSAL, id, path).toString()));
      }),
    ];
  }

  /**
   * Decide on the hunk at the cursor, else on the next one that is open; or on the one whose `comment` has the button that
   * was pressed. Presses take their turns.
   */
  decide(decision: FileDecision, by: By, comment?: unknown): Promise<void> {
    const now = performance.now();
    const sincePress = now - this.pressedAt;
    this.pressedAt = now;
    return this.presses.run(() => this.decideNow(decision, by, by === 'key' ? sincePress : now - this.decidedAt, comment));
  }

  /** The hunks of the file in front, if the review has, or had, several of them. */
  front(): HunksInFront | undefined {
    const { inline } = this.editors;
    const target = inline.target() ?? this.active('choice');
    const file = target && partOf(target.review, target.uri);
    if (target === undefined || file === undefined || Math.max(file.base_text.length, file.proposed_text.length) > MAX_UNITS) {
      return undefined;
    }
    const hunks = target.hunks();
    return Math.max(hunks.length, countOf(file)) > 1 ? { hunks, line: target.editor.selection.active.line } : undefined;
  }

  dispose(): void {
    vscode.Disposable.from(...this.parts).dispose();
  }

  private async decideNow(decision: FileDecision, by: By, since: number, comment?: unknown): Promise<void> {
    const active = this.editors.inline.target() ?? this.active(by);
    if (active === undefined) {
      this.tellNotActive();
      return;
    }
    const hunk = this.isBlind(by) ? undefined : chosenOf(active, by, since, comment);
    if (hunk === undefined || !(await this.isInView(active, hunk, decision))) {
      return;
    }
    const { review, uri } = active;
    if (decision === 'rejected' && active.hunks().length === 1) {
      void this.decideFile('rejected', review, uri); // nothing would be left: the question comes before the hunk is taken back
      return;
    }
    if (!(await this.decideHunk(active, hunk, decision)) || this.editors.current !== review) {
      showNoHunk();
      return;
    }
    active.draw();
    this.decidedAt = performance.now();
    this.decided.fire();
    const open = active.hunks().filter(({ isAccepted }) => !isAccepted);
    if (open.length > 0) {
      active.goTo(hunkAt(open, hunk.line));
    } else {
      void this.decideFile('accepted', review, uri);
    }
  }

  /** Whether a press can't have been meant for what is in front. Tells the user so. */
  private isBlind(by: By): boolean {
    return (by === 'key' && this.focus.isOutside()) || this.focus.isTooEarly();
  }

  /**
   * Whether the hunk is in view. If not, goes there: it is the one at the cursor, from which the user may have scrolled away.
   * In the file itself, only what is accepted must have been in view.
   */
  private async isInView(active: Target, hunk: ReviewHunk, decision: FileDecision): Promise<boolean> {
    const { review, editor } = active;
    if (isInline(hunk)) {
      return decision === 'rejected' || this.decisions.isInView(review, hunk);
    }
    const first = Math.min(hunk.line, editor.document.lineCount - 1);
    const last = Math.max(first, hunk.line + hunk.lines - 1);
    const isShown = editor.visibleRanges.some(({ start, end }) => start.line <= last && first <= end.line);
    if (!isShown) {
      active.goTo(hunk);
      showUnseen(1);
    }
    return isShown;
  }

  /**
   * The diff with the keys, if it shows a text that the user can still decide on; for a button, whichever side of the diff
   * has them.
   */
  private active(by: By): Target | undefined {
    const { current: review } = this.editors;
    const editor = by === 'choice' && review !== undefined ? rightSideOf(review) : vscode.window.activeTextEditor;
    const file = review && partOf(review, editor?.document.uri);
    const isOpen = review?.state === 'waiting' && file !== undefined && file.operation !== 'delete';
    if (!isOpen || editor === undefined) {
      return undefined;
    }
    const { document } = editor;
    const text = (): string => normalize(document.getText());
    return {
      ...{ review, editor, uri: document.uri, text },
      hunks: () => this.of(document, file),
      replace: async ({ from, to, text: by }) => {
        this.editors.unlock(review);
        const now = text();
        const edit = new vscode.WorkspaceEdit();
        edit.replace(document.uri, new vscode.Range(positionAt(now, from), positionAt(now, to)), by);
        const isDone = await vscode.workspace.applyEdit(edit);
        this.files.keepClean(document);
        return isDone;
      },
      draw: () => this.showAll(document),
      goTo: (hunk) => goTo(editor, hunk),
    };
  }

  /** The keys are elsewhere, perhaps on the left side of a review, or the press before has just decided the file. */
  private tellNotActive(): void {
    if (this.editors.current?.state === 'waiting') {
      showNoHunk();
    } else {
      this.decisions.showNothingActive();
    }
  }

  private async decideHunk(active: Target, hunk: ReviewHunk, decision: FileDecision): Promise<boolean> {
    if (decision === 'accepted') {
      this.hunks.accept(active.uri.toString(), hunk);
      return true;
    }
    return (await active.replace(revert(active.text(), hunk))) !== false;
  }

  /** Every hunk of the file is decided. Don't wait for this: a question may be open for long. */
  private async decideFile(decision: FileDecision, review: Review, uri: vscode.Uri): Promise<void> {
    if (review.proposed.files.length > 1) {
      await this.decisions.decideFile(decision, uri);
    } else {
      await (decision === 'accepted' ? this.decisions.accept(false, 'choice') : this.decisions.reject('choice'));
    }
  }

  private of(document: vscode.TextDocument, file: ReviewedFile): ReviewHunk[] {
    return this.hunks.of(document.uri.toString(), file.base_text, document.getText());
  }

  private showAll(document: vscode.TextDocument): void {
    vscode.window.visibleTextEditors.filter((editor) => editor.document === document).forEach((editor) => this.show(editor));
  }

  /** Mark the accepted hunks. */
  private show(editor: vscode.TextEditor): void {
    const { document } = editor;
    const isOurs = document.uri.scheme === PROPOSAL && this.hunks.has(document.uri.toString());
    const review = isOurs ? this.proposals.get(idOf(document.uri)) : undefined;
    const file = review?.proposal?.files.find(({ path }) => path === pathOf(document.uri));
    if (file === undefined) {
      return;
    }
    const all = this.of(document, file);
    const accepted = all.filter(({ isAccepted }) => isAccepted);
    const contentText = vscode.l10n.t('✓ accepted; hunks left: {0}', all.length - accepted.length);
    editor.setDecorations(this.mark, accepted.map(({ line }) => ({ range: endOf(document, line), renderOptions: { after: { contentText } } })));
  }
}

function endOf(document: vscode.TextDocument, line: number): vscode.Range {
  const { end } = document.lineAt(Math.min(line, document.lineCount - 1)).range;
  return new vscode.Range(end, end);
}

function goTo(editor: vscode.TextEditor, hunk: ReviewHunk | undefined): void {
  if (hunk !== undefined) {
    const at = new vscode.Position(Math.min(hunk.line, editor.document.lineCount - 1), 0);
    editor.selection = new vscode.Selection(at, at);
    editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }
}

/** Where an offset of a text with `\n` line ends is in a document, which may have others. */
function positionAt(text: string, offset: number): vscode.Position {
  const before = text.slice(0, offset);
  return new vscode.Position(before.split('\n').length - 1, offset - before.lastIndexOf('\n') - 1);
}

/**
 * The hunk that a press decides: the one of `comment`, or else the one at the cursor, or the next one. Undefined if there is
 * none, or the press came too early, which the user is told. `since`: how many ms ago the last press of a key was, or the
 * last decision if it is a button's.
 */
function chosenOf(active: Target, by: By, since: number, comment?: unknown): ReviewHunk | undefined {
  const all = active.hunks();
  const hunk = comment === undefined ? hunkAt(all, active.editor.selection.active.line) : active.hunkOf?.(comment);
  if (hunk === undefined) {
    showNoHunk();
    return undefined;
  }
  // The press before scrolled to the last hunk, which decides the file; or has put another hunk's button under the mouse.
  const isLast = all.every((one) => one.start.before === hunk.start.before || one.isAccepted);
  if (since < (isLast || by === 'choice' ? MOMENT_MS : REPEAT_MS)) {
    showTooEarly();
    return undefined;
  }
  return hunk;
}

/** The editor with the keys if it shows the proposed text; or the only one that does. */
function rightSideOf(review: Review): vscode.TextEditor | undefined {
  const { activeTextEditor: active, visibleTextEditors } = vscode.window;
  const isRight = ({ document: { uri } }: vscode.TextEditor): boolean => partOf(review, uri) !== undefined;
  const isOnly = review.proposed.files.length === 1;
  return active !== undefined && isRight(active) ? active : isOnly ? visibleTextEditors.find(isRight) : undefined;
}

const counted = new WeakMap<ReviewedFile, number>();

/** How many hunks were proposed. */
function countOf(file: ReviewedFile): number {
  const count = counted.get(file) ?? hunks(file.base_text.split('\n'), file.proposed_text.split('\n')).length;
  counted.set(file, count);
  return count;
}

function isInline(hunk: ReviewHunk): hunk is InlineHunk {
  return 'after' in hunk;
}
