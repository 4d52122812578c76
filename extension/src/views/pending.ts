/** The view of pending changes: who proposes them, for which file, and how large they are. */
import * as vscode from 'vscode';
import type { ProposedFile } from '../protocol/types';
import type { Question, Questions } from '../server/questions';
import { isAllOrNone, type Review } from '../proposals/review';
import type { ProposalStore } from '../proposals/store';
import { baseName, brief, counts, folderOf, visible } from '../util/display';
import { PROPOSAL, virtualUri } from '../review/fileSystem';
import { DECIDED, decisionLines, stalenessText } from '../review/decorations';
import type { DiffEditors } from '../review/diffEditor';
import { LatestTask } from '../util/latestTask';
import { agentOf, allOrNoneText, changeOf, OPERATIONS, pathNow, titleOf, waitingText } from '../proposals/notifications';

/** A proposal, or one file of a proposal with several. */
export interface PendingNode {
  review: Review;
  file?: ProposedFile;
}

type Row = PendingNode | Question;

/** So much of an agent's reason leaves room for what follows it. */
const REASON_CHARACTERS = 60;

export class PendingView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly view: vscode.TreeView<Row>;
  private readonly listener: vscode.Disposable;
  private inFront: Review | undefined;
  private sample = '';
  private open = '';
  private readonly elsewhere = new LatestTask(() => this.lookElsewhere());

  constructor(
    private readonly proposals: ProposalStore,
    private readonly questions: Questions,
    private readonly editors: DiffEditors,
    private readonly otherEditors: () => Promise<readonly string[]>,
    shown: () => void,
    /** What the sample says: its notification can be hidden, and the status bar shows only the beginning. */
    coached: vscode.Event<string>,
    /** Called when the rows move: they are below what is said above them. */
    private readonly moved: () => void,
  ) {
    this.view = vscode.window.createTreeView('agentfs.pending', { treeDataProvider: this });
    const look = (): void => this.lookInFront();
    this.listener = vscode.Disposable.from(
      this.view.onDidChangeVisibility(({ visible: isVisible }) => isVisible && shown()),
      this.view.onDidChangeVisibility(() => void this.elsewhere.run()),
      vscode.window.onDidChangeWindowState(() => void this.elsewhere.run()),
      coached((words) => {
        this.sample = words;
        this.say();
      }),
      proposals.onDidChange(() => this.refresh()),
      questions.onDidChange(() => this.refresh()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.refresh()),
      vscode.window.tabGroups.onDidChangeTabs(look),
      vscode.window.tabGroups.onDidChangeTabGroups(look),
    );
  }

  getChildren(node?: Row): Row[] {
    if (node === undefined) {
      return [...this.questions.all, ...this.proposals.all.map((review) => ({ review }))];
    }
    if ('message' in node) {
      return [];
    }
    return node.file === undefined && node.review.proposed.files.length > 1
      ? node.review.proposed.files.map((file) => ({ review: node.review, file }))
      : [];
  }

  getTreeItem(row: Row): vscode.TreeItem {
    if ('message' in row) {
      return itemOfQuestion(row);
    }
    const { review, file } = row;
    const { files } = review.proposed;
    const [only] = files;
    const shown = file ?? (files.length === 1 ? only : undefined);
    if (shown === undefined) {
      return itemOfSeveral(review);
    }
    const item = itemOfFile(review, shown, file !== undefined);
    // Users may only decide on files that they see, so a file's row offers that only while its review is active.
    item.contextValue = file === undefined ? 'review' : this.inFront === review && !review.proposed.atomic ? 'file.inFront' : 'file';
    return item;
  }

  dispose(): void {
    this.view.dispose();
    this.listener.dispose();
    this.changes.dispose();
  }

  private lookInFront(): void {
    const now = this.editors.current;
    if (now !== this.inFront) {
      this.inFront = now;
      this.changes.fire();
    }
  }

  /** Agents that found another editor first propose there, and only there can the user decide. */
  private async lookElsewhere(): Promise<void> {
    if (this.view.visible) {
      const editors = await this.otherEditors();
      this.open = editors.length === 0
        ? ''
        : vscode.l10n.t('Also open in: {0}. What agents propose there is reviewed there.', editors.map(visible).join(', '));
      this.say();
    }
  }

  /** Say above the rows what there is to say. */
  private say(): void {
    const message = [this.sample, this.open].filter((text) => text !== '').join(' ');
    if (message !== (this.view.message ?? '')) {
      this.view.message = message;
      this.moved();
    }
  }

  private refresh(): void {
    this.inFront = this.editors.current;
    const size = this.proposals.size + this.questions.size;
    const tooltip = waitingText(this.proposals.size, this.questions.size);
    this.view.badge = size === 0 ? undefined : { value: size, tooltip };
    this.changes.fire();
  }
}

function itemOfQuestion({ id, message }: Question): vscode.TreeItem {
  const item = new vscode.TreeItem(visible(message));
  item.id = id;
  item.tooltip = visible(message);
  item.iconPath = new vscode.ThemeIcon('question');
  item.contextValue = 'question';
  item.command = { command: 'agentfs.ui.answerQuestion', title: vscode.l10n.t('Answer'), arguments: [id] };
  return item;
}

