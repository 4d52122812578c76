/**
 * Accept and Reject for single hunks of the active review. A rejected hunk leaves the proposed text; an accepted one is
 * marked, and waits for the others. The last decision about a hunk decides the file.
 */
import * as vscode from 'vscode';
import type { ReviewedFile } from '../protocol/types';
import type { DiffEditors } from '../review/diffEditor';
import { idOf, PROPOSAL, pathOf, virtualUri } from '../review/fileSystem';
import { MOMENT_MS, type By, type ReviewFocus } from '../review/focus';
import { AcceptedHunks, hunkAt, revert, type ReviewHunk } from '../review/hunks';
import { partOf } from '../review/tabs';
import { SerialQueue } from '../util/serialQueue';
import { normalize } from '../util/text';
import type { Decisions } from './decisions';
import { showHunksLeft, showNoHunk, showTooEarly } from './notifications';
import type { Settling } from './settling';
import type { FileDecision, Review } from './review';
import type { ProposalStore } from './store';

/** Presses that follow each other faster come from a held key. */
const REPEAT_MS = 120;

export class HunkDecisions implements vscode.Disposable {
  private readonly hunks = new AcceptedHunks();
  private readonly presses = new SerialQueue();
  private pressedAt = -Infinity;
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
  ) {
    this.parts = [
      this.mark,
      vscode.window.onDidChangeVisibleTextEditors((shown) => shown.forEach((editor) => this.show(editor))),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.showAll(document)),
      settling.onDidEnd(({ review: { proposed: { id, files } } }) => {
        files.forEach(({ path }) => this.hunks.forget(virtualUri(PROPOSAL, id, path).toString()));
      }),
    ];
  }

  /** Decide on the hunk at the cursor, else on the next one that is open. Presses take their turns. */
  decide(decision: FileDecision, by: By): Promise<void> {
    const since = by === 'key' ? Date.now() - this.pressedAt : Infinity;
    this.pressedAt = Date.now();
    return this.presses.run(() => this.decideNow(decision, by, since));
  }

  dispose(): void {
    vscode.Disposable.from(...this.parts).dispose();
  }

  /** `since`: how many ms ago the last press of a key was. */
  private async decideNow(decision: FileDecision, by: By, since: number): Promise<void> {
    const active = this.active();
    if (active === undefined) {
      this.tellNotActive();
      return;
    }
    if ((by === 'key' && this.focus.isOutside()) || this.focus.isTooEarly()) {
      return;
    }
    const { review, file, editor } = active;
    const all = this.of(editor.document, file);
    const hunk = hunkAt(all, editor.selection.active.line);
    if (hunk === undefined) {
      showNoHunk();
      return;
    }
    // The press before scrolled to the last hunk, which decides the file.
    const isLast = all.every((one) => one === hunk || one.isAccepted);
    if (since < (isLast ? MOMENT_MS : REPEAT_MS)) {
      showTooEarly();
      return;
    }
    if (!(await this.decideHunk(editor.document, hunk, decision, review)) || this.editors.current !== review) {
      showNoHunk();
      return;
    }
    this.showAll(editor.document);
    const rest = this.of(editor.document, file);
    const open = rest.filter(({ isAccepted }) => !isAccepted);
    if (open.length > 0) {
      goTo(editor, hunkAt(open, hunk.line));
      showHunksLeft(open.length, rest.length - open.length);
    } else {
      // Without waiting, as a question may be open for long.
      void this.decideFile(rest.length === 0 ? 'rejected' : 'accepted', review, editor.document.uri);
    }
  }

  /** The editor with the keys, if it shows a text that the user can still decide on. */
  private active(): { review: Review; file: ReviewedFile; editor: vscode.TextEditor } | undefined {
    const { current: review } = this.editors;
    const editor = vscode.window.activeTextEditor;
    const file = review && partOf(review);
    const isOpen = review?.state === 'waiting' && file !== undefined && file.operation !== 'delete';
    return isOpen && editor !== undefined ? { review, file, editor } : undefined;
  }

  /** The keys are elsewhere, perhaps on the left side of a review, or the press before has just decided the file. */
  private tellNotActive(): void {
    if (this.editors.current?.state === 'waiting') {
      showNoHunk();
    } else {
      this.decisions.showNothingActive();
    }
  }

  private async decideHunk(document: vscode.TextDocument, hunk: ReviewHunk, decision: FileDecision, review: Review): Promise<boolean> {
    if (decision === 'accepted') {
      this.hunks.accept(document.uri.toString(), hunk);
      return true;
    }
    this.editors.unlock(review);
    const now = normalize(document.getText());
    const { from, to, text } = revert(now, hunk);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(positionAt(now, from), positionAt(now, to)), text);
    return vscode.workspace.applyEdit(edit);
  }

  /** Every hunk of the file is decided. */
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
