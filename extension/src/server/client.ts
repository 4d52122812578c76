/**
 * The server's process and the connection to it, over all of its lives. What its messages mean is told to a
 * `Receiver`; nothing of a review is known here.
 */
import * as vscode from 'vscode';
import {
  CloseAction,
  DidChangeConfigurationNotification,
  ErrorAction,
  type LanguageClient,
  MessageType,
  RevealOutputChannelOn,
  ShowMessageNotification,
  ShowMessageRequest,
  State,
  type ApplyWorkspaceEditParams,
  type ApplyWorkspaceEditResult,
  type LanguageClientOptions,
  type Middleware,
} from 'vscode-languageclient/node';
import { SECTION, serverSection, type Limits, type Settings } from './settings';
import { DocumentStates } from './documentState';
import { FileEncodingsNotifier } from './fileEncodings';
import type { Convert } from '../proposals/applyEdits';
import { notify, type Severity } from '../util/window';
import { AgentMethod, EditorMethod, Notification, type Envelope, type Proposed, type Settled, type Status } from '../protocol/types';
import { ServerProcess, type Command } from './process';
import { QuietClient } from './quietClient';
import { Signal } from '../util/signal';
import { TraceChannel } from './trace';

/** `failed` carries what the user should know. */
export type ServerState =
  | { kind: 'stopped' | 'starting' | 'running' }
  | { kind: 'failed'; reason: string };

/** A preview that the server sends to be applied, with what VS Code itself would do about it. */
export type ApplyEdit = (
  params: ApplyWorkspaceEditParams,
  next: (params: ApplyWorkspaceEditParams) => Promise<ApplyWorkspaceEditResult>,
) => Promise<ApplyWorkspaceEditResult>;

/** Whoever acts on what the server tells. */
export interface Receiver {
  proposed(proposed: Proposed): void;
  settled(settled: Settled): void;
  status(status: Status): void;
  /** The title chosen of a question's, undefined for none. */
  asked(
    severity: Severity,
    message: string,
    titles: readonly string[],
    token: vscode.CancellationToken,
  ): Promise<string | undefined>;
  applyEdit: ApplyEdit;
}

const STOP_MS = 8000; // landings under way are finished first

/** Requests for changes; what they answer is what landed. */
export const CHANGING: ReadonlySet<string> = new Set([
  AgentMethod.write,
  AgentMethod.edit,
  AgentMethod.batch,
  AgentMethod.undo,
  AgentMethod.call,
  EditorMethod.userUndo,
]);

export class Server implements vscode.Disposable {
  readonly stateChanged = new Signal<ServerState>();
  /** A server is gone that nobody had stopped, or has not come to run. Resolves to how it ended. */
  readonly crashed = new Signal<Promise<string>>();
  /** A change that somebody asked for was answered, whoever sent the request. */
  readonly answered = new Signal<{ method: string; params: unknown; envelope: Envelope }>();
  /** The methods this server serves; empty until it runs. */
  methods: ReadonlySet<string> = new Set();
  /** Whether this server has been told that reviews are shown here. */
  reviews = false;
  private client: LanguageClient | undefined;
  private process: ServerProcess | undefined;
  private current: ServerState = { kind: 'stopped' };
  private readonly traces: TraceChannel;

  constructor(
    readonly channel: vscode.LogOutputChannel,
    private readonly receiver: Receiver,
    private readonly limits: () => Limits,
  ) {
    this.traces = new TraceChannel(channel);
  }

  get state(): ServerState {
    return this.current;
  }

  /** Start `command`, where none runs. Rejects where it did not start, which is a crash unless it was stopped. */
  async start(command: Command, settings: Settings): Promise<void> {
    this.trace(settings);
    this.reviews = settings.style === 'diff';
    const process = new ServerProcess(command, this.channel);
    const client = this.build(process);
    this.client = client;
    this.process = process;
    this.become({ kind: 'starting' });
    try {
      await client.start();
      this.channel.info(`Connected to agentfs-lsp ${client.initializeResult?.serverInfo?.version ?? ''}`);
    } catch (error) {
      this.lost(client, process);
      throw error;
    }
  }

  /** What runs the server is being looked for. */
  prepare(): void {
    this.become({ kind: 'starting' });
  }

  /** There is no server, and why. */
  fail(reason: string): void {
    this.become({ kind: 'failed', reason });
  }

  /** Stop a server that has not come to run yet. */
  async abandonStart(): Promise<void> {
    if (this.client !== undefined && this.current.kind === 'starting') {
      await this.stop();
    }
  }

  async stop(): Promise<void> {
    const { client, process } = this;
    this.client = undefined;
    this.process = undefined;
    process?.expectEnd();
    if (client?.isRunning() === true) {
      await client.stop(STOP_MS).catch((error: unknown) => this.channel.warn(String(error)));
    }
    process?.end();
    await client?.dispose().catch(() => undefined);
    this.become({ kind: 'stopped' });
  }

  trace(settings: Settings): void {
    this.traces.set(settings.trace);
  }

  /** The first of these methods that this server serves. */
  served(...methods: string[]): string | undefined {
    return methods.find((method) => this.methods.has(method));
  }

