/** Shows the diff of a landed change. */
import * as vscode from 'vscode';
import { SECTION } from '../server/settings';
import { findDocument } from '../proposals/applyEdits';
import type { HistoryRecord, HistoryStore, RecordedText } from './store';
import { notify } from '../util/window';
import { EditorMethod, type ReviewedFile } from '../protocol/types';
import type { Ask } from '../server/agentRequests';
import type { Review } from '../proposals/review';
import { fileNames, notifySame } from '../proposals/notifications';
import { withoutMarkup } from '../util/display';
import { normalize, withEol } from '../util/text';
import { idOf, LANDED, virtualUri, type ReadOnlyTexts } from '../review/fileSystem';
import { changesOf, namesOf, textsOfHistory } from './records';
import { MOST } from './select';
import { undoneOf } from './undone';
import { hashOf } from '../review/staleness';
import { allTabs, isLandedTab, landedIn, tabInFront } from '../review/tabs';
import { openAwaited, userWaits, type IsWaiting } from '../review/userWaits';

/** Whether the server keeps a history, which it needs to undo changes. */
export function isHistoryKept(): boolean {
  return vscode.workspace.getConfiguration(SECTION).get('history.enabled', true);
}

export class HistoryDiffs implements vscode.Disposable {
  private readonly listener: vscode.Disposable;
  /** The changes whose texts are shown, by id. */
  private readonly shown = new Map<string, HistoryRecord>();

  constructor(
    private readonly ask: Ask,
    private readonly texts: ReadOnlyTexts,
    private readonly records: HistoryStore,
  ) {
    this.listener = vscode.Disposable.from(
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (uri.scheme === LANDED) {
          texts.delete(uri);
        }
      }),
      // VS Code may close the texts of a tab that stays.
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => closed.flatMap(landedIn).forEach((uri) => this.noteClosed(uri))),
    );
  }

  /** The landed change that the tab in front shows, if it can be undone. */
  get inFront(): HistoryRecord | undefined {
    const tab = tabInFront();
    const [uri] = tab === undefined ? [] : landedIn(tab);
    const change = uri && this.shown.get(changeIn(uri));
    return change !== undefined && isHistoryKept() && !undoneOf(this.records.all).has(change.id) ? change : undefined;
  }

  /** The id of the review whose file the tab in front shows as it has changed since the proposal. */
  get changedInFront(): string | undefined {
    const input = tabInFront()?.input;
    return input instanceof vscode.TabInputTextDiff && input.original.scheme === LANDED ? changedIn(input.original) : undefined;
  }

  /** Close the tabs of an earlier window: their texts are gone. */
  async closeStale(): Promise<void> {
    const stale = allTabs().filter(isLandedTab);
    if (stale.length > 0) {
      await vscode.window.tabGroups.close(stale, true);
    }
  }

  /** Show what a landed change did. */
  async open(record: HistoryRecord): Promise<void> {
    const isWaiting = userWaits();
    const files = record.files.length > 0 ? record.files : await this.fetchTexts(record);
    if (files.length === 0) {
      await this.openPreview(record, isWaiting);
    } else {
      const names = namesOf(record);
      await openAwaited(isWaiting, names, vscode.l10n.t('Show What Changed'), () => openDiffs(vscode.l10n.t('{0} (landed)', names), files.map((file) => this.put(record, file))));
    }
  }

  /** Show how a review's files have changed since it was proposed. */
  async openStale({ proposed: { id }, proposal }: Review): Promise<void> {
    const isWaiting = userWaits();
    const stale = (await Promise.all((proposal?.files ?? []).map(staleOf))).flatMap((one) => one ?? []);
    const sides = (): Sides[] => stale.map(({ file, gone }): Sides => {
      const before = virtualUri(LANDED, `${id}.base`, file.path);
      this.texts.set(before, withEol(file.base_text, file.eol));
      return [before, gone ? virtualUri(LANDED, `${id}.gone`, file.path) : vscode.Uri.parse(file.uri)];
    });
    if (stale.length === 0) {
      notifySame();
    } else {
      const names = fileNames(stale.map(({ file }) => file.path));
      await openAwaited(isWaiting, names, vscode.l10n.t('Show What Changed'), () => openDiffs(vscode.l10n.t('{0} (changed since the proposal)', names), sides()));
    }
  }

  /** Show how files, by path, differ from what they were before the oldest of these changes. */
  async openConflict(paths: readonly string[], ids: readonly string[]): Promise<void> {
    const isWaiting = userWaits();
    const found = (await Promise.all(paths.map((path) => this.fetchBefore(path, new Set(ids))))).flatMap((one) => one ?? []);
    if (found.length === 0) {
      void notify('information', vscode.l10n.t('The texts of this change are no longer available.'));
      return;
    }
    const names = fileNames(found.map(({ path }) => path));
    const sides = found.map(({ path, id, text, uri }): Sides => {
      const before = virtualUri(LANDED, `${id}.conflict`, path);
      this.texts.set(before, text);
      return [before, uri];
    });
    await openAwaited(isWaiting, names, vscode.l10n.t('Show Conflict'), () => openDiffs(vscode.l10n.t('{0} (before ↔ now)', names), sides));
  }

  dispose(): void {
    this.listener.dispose();
  }

  private noteClosed(uri: vscode.Uri): void {
    const id = changeIn(uri);
    if (!allTabs().flatMap(landedIn).some((other) => changeIn(other) === id)) {
      this.shown.delete(id);
    }
  }

  /** Show the server's diff, if its answer had one, for changes whose texts aren't kept here. */
  private async openPreview(record: HistoryRecord, isWaiting: IsWaiting): Promise<void> {
    if (record.preview === '') {
      void notify(
        'information',
        vscode.l10n.t('The texts of this change are no longer available.'),
      );
      return;
    }
    await openAwaited(isWaiting, namesOf(record), vscode.l10n.t('Show What Changed'), () => {
      const uri = virtualUri(LANDED, record.id, withoutMarkup(`${namesOf(record)}.diff`));
      this.texts.set(uri, record.preview);
      return vscode.window.showTextDocument(uri, { preview: true });
    });
  }

  /** The text of a file before the oldest of these changes, and where the file is. */
  private async fetchBefore(path: string, ids: ReadonlySet<string>): Promise<{ path: string; id: string; text: string; uri: vscode.Uri } | undefined> {
    const listed = await this.ask(EditorMethod.userHistory, { path, limit: MOST });
    const id = changesOf(listed.data).findLast(({ change_id: each }) => ids.has(each))?.change_id;
    const uri = uriOf(path);
    if (id === undefined || uri === undefined) {
      return undefined;
    }
    const { data } = await this.ask(EditorMethod.userHistory, { change_id: id, texts: true });
    const file = textsOfHistory(data).find((each) => each.path === path);
    return file && { path, id, text: file.before, uri };
  }

  private async fetchTexts(record: HistoryRecord): Promise<readonly RecordedText[]> {
    const { data } = await this.ask(EditorMethod.userHistory, { change_id: record.id, texts: true });
    return textsOfHistory(data);
  }

  private put(record: HistoryRecord, file: RecordedText): Sides {
    const before = virtualUri(LANDED, `${record.id}.before`, file.path);
    const after = virtualUri(LANDED, `${record.id}.after`, file.path);
    this.shown.set(record.id, record);
    this.texts.set(before, file.before);
    this.texts.set(after, file.after);
    return [before, after];
  }
}