function itemOfFile(review: Review, file: ProposedFile, isPart: boolean): vscode.TreeItem {
  const item = new vscode.TreeItem(visible(baseName(file.path)));
  item.id = isPart ? `${review.proposed.id} ${file.path}` : review.proposed.id;
  const amount = counts(file.lines_added, file.lines_removed);
  const path = pathNow(file);
  const folder = visible(folderOf(path));
  const decided = review.decided.get(file.path);
  item.description = [...(isPart ? [] : whoAndWhy(review)), decided === undefined ? '' : DECIDED_SHORT[decided](), amount, folder].filter((part) => part !== '').join(' · ');
  item.tooltip = tooltipOf(review, file);
  item.iconPath = iconOf(review, file);
  item.command = openCommand(review, file);
  item.resourceUri = virtualUri(PROPOSAL, review.proposed.id, file.path);
  item.accessibilityInformation = { label: [labelOf(review, visible(path), file.lines_added, file.lines_removed), ...statesOf(review, file)].join(', ') };
  return item;
}

/** Who proposes a change, and why; or what the user has asked for. */
function whoAndWhy({ name, proposed: { agent, explanation } }: Review): string[] {
  const why = brief(explanation, REASON_CHARACTERS);
  return name !== undefined ? [brief(name, REASON_CHARACTERS)] : [agentOf(agent), ...(why === '' ? [] : [vscode.l10n.t('“{0}”', why)])];
}

/** What a screen reader says of a row, except its state. */
function labelOf({ name: asked, proposed: { agent } }: Review, name: string, added: number, removed: number): string {
  return asked === undefined
    ? vscode.l10n.t('{0}, lines added: {1}, removed: {2}, proposed by {3}', name, added, removed, agentOf(agent))
    : vscode.l10n.t('{0}, lines added: {1}, removed: {2}, {3}', name, added, removed, brief(asked, REASON_CHARACTERS));
}

/** What the icon of a file's row tells, in words. */
function statesOf(review: Review, file: ProposedFile): string[] {
  const stale = review.stale.get(file.path);
  const decided = review.decided.get(file.path);
  const operation = OPERATIONS[file.operation]?.();
  return [
    ...(operation === undefined ? [] : [operation]),
    ...(review.state === 'deciding' ? [vscode.l10n.t('decided; being applied')] : []),
    ...(decided === undefined ? [] : [DECIDED[decided]()]),
    ...(stale === undefined ? [] : [stalenessText(stale)]),
  ];
}

function itemOfSeveral(review: Review): vscode.TreeItem {
  const { files } = review.proposed;
  const size = vscode.l10n.t('{0} files', files.length);
  const item = new vscode.TreeItem(size, vscode.TreeItemCollapsibleState.Expanded);
  item.id = review.proposed.id;
  const [added, removed] = files.reduce(
    ([more, less], file) => [more + file.lines_added, less + file.lines_removed],
    [0, 0],
  );
  const allOrNone = isAllOrNone(review) ? [vscode.l10n.t('all files or none')] : [];
  item.description = [...whoAndWhy(review), counts(added, removed), ...allOrNone].join(' · ');
  item.accessibilityInformation = { label: [labelOf(review, size, added, removed), ...allOrNone].join(', ') };
  item.tooltip = tooltipOf(review);
  item.iconPath = new vscode.ThemeIcon('diff-multiple');
  item.contextValue = 'review';
  item.command = openCommand(review);
  return item;
}

function openCommand(review: Review, file?: ProposedFile): vscode.Command {
  return {
    command: 'agentfs.ui.openReview',
    title: vscode.l10n.t('Open Review'),
    arguments: [review.proposed.id, file?.path],
  };
}

function iconOf(review: Review, file: ProposedFile): vscode.ThemeIcon {
  if (review.state === 'deciding') {
    return new vscode.ThemeIcon('loading~spin');
  }
  if (review.stale.has(file.path)) {
    return new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
  }
  const decided = review.decided.get(file.path);
  if (decided !== undefined) {
    return new vscode.ThemeIcon(decided === 'accepted' ? 'check' : 'close');
  }
  return new vscode.ThemeIcon(OPERATION_ICONS[file.operation]);
}

/** What is decided on a file of several, beside its name. */
const DECIDED_SHORT = {
  accepted: (): string => vscode.l10n.t('accepted'),
  rejected: (): string => vscode.l10n.t('rejected'),
};

const OPERATION_ICONS: Readonly<Record<ProposedFile['operation'], string>> = {
  create: 'diff-added',
  update: 'diff-modified',
  delete: 'diff-removed',
};

function tooltipOf(review: Review, file?: ProposedFile): string {
  const { agent, explanation } = review.proposed;
  const stale = file && review.stale.get(file.path);
  const lines = [
    file === undefined ? titleOf(review) : changeOf(file, pathNow(file)),
    vscode.l10n.t('Proposed by {0}', agentOf(agent)),
    brief(explanation, 500),
    allOrNoneText(review) ?? '',
    ...(file === undefined ? [] : decisionLines(review, file.path)),
    ...(stale === undefined ? [] : [stalenessText(stale)]),
  ];
  return lines.filter((line) => line !== '').join('\n');
}
