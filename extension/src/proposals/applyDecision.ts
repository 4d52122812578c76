/**
 * Carries out a decision in the steps of docs/protocol.md#91-review-clients: settle, apply, save. The server decides
 * what happens; this module follows its answers.
 */
import * as vscode from 'vscode';
import type { Server } from '../server/client';
import { applyEdits, findDocument, save } from './applyEdits';
import { runOnAccept } from './codeActions';
import { notify } from '../util/window';
import { pathNow } from './notifications';
import { AppliedRequest, SavedRequest, SettleRequest } from '../protocol/requests';
import type { Refusal, SavedFile, SettleParams, WorkspaceEdit } from '../protocol/types';
import type { Review } from './review';
import { normalize } from '../util/text';

export interface Progress {
  /** The server has taken the decision. */
  readonly taken: () => void;
  /** Receives the documents that could not be saved, before the server is told. */
  readonly notSaved: (files: readonly SavedFile[]) => void;
}

/** The server's refusal; undefined if the decision was carried out. The server then reports the outcome itself. */
export async function applyDecision(
  server: Server,
  decision: SettleParams,
  progress: Progress,
): Promise<Refusal | undefined> {
  const answer = await server.request(SettleRequest, decision);
  if (!answer.ok) {
    return answer;
  }
  progress.taken();
  return answer.apply === null ? undefined : land(server, decision.id, answer.apply, progress);
}

async function land(
  server: Server,
  id: string,
  edit: WorkspaceEdit,
  { notSaved }: Progress,
): Promise<Refusal | undefined> {
  const files = await applyEdits(edit, server.convert);
  const answer = await server.request(AppliedRequest, { id, files });
  if (!answer.ok) {
    if ('revert' in answer && answer.revert !== null) {
      await takeBack(server, answer.revert);
    }
    return answer;
  }
  if (answer.save.length > 0) {
    const saved = await Promise.all(answer.save.map(formatAndSave));
    notSaved(saved.filter((file) => !file.saved));
    await server.request(SavedRequest, { id, files: saved });
  }
  return undefined;
}

async function formatAndSave(uri: string): Promise<SavedFile> {
  await runOnAccept(uri);
  return save(uri);
}

async function takeBack(server: Server, edit: WorkspaceEdit): Promise<void> {
  const stuck = (await applyEdits(edit, server.convert)).filter((file) => !file.applied);
  if (stuck.length > 0) {
    const names = stuck.map(pathNow);
    void notify(
      'error',
      vscode.l10n.t('The applied edits in {0} could not be reverted. Undo them in the editor.', names.join(', ')),
    );
  }
}

/** The accepted texts of the files that landed; of open documents the current text, as formatters may have run. */
export function landedTexts(
  { proposed }: Review,
  texts: ReadonlyMap<string, string>,
  paths: readonly string[],
): Map<string, string> {
  const landed = new Map([...texts].filter(([path]) => paths.includes(path)));
  for (const { path, uri, version } of proposed.files) {
    const document = version === null ? undefined : findDocument(uri);
    if (landed.has(path) && document !== undefined) {
      landed.set(path, normalize(document.getText()));
    }
  }
  return landed;
}
