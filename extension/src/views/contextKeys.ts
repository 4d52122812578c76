/** Sets the context keys of menus and keybindings: what the active tab shows, and how much is pending. */
import * as vscode from 'vscode';
import { isStale, type Review } from '../proposals/review';
import type { ProposalStore } from '../proposals/store';
import type { Drafts } from '../review/drafts';
import { draftInFront } from './drafts';
import type { ServerEdits } from '../proposals/serverEdits';
import type { DiffEditors } from '../review/diffEditor';
import type { LookThrough } from '../review/lookThrough';
import type { HistoryDiffs } from '../history/diff';
import type { HistoryStore } from '../history/store';
import { isMultiDiff, isReviewTab, tabInFront } from '../review/tabs';
import type { LastMoment } from '../util/lastMoment';

type Kind = '' | 'single' | 'several' | 'part' | 'inline';

/** What the active tab shows: no review, a review of one file, of several files, a single file of several, or one in its file. */
function kindOf(tab: vscode.Tab | undefined, review: Review | undefined, isPart: boolean): Kind {
  if (tab === undefined || review === undefined) {
    return '';
  }
  if (isMultiDiff(tab)) {
    return 'several';
  }
  return isPart ? 'part' : isReviewTab(tab) ? 'single' : 'inline';
}

/** What the keys tell of. */
interface Known {
  proposals: ProposalStore;
  editors: DiffEditors;
  edits: ServerEdits;
  drafts: Drafts;
  looks: LookThrough;
  records: HistoryStore;
  historyDiffs: HistoryDiffs;
  titleMoved: LastMoment;
}

/** Keep the context keys `agentfs.ui.*` up to date. */
export function keepContextKeys({ proposals, editors, edits, drafts, looks, records, historyDiffs, titleMoved }: Known): vscode.Disposable {
  const told = new Map<string, unknown>();
  const tell = (key: string, value: unknown): void => {
    if (told.get(key) !== value) {
      told.set(key, value);
      void vscode.commands.executeCommand('setContext', `agentfs.ui.${key}`, value);
    }
  };
  let front: Review | undefined;
  const refresh = (): void => {
    const tab = tabInFront();
    const review = editors.current;
    const wasStale = told.get('stale');
    tell('review', kindOf(tab, review, editors.currentPart !== undefined));
    tell('stale', review !== undefined && isStale(review));
    tell('inline', editors.inline.paths);
    tell('atomic', review?.proposed.atomic === true);
    tell('pending', proposals.size > 0);
    tell('waiting', proposals.size > 0 || edits.previews > 0);
    tell('more', proposals.size > 1);
    tell('look', looks.isInFront);
    tell('changed', proposals.get(historyDiffs.changedInFront ?? '') !== undefined);
    tell('landed', historyDiffs.inFront !== undefined);
    tell('drafts', drafts.all.length > 0);
    tell('draft', draftInFront(drafts) !== undefined);
    if (review === front && told.get('stale') !== wasStale) {
      void titleMoved.note();
    }
    front = review;
  };
  const tellPaths = (): void => tell('pendingPaths', pathsOf(proposals));
  tellPaths();
  refresh();
  return vscode.Disposable.from(
    proposals.onDidChange(refresh),
    proposals.onDidChange(tellPaths),
    drafts.onDidChange(refresh),
    edits.onDidChange(refresh),
    looks.onDidChange(refresh),
    records.onDidChange(refresh),
    editors.inline.onDidChange(refresh),
    vscode.window.tabGroups.onDidChangeTabs(refresh),
    vscode.window.tabGroups.onDidChangeTabGroups(refresh),
    vscode.window.onDidChangeActiveTextEditor(refresh),
  );
}

/** The paths of the files with pending changes, as menus know files. */
function pathsOf(proposals: ProposalStore): readonly string[] {
  return proposals.all.flatMap(({ proposed: { files } }) => files.map(({ uri }) => vscode.Uri.parse(uri).fsPath));
}
