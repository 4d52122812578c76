/** Tells which proposal a tab shows, if any. */
import * as vscode from 'vscode';
import type { Review } from '../proposals/review';
import type { ReviewedFile } from '../protocol/types';
import { findDocument } from '../proposals/applyEdits';
import { BASE, DRAFT, idOf, LANDED, pathOf, PROPOSAL, virtualUri } from './fileSystem';

/** All tabs of the window. */
export function allTabs(): readonly vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs);
}

/** The view type of the "All Changes" of a review or draft. */
export function plainViewOf(id: string): string {
  return `agentfs.plain.${id}`;
}

/**
 * The active tab, in any window; for "All Changes" the tab of its review or draft beside it. For a floating window VS Code
 * reports only the active text editor; the active group remains that of the main window.
 */
export function tabInFront(): vscode.Tab | undefined {
  const { activeTabGroup, all } = vscode.window.tabGroups;
  const uri = vscode.window.activeTextEditor?.document.uri.toString();
  const isIn = ({ input }: vscode.Tab): boolean =>
    input instanceof vscode.TabInputTextDiff && input.original.toString() === uri;
  const inFront = [activeTabGroup, ...all].flatMap(({ activeTab }) => activeTab ?? []);
  const active = activeTabGroup.activeTab?.input;
  if (active instanceof vscode.TabInputWebview && active.viewType.includes(plainViewOf(''))) {
    const isBeside = (id: string | undefined): boolean => id !== undefined && active.viewType.endsWith(plainViewOf(id));
    return inFront.find((tab) => isBeside(reviewIdOf(tab) ?? draftIn(tab)?.authority)) ?? activeTabGroup.activeTab;
  }
  return (
    inFront.find((tab) => isIn(tab) || shownIn(tab).some((shown) => shown.toString() === uri)) ?? activeTabGroup.activeTab
  );
}

/** The id of the proposal that a tab shows, in a diff, in a diff of several files, or alone. */
export function reviewIdOf(tab: vscode.Tab): string | undefined {
  const [uri] = proposalsIn(tab);
  return uri && idOf(uri);
}

/** Whether the tab shows a proposal, from this or an earlier window. */
export function isReviewTab(tab: vscode.Tab): boolean {
  return proposalsIn(tab).length > 0;
}

/** The proposed files that a tab shows. */
export function proposalsIn(tab: vscode.Tab): readonly vscode.Uri[] {
  return shownIn(tab).filter(({ scheme }) => scheme === PROPOSAL);
}

/** The draft that a tab shows beside its file. */
export function draftIn({ input }: vscode.Tab): vscode.Uri | undefined {
  const isDraft = input instanceof vscode.TabInputTextDiff && input.original.scheme === DRAFT;
  return isDraft ? input.original : undefined;
}

/** The read-only texts that a tab shows on its right side: landed changes, or pending ones to look through. */
export function landedIn(tab: vscode.Tab): readonly vscode.Uri[] {
  return shownIn(tab).filter(({ scheme }) => scheme === LANDED);
}

/** Whether the tab shows such texts. */
export function isLandedTab(tab: vscode.Tab): boolean {
  return landedIn(tab).length > 0;
}

/** One side of a proposed file as it is looked through with others; `count` sets apart what is shown at different times. */
export function lookThroughUri(id: string, side: 'before' | 'after', count: number, path: string): vscode.Uri {
  return virtualUri(LANDED, `${id}.${side}${count}`, path);
}

/** The id of the proposal on the right side of an editor to look through. */
export function lookThroughIdOf(uri: vscode.Uri): string | undefined {
  return uri.scheme === LANDED ? /^(.*)\.after\d+$/.exec(idOf(uri))?.[1] : undefined;
}

/** Whether the tab shows several files. */
export function isMultiDiff(tab: vscode.Tab): boolean {
  return severalIn(tab) !== undefined;
}

/** Whether the tab in front shows a text without the one that it replaces, such as beside what was saved. */
export function isAloneInFront(): boolean {
  const input = tabInFront()?.input;
  if (!(input instanceof vscode.TabInputTextDiff)) {
    return input instanceof vscode.TabInputText;
  }
  const { original, modified } = input;
  return modified.scheme === PROPOSAL && (original.scheme !== BASE || idOf(original) !== idOf(modified) || pathOf(original) !== pathOf(modified));
}

/**
 * Whether an editor such as a notebook's has unsaved changes of the file, which the server doesn't hear of. It does of those
 * of a custom editor that edits the file as text; the text of a notebook's file, if that is open, too, has none of them.
 */
export function isUnsavedElsewhere(uri: vscode.Uri): boolean {
  const file = uri.toString();
  return allTabs().some(
    ({ isDirty, input }) =>
      isDirty &&
      (input instanceof vscode.TabInputNotebook || (input instanceof vscode.TabInputCustom && findDocument(file)?.isDirty !== true)) &&
      input.uri.toString() === file,
  );
}

function shownIn(tab: vscode.Tab): readonly vscode.Uri[] {
  const { input } = tab;
  if (input instanceof vscode.TabInputTextDiff) {
    return [input.modified];
  }
  if (input instanceof vscode.TabInputText) {
    return [input.uri];
  }
  return severalIn(tab) ?? [];
}

/** The right sides of a multi-diff editor, for which the API has no class yet. */
function severalIn(tab: vscode.Tab): readonly vscode.Uri[] | undefined {
  const { textDiffs } = (tab.input ?? {}) as { textDiffs?: readonly vscode.TabInputTextDiff[] };
  return Array.isArray(textDiffs)
    ? textDiffs.flatMap(({ modified }) => (modified instanceof vscode.Uri ? [modified] : []))
    : undefined;
}

/** The file of a review whose proposal is at `uri`, by default the active text editor's. */
export function partOf(
  { proposed: { id }, proposal }: Review,
  uri: vscode.Uri | undefined = vscode.window.activeTextEditor?.document.uri,
): ReviewedFile | undefined {
  const isOurs = uri?.scheme === PROPOSAL && idOf(uri) === id;
  return isOurs ? proposal?.files.find(({ path }) => path === pathOf(uri)) : undefined;
}