  /** Ask the server. Rejects where it does not run, and with the server's JSON-RPC errors. */
  async request<R>(method: string, params: unknown, token?: vscode.CancellationToken): Promise<R> {
    if (this.client === undefined) {
      throw new Error(vscode.l10n.t('The agentfs server is not running.'));
    }
    return token === undefined
      ? this.client.sendRequest<R>(method, params)
      : this.client.sendRequest<R>(method, params, token);
  }

  /** Tell it its settings as they are now. If it had to ask for them, requests in between would go by the old ones. */
  async settingsChanged(): Promise<void> {
    if (this.client?.isRunning() === true) {
      const section = serverSection(vscode.workspace.getConfiguration().get(SECTION), this.limits());
      await this.client.sendNotification(DidChangeConfigurationNotification.type, { settings: { [SECTION]: section } });
    }
  }

  /** The wire's edits as the editor's. */
  readonly convert: Convert = async (edit) => {
    const converted = await this.client?.protocol2CodeConverter.asWorkspaceEdit(edit);
    return converted ?? new vscode.WorkspaceEdit();
  };

  dispose(): void {
    this.traces.dispose();
  }

  private build(process: ServerProcess): LanguageClient {
    const send = (method: string, told: object): void => {
      void client.sendNotification(method, told).catch(() => undefined);
    };
    const states = new DocumentStates(send);
    const tellers = [states, new FileEncodingsNotifier(send)];
    const options: LanguageClientOptions = {
      documentSelector: [{ scheme: 'file' }],
      outputChannel: this.channel,
      traceOutputChannel: this.traces,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => ({ action: CloseAction.DoNotRestart, handled: true, message: 'The connection is closed.' }),
      },
      middleware: this.middleware(states),
    };
    const client = new QuietClient(SECTION, 'agentfs', () => process.start(), options);
    client.registerFeature({
      getState: () => ({ kind: 'static' }),
      fillClientCapabilities: (capabilities) => {
        capabilities.experimental = {
          ...(capabilities.experimental as object | undefined),
          agentfs: { review: this.reviews, save: true },
        };
      },
      initialize: () => tellers.forEach((teller) => teller.listen()),
      clear: () => tellers.forEach((teller) => teller.dispose()),
    });
    // In place of the library's own, which pass the server's texts on as they are.
    client.onNotification(ShowMessageNotification.type, ({ type, message }) => void notify(severityOf(type), message));
    client.onRequest(ShowMessageRequest.type, async ({ type, message, actions = [] }, token) => {
      const titles = actions.map((action) => action.title);
      const title = await this.receiver.asked(severityOf(type), message, titles, token);
      return actions.find((action) => action.title === title) ?? null;
    });
    client.onNotification(Notification.proposed, (told: Proposed) => this.receiver.proposed(told));
    client.onNotification(Notification.settled, (told: Settled) => this.receiver.settled(told));
    client.onNotification(Notification.statusChanged, (told: Status) => this.receiver.status(told));
    client.onDidChangeState(({ newState }) => {
      if (this.client === client) {
        this.methods = methodsOf(client);
        this.become(STATES[newState]);
        if (newState === State.Stopped) {
          this.lost(client, process);
        }
      }
    });
    return client;
  }

  private middleware(states: DocumentStates): Middleware {
    return {
      didOpen: async (document, next) => {
        await next(document);
        states.opened(document);
      },
      workspace: {
        configuration: async (params, token, next) => {
          const answers = await next(params, token);
          return Array.isArray(answers) ? answers.map((section) => serverSection(section, this.limits())) : answers;
        },
        didChangeConfiguration: () => this.settingsChanged(),
        handleApplyEdit: (params, next) =>
          this.receiver.applyEdit(params, async (unchanged) => {
            const result = await next(unchanged, new vscode.CancellationTokenSource().token);
            return result as ApplyWorkspaceEditResult;
          }),
      },
      sendRequest: async (type, params, token, next) => {
        const result = await next(type, params, token);
        const method = typeof type === 'string' ? type : type.method;
        if (CHANGING.has(method)) {
          this.answered.fire({ method, params, envelope: result as Envelope });
        }
        return result;
      },
    };
  }

  /** It is told once, and of none that was stopped. */
  private lost(client: LanguageClient, process: ServerProcess): void {
    if (this.client !== client) {
      return;
    }
    this.client = undefined;
    process.end();
    void client.dispose().catch(() => undefined);
    this.become({ kind: 'stopped' });
    this.crashed.fire(process.ended);
  }

  private become(state: ServerState): void {
    this.current = state;
    this.stateChanged.fire(state);
  }
}

function severityOf(type: MessageType): Severity {
  return type === MessageType.Error ? 'error' : type === MessageType.Warning ? 'warning' : 'information';
}

/** What the server said at its start that it serves. */
function methodsOf({ initializeResult }: LanguageClient): ReadonlySet<string> {
  const experimental = initializeResult?.capabilities.experimental as Experimental | undefined;
  return new Set(experimental?.agentfs?.methods);
}

interface Experimental {
  agentfs?: { methods?: string[] };
}

const STATES: Record<State, ServerState> = {
  [State.Stopped]: { kind: 'stopped' },
  [State.Starting]: { kind: 'starting' },
  [State.StartFailed]: { kind: 'stopped' },
  [State.Running]: { kind: 'running' },
};
