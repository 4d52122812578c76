/**
 * Annotates the diff of a review: the agent and its reason at the first difference, warnings about suspicious text, and
 * a note if the file has changed since.
 */
import * as vscode from 'vscode';
import { findDocument } from '../proposals/applyEdits';
import { plainMarkdown } from '../util/window';
import type { ReviewedFile, Warned } from '../protocol/types';
import { isAllOrNone, type Staleness, type Review } from '../proposals/review';
import type { ProposalStore } from '../proposals/store';
import { baseName, brief, visible } from '../util/display';
import { firstDifference } from '../util/text';
import { idOf, LANDED, pathOf, PROPOSAL, virtualUri } from './fileSystem';
import { lookThroughIdOf } from './tabs';
import { agentOf, allOrNoneText, OPERATIONS } from '../proposals/notifications';

const NOTE_CHARACTERS = 100;

export class Decorations implements vscode.FileDecorationProvider, vscode.Disposable {
  private readonly badges = new vscode.EventEmitter<vscode.Uri[]>();
  readonly onDidChangeFileDecorations = this.badges.event;
  private readonly warnings = vscode.languages.createDiagnosticCollection('agentfs');
  private readonly note = vscode.window.createTextEditorDecorationType({
    after: {
      margin: '0 0 0 3em',
      color: new vscode.ThemeColor('editorCodeLens.foreground'),
      fontStyle: 'italic',
    },
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedOpen,
  });
  private readonly alarm = vscode.window.createTextEditorDecorationType({
    after: {
      margin: '0 0 0 3em',
      color: new vscode.ThemeColor('editorWarning.foreground'),
      fontWeight: 'bold',
    },
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.warningForeground'),
  });
  /** Marks a text that takes no decision yet. */
  private readonly guard = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.findRangeHighlightBackground'),
  });
  private guarded: Review | undefined;
  private readonly parts: vscode.Disposable[];

  constructor(private readonly proposals: ProposalStore) {
    this.parts = [
      this.badges,
      this.warnings,
      this.note,
      this.alarm,
      this.guard,
      vscode.window.registerFileDecorationProvider(this),
      vscode.window.onDidChangeVisibleTextEditors(() => this.decorate()),
      proposals.onDidChange((review) => this.refresh(review)),
    ];
  }

  /** Update a review's annotations wherever it is shown. */
  update(review: Review): void {
    review.proposal?.files.forEach((file) => this.warn(review, file));
    this.decorate();
  }

  /** Highlight a review that takes no decision yet, until this is called without one. */
  flash(review: Review | undefined): void {
    this.guarded = review;
    this.decorate();
  }

  /** The review has ended. */
  forget(review: Review): void {
    const uris = review.proposed.files.map(({ path }) => virtualUri(PROPOSAL, review.proposed.id, path));
    uris.forEach((uri) => this.warnings.delete(uri));
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    const stale = this.reviewOf(uri)?.stale.get(pathOf(uri));
    return stale === undefined
      ? undefined
      : new vscode.FileDecoration('!', stalenessText(stale), new vscode.ThemeColor('list.warningForeground'));
  }

  dispose(): void {
    vscode.Disposable.from(...this.parts).dispose();
  }

  private refresh(review: Review): void {
    const { id, files } = review.proposed;
    if (this.proposals.get(id) !== undefined) {
      this.update(review);
      this.badges.fire(files.map(({ path }) => virtualUri(PROPOSAL, id, path)));
    }
  }

  private warn(review: Review, file: ReviewedFile): void {
    const stale = review.stale.get(file.path);
    const line = firstLine(file);
    const all = file.warnings.map((warned) => ofWarning(warned));
    if (stale !== undefined) {
      all.push(diagnostic(line, stalenessText(stale)));
    }
    this.warnings.set(virtualUri(PROPOSAL, review.proposed.id, file.path), all);
  }

  private decorate(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const { uri } = editor.document;
      const review = [PROPOSAL, LANDED].includes(uri.scheme) ? this.reviewOf(uri) : undefined;
      const file = review?.proposal?.files.find(({ path }) => path === pathOf(uri));
      if (review !== undefined && file !== undefined) {
        this.decorateEditor(editor, review, file);
        const isGuarded = review === this.guarded;
        editor.setDecorations(this.guard, isGuarded ? [new vscode.Range(0, 0, editor.document.lineCount, 0)] : []);
      }
    }
  }

  private decorateEditor(editor: vscode.TextEditor, review: Review, file: ReviewedFile): void {
    const stale = review.stale.get(file.path);
    const first = firstLine(file);
    const { range } = editor.document.lineAt(Math.min(first, editor.document.lineCount - 1));
    const at = new vscode.Range(range.end, range.end);
    const said = noteOf(review, file);
    const after = (contentText: string): vscode.DecorationOptions => ({
      range: at,
      hoverMessage: hoverOf(review, file),
      renderOptions: { after: { contentText } },
    });
    const alarms = stale !== undefined ? [stalenessNote(stale)] : editor.document.uri.scheme === LANDED ? file.warnings.map(warningText) : [];
    editor.setDecorations(this.note, stale === undefined ? [after(said)] : []);
    editor.setDecorations(this.alarm, alarms.map((alarm) => after(`⚠ ${alarm}`)));
  }

  private reviewOf(uri: vscode.Uri): Review | undefined {
    return this.proposals.get(lookThroughIdOf(uri) ?? idOf(uri));
  }
}

const firstLines = new WeakMap<ReviewedFile, number>();

