/**
 * What other extensions get from `activate`: agents' requests, with the user's review in between, and word of
 * proposals. Nothing here can decide about one. A cancelled request rejects with `vscode.CancellationError`; every other
 * one is answered, also where the server does not run. The README has an example.
 */
import type * as vscode from 'vscode';
import {
  AgentMethod,
  type BatchParams,
  type EditParams,
  type Envelope,
  type Proposed,
  type ReadParams,
  type Settled,
  type WriteParams,
} from './protocol/types';
import type { Ask } from './server/agentRequests';

export type { BatchParams, EditParams, Envelope, Proposed, ReadParams, Settled, WriteParams };

export interface AgentfsApi {
  /** Grows when something that is here now goes or changes its meaning. */
  readonly version: 1;

  /** Text of a file, as the editor sees it. */
  read(params: ReadParams, token?: vscode.CancellationToken): Promise<Envelope>;

  /** Create a file or replace it whole. Resolves when the user has decided, and the change has landed or not. */
  write(params: WriteParams, token?: vscode.CancellationToken): Promise<Envelope>;

  /** Replace a unique piece of a file. Resolves as `write` does. */
  edit(params: EditParams, token?: vscode.CancellationToken): Promise<Envelope>;

  /** Several writes and edits as one proposal. Resolves as `write` does. */
  batch(params: BatchParams, token?: vscode.CancellationToken): Promise<Envelope>;

  /** A change waits for the user. */
  readonly onDidPropose: vscode.Event<Proposed>;

  /** It waits no more. */
  readonly onDidSettle: vscode.Event<Settled>;
}

/** The API over the server. */
export function createApi(
  ask: Ask,
  onDidPropose: vscode.Event<Proposed>,
  onDidSettle: vscode.Event<Settled>,
): AgentfsApi {
  return {
    version: 1,
    read: (params, token) => ask(AgentMethod.read, params, token),
    write: (params, token) => ask(AgentMethod.write, params, token),
    edit: (params, token) => ask(AgentMethod.edit, params, token),
    batch: (params, token) => ask(AgentMethod.batch, params, token),
    onDidPropose,
    onDidSettle,
  };
}
