/**
 * The API that `activate` returns to other extensions: agents' requests, which the user reviews as always, and events
 * about proposals. Nothing here can decide on a proposal. A cancelled request rejects with `vscode.CancellationError`;
 * every other request gets an answer, even if the server isn't running. The README has an example.
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
  /** Increased when something here is removed or changes its meaning. */
  readonly version: 1;

  /** Read a file's text as the editor sees it. */
  read(params: ReadParams, token?: vscode.CancellationToken): Promise<Envelope>;

  /** Create a file or replace all of it. Resolves once the user has decided and the change has landed or failed. */
  write(params: WriteParams, token?: vscode.CancellationToken): Promise<Envelope>;

  /** Replace a unique passage of a file. Resolves like `write`. */
  edit(params: EditParams, token?: vscode.CancellationToken): Promise<Envelope>;

  /** Make several writes and edits as one proposal. Resolves like `write`. */
  batch(params: BatchParams, token?: vscode.CancellationToken): Promise<Envelope>;

  /** A proposal is waiting for the user. */
  readonly onDidPropose: vscode.Event<Proposed>;

  /** A proposal no longer waits. */
  readonly onDidSettle: vscode.Event<Settled>;
}

/** Create the API on top of the server. */
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
