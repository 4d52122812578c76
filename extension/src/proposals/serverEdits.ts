/**
 * Handles edits that the server sends on its own. The preview of a proposal whose review is a diff editor is answered
 * "pending". VS Code shows the others, of the review style "Refactor Preview", but only when the user asks for them, as
 * they take the focus. Edited documents are saved if they had no unsaved changes, or as the user's setting says.
 */
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { ApplyEdit } from '../server/client';
import type { Settings } from '../server/settings';
import { findDocument, save } from './applyEdits';
import { conflictOf, fileNames } from './notifications';
import { userWaits, type IsWaiting } from '../review/userWaits';
import { notify } from '../util/window';
import { PENDING, type WorkspaceEdit } from '../protocol/types';
import { brief } from '../util/display';
import { fromBytes } from '../util/text';

/** Ends a preview's wait: the user wants to see it, or, without an argument, it was withdrawn, or the server is gone. */
type End = (isWaiting?: IsWaiting) => void;

export class ServerEdits {
  /** How many previews are waiting for the user, or shown by VS Code. */
  previews = 0;
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly waiting = new Set<End>();

  /** `isReviewed`: whether the proposal with this id is reviewed in a diff editor. */
  constructor(
    private readonly settings: () => Settings,
    private readonly isReviewed: (id: string) => boolean,
  ) {}

  readonly apply: ApplyEdit = async (params, token, next) => {
    const edit = params.edit as WorkspaceEdit;
    const { save: saving, style } = this.settings();
    const apply = (): ReturnType<ApplyEdit> => this.applyAndSave(edit, saving, next);
    if (edit.changeAnnotations === undefined) {
      return apply();
    }
    if (style !== 'refactorPreview' || Object.keys(edit.changeAnnotations).some(this.isReviewed)) {
      return { applied: false, failureReason: PENDING };
    }
    this.count(1);
    try {
      const before = await textsOf(edit);
      let offer = vscode.l10n.t('A change is waiting for your review: {0}', brief(params.label ?? '', 200));
      for (let isAgain = false; ; isAgain = true) {
        const isWaiting = await this.untilWanted(offer, token);
        if (isWaiting === undefined) {
          return { applied: false };
        }
        // Reading the texts may take too long every time. What is offered again may open however long it takes.
        const pressed = isAgain ? isWaiting() : undefined;
        // VS Code applies the edits of a closed file, which has no version, to whatever the file now contains.
        const now = await textsOf(edit);
        const moved = [...before.keys()].filter((path) => now.get(path) !== before.get(path));
        if (moved.length > 0) {
          void notify('error', conflictOf(moved));
          return { applied: false };
        }
        const isAwaited = await (pressed ?? isWaiting());
        if (token.isCancellationRequested) {
          return { applied: false };
        }
        if (isAwaited) {
          return await apply();
        }
        offer = vscode.l10n.t('The review of {0} is ready.', fileNames([...before.keys()]));
      }
    } finally {
      this.count(-1);
    }
  };

  /** Show the oldest waiting preview; without one, focus the preview that VS Code shows. */
  open(): void {
    const [end] = this.waiting;
    if (end === undefined) {
      void vscode.commands.executeCommand('refactorPreview.focus');
    } else {
      end(userWaits());
    }
  }

  /** The server is gone, and its previews with it. */
  drop(): void {
    this.waiting.forEach((end) => end());
  }

  private untilWanted(offer: string, token: vscode.CancellationToken): Promise<IsWaiting | undefined> {
    return new Promise((resolve) => {
      const withdrawn = token.onCancellationRequested(() => end());
      const end: End = (isWaiting) => {
        withdrawn.dispose();
        this.waiting.delete(end);
        resolve(isWaiting);
      };
      this.waiting.add(end);
      void notify('information', offer, vscode.l10n.t('Review')).then((chosen) => {
        if (chosen !== undefined && this.waiting.has(end)) {
          end(userWaits());
        } else if (chosen !== undefined && token.isCancellationRequested) {
          void notify('information', vscode.l10n.t('This change is no longer waiting for your review.'));
        }
      });
    });
  }

  private async applyAndSave(
    edit: WorkspaceEdit,
    saving: Settings['save'],
    apply: () => ReturnType<ApplyEdit>,
  ): ReturnType<ApplyEdit> {
    const uris = edit.documentChanges.map(({ textDocument }) => textDocument.uri);
    const toSave = uris.filter((uri) => wantsSave(saving, findDocument(uri)));
    const result = await apply();
    if (!result.applied) {
      return { failureReason: vscode.l10n.t('The editor did not apply the edit.'), ...result };
    }
    await Promise.all(toSave.map(save));
    return result;
  }

  private count(by: 1 | -1): void {
    this.previews += by;
    this.changed.fire();
  }
}

/** The present texts of the files that `edit` changes, by path; undefined for a file that is gone. */
async function textsOf(edit: WorkspaceEdit): Promise<Map<string, string | undefined>> {
  const texts = edit.documentChanges.map(async ({ textDocument: { uri } }) => {
    const { fsPath } = vscode.Uri.parse(uri);
    const text = findDocument(uri)?.getText() ?? (await readFile(fsPath).then(fromBytes, () => undefined));
    return [fsPath, text] as const;
  });
  return new Map(await Promise.all(texts));
}

function wantsSave(saving: Settings['save'], document: vscode.TextDocument | undefined): boolean {
  switch (saving) {
    case 'never':
      return false;
    case 'always':
      return document !== undefined;
    case 'auto':
      return document?.isDirty === false;
  }
}