/** The first line that differs; cached, as texts can be large. */
function firstLine(file: ReviewedFile): number {
  const known = firstLines.get(file) ?? firstDifference(file.base_text, file.proposed_text) ?? 0;
  firstLines.set(file, known);
  return known;
}

/** What happens to the file, why, and which changes are the user's own. */
function noteOf(review: Review, file: ReviewedFile): string {
  const { proposed, decided, reasons } = review;
  const reason = reasons.get(file.path);
  const why = brief(proposed.explanation, NOTE_CHARACTERS);
  const operation = OPERATIONS[file.operation]?.();
  const decision = decided.get(file.path);
  const isUnsaved = file.version !== null && findDocument(file.uri)?.isDirty === true;
  // The end may be cut off, so the agent's words come last.
  return [
    ...(isUnsaved ? [vscode.l10n.t('with your unsaved text')] : []),
    ...(isAllOrNone(review) ? [vscode.l10n.t('all files or none')] : []),
    ...(decision === undefined ? [] : [reason === undefined ? DECIDED[decision]() : rejectedText(reason)]),
    ...(operation === undefined ? [] : [operation]),
    why === '' ? agentOf(proposed.agent) : vscode.l10n.t('“{0}”', why), // the tab has the name, and there is little room
  ].join(' · ');
}

/** What the user has decided on a file of several. */
export const DECIDED = {
  accepted: (): string => vscode.l10n.t('accepted; waits for the other files'),
  rejected: (): string => vscode.l10n.t('rejected; waits for the other files'),
};

/** The same of a rejected file, with the user's reason in place of what it waits for. */
export function rejectedText(reason: string): string {
  return vscode.l10n.t('rejected: “{0}”', brief(reason, NOTE_CHARACTERS));
}

/** All details, as plain text: agents' words must not act as Markdown. */
function hoverOf(review: Review, file: ReviewedFile): ReturnType<typeof plainMarkdown> {
  const { proposed } = review;
  const stale = review.stale.get(file.path);
  const said = [
    vscode.l10n.t('{0} proposes to change {1}', agentOf(proposed.agent), baseName(file.path)),
    ...proposed.explanation.split('\n'),
    allOrNoneText(review) ?? '',
    ...decisionLines(review, file.path),
    ...file.warnings.map((warned) => `⚠ ${warningText(warned)}`),
    ...(stale === undefined ? [] : [`⚠ ${stalenessText(stale)}`]),
  ];
  return plainMarkdown(said);
}

/** What the user has decided on a file of several, and why, in lines. */
export function decisionLines({ decided, reasons }: Review, path: string): string[] {
  const decision = decided.get(path);
  const reason = reasons.get(path);
  return [...(decision === undefined ? [] : [DECIDED[decision]()]), ...(reason === undefined ? [] : [vscode.l10n.t('“{0}”', brief(reason, 500))])];
}

/** A short form, as there is little room beside a line. */
export function stalenessNote(stale: Staleness): string {
  switch (stale.kind) {
    case 'editor':
      return vscode.l10n.t('Changed in the editor: cannot be accepted');
    case 'disk':
      return vscode.l10n.t('Changed on disk: cannot be accepted');
    case 'gone':
      return vscode.l10n.t('Deleted from disk: cannot be accepted');
    case 'renamed':
      return vscode.l10n.t('Renamed to {0}: cannot be accepted', visible(stale.to));
  }
}

export function stalenessText(stale: Staleness): string {
  switch (stale.kind) {
    case 'editor':
      return vscode.l10n.t('The file changed in the editor after this change was proposed, so you cannot accept the change anymore.');
    case 'disk':
      return vscode.l10n.t('The file changed on disk after this change was proposed, so you cannot accept the change anymore.');
    case 'gone':
      return vscode.l10n.t('The file was deleted after this change was proposed, so you cannot accept the change anymore.');
    case 'renamed':
      return vscode.l10n.t(
        'The file was renamed to {0} after this change was proposed. To accept the change, restore the old name. Otherwise reject the change and tell the agent the new name.',
        visible(stale.to),
      );
  }
}

export function warningText({ kind, detail }: Warned): string {
  const meanings: Record<string, string> = {
    bidirectional: vscode.l10n.t('a character that changes the direction of text'),
    invisible: vscode.l10n.t('an invisible character'),
    control: vscode.l10n.t('a control character'),
    secret: vscode.l10n.t('a likely secret'),
    misread: vscode.l10n.t('bytes that programs may read as another character'),
    escaped: vscode.l10n.t('text that seems escaped once too often'),
    elided: vscode.l10n.t('a placeholder for omitted text'),
    syntax: vscode.l10n.t('a syntax error'),
    formatter: vscode.l10n.t('a formatter failed, so the text was left as it was'),
    hard_links: vscode.l10n.t('the file has other names, which keep the old content'),
    on_save: vscode.l10n.t('the editor’s save will change it'),
  };
  if (kind === 'corrected') {
    return visible(detail); // the server's words
  }
  const meaning = meanings[kind] ?? kind;
  return detail === '' ? meaning : vscode.l10n.t('{0} ({1})', meaning, visible(detail));
}

function ofWarning(warned: Warned): vscode.Diagnostic {
  const found = diagnostic(warned.line - 1, warningText(warned));
  found.severity = warned.kind === 'corrected' ? vscode.DiagnosticSeverity.Information : found.severity;
  return found;
}

function diagnostic(line: number, message: string): vscode.Diagnostic {
  const at = Math.max(0, line);
  const range = new vscode.Range(at, 0, at, Number.MAX_SAFE_INTEGER);
  const found = new vscode.Diagnostic(range, message, vscode.DiagnosticSeverity.Warning);
  found.source = 'agentfs';
  return found;
}
