/**
 * Agents' requests from the API, the tools and the commands. They are always answered with an envelope, even without a
 * server, because agents rely on its `text` (docs/protocol.md#3-envelope).
 */
import * as vscode from 'vscode';
import { LSPErrorCodes, RequestType, ResponseError } from 'vscode-languageclient/node';
import { CHANGING } from '../protocol/requests';
import type { Server } from './client';
import type { Lifecycle } from './lifecycle';
import type { Envelope } from '../protocol/types';
import { messageOf } from '../util/display';

/** Send a request to the server once it runs. Rejects only with `vscode.CancellationError`. */
export type Ask = (method: string, params: unknown, token?: vscode.CancellationToken) => Promise<Envelope>;

export function agentRequests(lifecycle: Lifecycle, server: Server): Ask {
  return async (method, params, token) => {
    try {
      await unlessCancelled(lifecycle.running(), token);
    } catch (error) {
      throwIfCancelled(token);
      return failed(params, notRunning(messageOf(error)));
    }
    try {
      return await server.request(new RequestType<unknown, Envelope, void>(method), params, token);
    } catch (error) {
      throwIfCancelled(token);
      server.channel.warn(`${method}: ${messageOf(error)}`);
      if (CHANGING.has(method) && error instanceof ResponseError && error.code === LSPErrorCodes.RequestCancelled) {
        return failed(params, stoppedText());
      }
      return CHANGING.has(method) ? failed(params, outcomeUnknown(), 'unknown') : failed(params, notAnswered());
    }
  };
}

/** Like `promise`, but rejects as soon as `token` is cancelled. */
function unlessCancelled<T>(promise: Promise<T>, token: vscode.CancellationToken | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const listener = token?.onCancellationRequested(() => reject(new vscode.CancellationError()));
    void promise.then(resolve, reject).finally(() => void listener?.dispose());
  });
}

function throwIfCancelled(token: vscode.CancellationToken | undefined): void {
  if (token?.isCancellationRequested === true) {
    throw new vscode.CancellationError();
  }
}

function failed(params: unknown, text: string, landing?: 'unknown'): Envelope {
  return {
    status: 'error',
    data: {},
    text,
    stats: {},
    context: { cwd: '.', params_input: params ?? null, ...(landing === undefined ? {} : { landing }) },
    error: { code: 'EXECUTION_ERROR', message: text },
  };
}

function notRunning(reason: string): string {
  return vscode.l10n.t(
    'The agentfs server is not running: {0} Nothing was read or changed. Ask the user to start it by clicking agentfs in the status bar.',
    reason,
  );
}

/** Says nothing of a restart, as there may be none: the next request waits for it, or says what the user can do. */
function notAnswered(): string {
  return vscode.l10n.t('The agentfs server stopped before it responded. Repeat the request.');
}

/** The server withdrew the change as it was stopped (docs/protocol.md#1-start-and-transport). */
export function stoppedText(): string {
  return vscode.l10n.t('The agentfs server was stopped before the user decided. Nothing was changed. Repeat the request.');
}

function outcomeUnknown(): string {
  return vscode.l10n.t(
    'The agentfs server stopped before it responded. It is not known whether the change is in the file. Read the file, and repeat the request if the change is missing.',
  );
}
