/** Offers to save accepted changes that wait in the editor, unsaved. */
import * as vscode from 'vscode';
import { findDocument, followChange, saveWritable } from './applyEdits';
import type { ProposedFile, SavedFile } from '../protocol/types';
import type { Review } from './review';
import { namesOf } from './notifications';
import { userWaits } from '../review/userWaits';
import { normalize } from '../util/text';
import { notify } from '../util/window';

/** The server stopped during a landing: offer to save `accepted` texts, by path, that are unsaved in the editor. */
export function notifyUnsavedLanding(review: Review, accepted: ReadonlyMap<string, string>): void {
  const waiting = review.proposed.files.filter(({ path, uri }) => {
    const document = findDocument(uri);
    return document?.isDirty === true && normalize(document.getText()) === accepted.get(path);
  });
  void offerToSave(review, waiting, []);
}

/** The files at `paths` landed only in the editor; offer to save them. `failed`: those that it could not save. */
export function notifyNotSaved(review: Review, paths: readonly string[], failed: readonly SavedFile[]): void {
  const inEditor = review.proposed.files.filter(({ path }) => paths.includes(path));
  const waiting = inEditor.filter(
    (file) => (findDocument(file.uri)?.isDirty === true || isAmong(file.uri, failed)) && !isUndone(review, file),
  );
  void offerToSave(review, waiting, failed);
}

/** Whether the user has taken the change back before its outcome was reported. */
function isUndone({ proposal }: Review, { path, uri }: ProposedFile): boolean {
  const file = proposal?.files.find((one) => one.path === path);
  const now = findDocument(uri)?.getText();
  return file !== undefined && file.base_text !== file.proposed_text && now !== undefined && normalize(now) === file.base_text;
}

function isAmong(uri: string, files: readonly SavedFile[]): boolean {
  const wanted = vscode.Uri.parse(uri).toString();
  return files.some((file) => vscode.Uri.parse(file.uri).toString() === wanted);
}

/** Offer to save `files`, once more if saving them `failed`. Name those that no longer have the change by then. */
async function offerToSave(review: Review, files: readonly ProposedFile[], failed: readonly SavedFile[]): Promise<void> {
  if (files.length === 0) {
    return;
  }
  const baseOf = (path: string): string | undefined => review.proposal?.files.find((file) => file.path === path)?.base_text;
  const offered = files.map(({ path, uri }) => ({ path, uri, change: followChange(uri, baseOf(path)) }));
  const said = [vscode.l10n.t('The change of {0} is in the editor, but not saved.', namesOf(files)), ...failed.flatMap(({ reason }) => reason ?? [])];
  const button = vscode.l10n.t('Save');
  const chosen = await notify('warning', said.join(' '), button);
  const ended = offered.map(({ change, ...file }) => ({ ...file, became: change() }));
  if (chosen !== button) {
    return;
  }
  const pressed = ended.map((file) => ({ ...file, isWaiting: userWaits() }));
  const lost = pressed.filter(({ became }) => became === 'lost');
  if (lost.length > 0) {
    const text = vscode.l10n.t('The change of {0} was not saved. It was undone, or the file was closed, reverted, or renamed in the editor.', namesOf(lost));
    void notify('warning', text);
  }
  const stuck: SavedFile[] = [];
  for (const { uri, isWaiting } of pressed.filter(({ became }) => became === 'unsaved')) {
    const saved = await saveWritable(uri, isWaiting);
    if (!saved.saved) {
      stuck.push(saved);
    }
  }
  await offerToSave(review, files.filter(({ uri }) => isAmong(uri, stuck)), stuck);
}