/** The id of the landed change on the right side of a diff. */
function changeIn(uri: vscode.Uri): string {
  return idOf(uri).replace(/\.after$/, '');
}

/** The id of the review whose base, which the file no longer has, is the left side of a diff. */
function changedIn(uri: vscode.Uri): string | undefined {
  return /^(.*)\.base$/.exec(idOf(uri))?.[1];
}

/** The text before and after. */
type Sides = readonly [vscode.Uri, vscode.Uri];

async function openDiffs(name: string, sides: readonly Sides[]): Promise<void> {
  const [only, ...more] = sides;
  const title = withoutMarkup(name); // the list of open editors makes icons of it
  await (only !== undefined && more.length === 0
    ? vscode.commands.executeCommand('vscode.diff', ...only, title, { preview: true, override: true })
    : vscode.commands.executeCommand('vscode.changes', title, sides.map(([before, after]) => [after, before, after])));
}

/** The current text of a file if it differs from the proposal's base; `gone` if the file no longer exists. */
async function staleOf(file: ReviewedFile): Promise<{ file: ReviewedFile; gone: boolean } | undefined> {
  const document = findDocument(file.uri);
  if (document !== undefined) {
    return normalize(document.getText()) === file.base_text ? undefined : { file, gone: false };
  }
  const hash = await hashOf(vscode.Uri.parse(file.uri));
  return hash === file.base_hash ? undefined : { file, gone: hash === null };
}

/** Where a file of the history is in the open folders; with several, its path begins with the folder's name. */
export function uriOf(path: string): vscode.Uri | undefined {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const [only, ...more] = folders;
  if (only === undefined || more.length === 0) {
    return only && vscode.Uri.joinPath(only.uri, path);
  }
  const folder = folders.find(({ name }) => path.startsWith(`${name}/`));
  return folder && vscode.Uri.joinPath(folder.uri, path.slice(folder.name.length + 1));
}
