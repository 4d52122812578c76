/**
 * What becomes of the edits that the server sends by itself: a preview of a proposal is answered "pending",
 * since its review is a diff editor; with the Refactor Preview as the style it is VS Code's to show, once the user wants
 * it: the preview takes the focus. What is applied is saved where the document had no unsaved changes, or as the user's setting says.
 */
import * as vscode from 'vscode';
import type { ApplyEdit } from '../server/client';
import type { Settings } from '../server/settings';
import { findDocument, save } from './applyEdits';
import { notify } from '../util/window';
import { PENDING, type WorkspaceEdit } from '../protocol/types';
import { brief } from '../util/display';

/** Ends the waiting of a preview: whether the user wants it, or its server is gone. */
type End = (wanted: boolean) => void;

export class ServerEdits {
  /** How many previews wait for the user, or are shown by VS Code. */
  previews = 0;
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly waiting = new Set<End>();

  constructor(private readonly settings: () => Settings) {}

  readonly apply: ApplyEdit = async (params, next) => {
    const edit = params.edit as WorkspaceEdit;
    const { save: saving, style } = this.settings();
    if (edit.changeAnnotations === undefined) {
      return this.applyAndSave(edit, saving, () => next(params));
    }
    return style === 'diff'
      ? { applied: false, failureReason: PENDING }
      : this.counted(async () =>
          (await this.isWanted(params.label ?? ''))
            ? this.applyAndSave(edit, saving, () => next(params))
            : { applied: false },
        );
  };

  /** Show the preview that has waited longest; with none left, go to the one that VS Code shows. */
  open(): void {
    const [end] = this.waiting;
    if (end === undefined) {
      void vscode.commands.executeCommand('refactorPreview.focus');
    } else {
      end(true);
    }
  }

  /** The server is gone: what it asked for is asked no more. */
  drop(): void {
    this.waiting.forEach((end) => end(false));
  }

  private isWanted(label: string): Promise<boolean> {
    return new Promise((resolve) => {
      const end: End = (wanted) => {
        this.waiting.delete(end);
        resolve(wanted);
      };
      this.waiting.add(end);
      const text = vscode.l10n.t('A change is waiting for your review: {0}', brief(label, 200));
      void notify('information', text, vscode.l10n.t('Review')).then((chosen) => {
        if (chosen !== undefined && this.waiting.has(end)) {
          end(true);
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

  private async counted<T>(shown: () => Promise<T>): Promise<T> {
    this.count(1);
    try {
      return await shown();
    } finally {
      this.count(-1);
    }
  }

  private count(by: 1 | -1): void {
    this.previews += by;
    this.changed.fire();
  }
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
