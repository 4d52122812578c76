/** Compares drafts with their files: what the user changed, what of it has landed, and where the file is now. */
import * as vscode from 'vscode';
import type { Draft } from './draftStore';
import { findDocument } from '../proposals/applyEdits';
import type { ReviewedFile } from '../protocol/types';
import { isDecided, type Review } from '../proposals/review';
import { normalize } from '../util/text';
import type { Ended } from '../proposals/settling';

/** The user's version of a file, if `text` differs from what the agent proposed. */
export function draftOf({ proposed }: Review, file: ReviewedFile, text: string | undefined): Draft | undefined {
  if (text === undefined || normalize(text) === file.proposed_text) {
    return undefined;
  }
  return {
    id: proposed.id,
    path: file.path,
    uri: file.uri,
    agent: proposed.agent,
    explanation: proposed.explanation,
    base: file.base_text,
    text: normalize(text),
    at: Date.now(),
    over: false,
  };
}

/** What is left of a draft after its review has ended: the part that is in no file; undefined if there is none. */
export async function leftOf(draft: Draft, { review, outcome, texts, accepted }: Ended): Promise<Draft | undefined> {
  const text = accepted.get(draft.path);
  if (text === undefined) {
    const isDone = isDecided(review) && ['landed', 'editor', 'rejected'].includes(outcome);
    return isDone && review.rejected.get(draft.path) === draft.text ? undefined : draft;
  }
  // A server that stops can't report what it has done, so look at the file.
  if (!texts.has(draft.path) && !(await holds(draft.uri, text))) {
    return draft;
  }
  // What was typed after the decision applies on top of what landed.
  return draft.text === text ? undefined : { ...draft, base: text };
}

/** Whether the file has this text, in the editor or else on disk. */
export async function holds(uri: string, text: string): Promise<boolean> {
  const document = findDocument(uri);
  if (document !== undefined) {
    return normalize(document.getText()) === text;
  }
  return (await textOnDisk(vscode.Uri.parse(uri))) === text;
}

/** Decoded the way the editor opens the file. VS Code before 1.100 doesn't tell: then as UTF-8. */
async function textOnDisk(uri: vscode.Uri): Promise<string | undefined> {
  const { decode } = vscode.workspace as { decode?: (bytes: Uint8Array, options: { uri: vscode.Uri }) => Thenable<string> };
  try {
    const bytes = await vscode.workspace.fs.readFile(uri);
    return normalize(await (decode?.(bytes, { uri }) ?? new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}

/** A draft that starts from the current file: nothing was stored for it, and its proposal is gone. */
export async function draftOfFile(id: string, path: string): Promise<Draft | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const [first, ...below] = path.split('/');
  const named = folders.length > 1 ? folders.find(({ name }) => name === first) : undefined;
  const folder = named ?? folders[0];
  if (folder === undefined) {
    return undefined;
  }
  const uri = vscode.Uri.joinPath(folder.uri, ...(named === undefined ? [path] : below));
  const base = (await textOnDisk(uri)) ?? '';
  return { id, path, uri: uri.toString(), agent: '', explanation: '', base, text: base, at: 0, over: false };
}

/** The file, or an untitled document that becomes the file when saved if it is gone. */
export async function targetOf({ uri: told }: Draft): Promise<vscode.Uri> {
  const uri = vscode.Uri.parse(told);
  const isThere = await Promise.resolve(vscode.workspace.fs.stat(uri)).then(() => true, () => false);
  return isThere ? uri : uri.with({ scheme: 'untitled' });
}
