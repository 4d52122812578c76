/**
 * What becomes of the edits that the server sends by itself: a preview of a proposal is answered "pending",
 * since its review is a diff editor; with the Refactor Preview as the style it is VS Code's to show. What is applied
 * is saved where the document had no unsaved changes, or as the user's setting says.
 */
import * as vscode from 'vscode';
import type { ApplyEdit } from '../client';
import type { Settings } from '../config';
import { findDocument, save } from '../hand';
import { PENDING, type WorkspaceEdit } from '../protocol';
import { Signal } from '../signal';

export class Edits {
  /** How many previews VS Code is showing. */
  previews = 0;
  readonly changed = new Signal<void>();

  constructor(private readonly settings: () => Settings) {}

  readonly apply: ApplyEdit = async (params, next) => {
    const edit = params.edit as WorkspaceEdit;
    const { save: saving, style } = this.settings();
    if (edit.changeAnnotations === undefined) {
      return this.applyAndSave(edit, saving, () => next(params));
    }
    return style === 'diff'
      ? { applied: false, failureReason: PENDING }
      : this.counted(() => this.applyAndSave(edit, saving, () => next(params)));
  };

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
