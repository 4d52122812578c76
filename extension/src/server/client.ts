/**
 * Runs the server process and its connection across restarts. Passes messages on to a `Receiver`; knows nothing about
 * reviews.
 */
import * as vscode from 'vscode';
import {
  ApplyWorkspaceEditRequest,
  CancellationToken,
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
  type NotificationType,
  type RequestType,
} from 'vscode-languageclient/node';
import { SECTION, serverSection, type Limits, type Settings } from './settings';
import { DocumentStates, UnsavedElsewhere } from './documentState';
import { FileEncodingsNotifier } from './fileEncodings';
import { FoundDiagnostics } from './foundDiagnostics';
import type { Convert } from '../proposals/applyEdits';
import { notify, type Severity } from '../util/window';
import type { Envelope, Proposed, Settled, Status } from '../protocol/types';
import {
  CHANGING,
  DocumentStateNotification,
  DiagnosticsRequest,
  FileEncodingsNotification,
  LandingNotification,
  ProposedNotification,
  SettledNotification,
  StatusChangedNotification,
} from '../protocol/requests';
import { ServerProcess, type Command } from './process';
import { QuietClient } from './quietClient';
import { TraceChannel } from './trace';

/** `failed`: the reason, for the user. */
export type ServerState =
  | { kind: 'stopped' | 'starting' | 'running' }
  | { kind: 'failed'; reason: string };

/** Handles an edit that the server asks to apply, until it cancels `token`; `next` does what VS Code would do. */
export type ApplyEdit = (
  params: ApplyWorkspaceEditParams,
  token: vscode.CancellationToken,
  next: () => Promise<ApplyWorkspaceEditResult>,
) => Promise<ApplyWorkspaceEditResult>;

/** Handles what the server reports. */
export interface Receiver {
  proposed(proposed: Proposed): void;
  settled(settled: Settled): void;
  /** Resolves to the title that the user chose; undefined for none. */
  asked(
    severity: Severity,
    message: string,
    titles: readonly string[],
    token: vscode.CancellationToken,
  ): Promise<string | undefined>;
  applyEdit: ApplyEdit;
}

const STOP_MS = 8000; // landings under way finish first

export class Server implements vscode.Disposable {
  private readonly stateChanged = new vscode.EventEmitter<ServerState>();
  readonly onDidChangeState = this.stateChanged.event;
  private readonly crashed = new vscode.EventEmitter<Promise<string>>();
  /** A server ended although nobody stopped it, or failed to start. The promise resolves to how it ended. */
  readonly onDidCrash = this.crashed.event;
  private readonly answered = new vscode.EventEmitter<{ method: string; params: unknown; envelope: Envelope }>();
  /** A request for a change was answered, whoever sent it. */
  readonly onDidAnswer = this.answered.event;
  private readonly statusChanged = new vscode.EventEmitter<void>();
  readonly onDidChangeStatus = this.statusChanged.event;
  /** The server's last status; undefined while it doesn't run. */
  status: Status | undefined;
  /** The server's program: the last one that was started. */
  command: Command = { command: '', args: [], cwd: '' };
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

  /** Start `command`; no server may be running. Rejects if it fails, which is a crash unless it was stopped. */
  async start(command: Command, settings: Settings): Promise<void> {
    this.trace(settings);
    this.command = command;
    const process = new ServerProcess(command, this.channel);
    const client = this.build(process, settings.style === 'refactorPreview');
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

  /** Stop a server that is still starting. */
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

  /** Note the state of the server, or of what comes before its start. */
  become(state: ServerState): void {
    this.current = state;
    this.status = state.kind === 'running' ? this.status : undefined;
    this.stateChanged.fire(state);
  }

  trace(settings: Settings): void {
    this.traces.set(settings.trace);
  }

  /** Send a request. Rejects if the server doesn't run, or with its JSON-RPC error. */
  async request<P, R>(
    type: RequestType<P, R, void>,
    params: P,
    token: vscode.CancellationToken = CancellationToken.None,
  ): Promise<R> {
    if (this.client === undefined) {
      throw new Error(vscode.l10n.t('The agentfs server is not running.'));
    }
    return this.client.sendRequest<R>(type.method, params, token);
  }

  /** Send the current settings. If the server had to ask, it would use the old ones for requests in between. */
  async settingsChanged(): Promise<void> {
    if (this.client?.isRunning() === true) {
      const section = serverSection(vscode.workspace.getConfiguration().get(SECTION), this.limits());
      await this.client.sendNotification(DidChangeConfigurationNotification.type, { settings: { [SECTION]: section } });
    }
  }

  /** Convert an edit from the wire into a VS Code edit. */
  readonly convert: Convert = async (edit) => {
    const converted = await this.client?.protocol2CodeConverter.asWorkspaceEdit(edit);
    return converted ?? new vscode.WorkspaceEdit();
  };

  dispose(): void {
    this.traces.dispose();
  }

  /** `preview`: whether VS Code's Refactor Preview comes before the diff editors for what it can show. */
  private build(process: ServerProcess, preview: boolean): LanguageClient {
    const states = new DocumentStates((state) => send(DocumentStateNotification, state));
    const elsewhere = new UnsavedElsewhere((state) => send(DocumentStateNotification, state));
    const diagnostics = new FoundDiagnostics();
    const encodings = new FileEncodingsNotifier((told) => send(FileEncodingsNotification, told));
    const tellers = [states, elsewhere, encodings, diagnostics];
    const send = <P>(type: NotificationType<P>, params: P): void => {
      void client.sendNotification(type.method, params).catch(() => undefined);
    };
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
          agentfs: { review: true, save: true, diagnostics: true, preview, user_settings: true },
        };
      },
      initialize: () => tellers.forEach((teller) => teller.listen()),
      clear: () => tellers.forEach((teller) => teller.dispose()),
    });
    // This replaces the library's own handler, whose middleware isn't told of a cancellation.
    client.onRequest(ApplyWorkspaceEditRequest.type, (params, token) =>
      this.receiver.applyEdit(params, token, async () => {
        const edit = await client.protocol2CodeConverter.asWorkspaceEdit(params.edit);
        // Don't await anything between this check and the call: the versions may change.
        return { applied: client.validateWorkspaceEdit(params.edit) && (await vscode.workspace.applyEdit(edit)) };
      }),
    );
    // These replace the library's own handlers, which would show the server's texts unescaped.
    client.onNotification(ShowMessageNotification.type, ({ type, message }) => void notify(severityOf(type), message));
    client.onRequest(ShowMessageRequest.type, async ({ type, message, actions = [] }, token) => {
      const titles = actions.map((action) => action.title);
      const title = await this.receiver.asked(severityOf(type), message, titles, token);
      return actions.find((action) => action.title === title) ?? null;
    });
    client.onNotification(LandingNotification, (landing) => diagnostics.landing(landing));
    client.onRequest(DiagnosticsRequest, (params, token) => diagnostics.since(params, token));
    client.onNotification(ProposedNotification, (proposed) => this.receiver.proposed(proposed));
    client.onNotification(SettledNotification, (settled) => this.receiver.settled(settled));
    client.onNotification(StatusChangedNotification, (status) => {
      this.status = status;
      this.statusChanged.fire();
    });
    // Telemetry is only shown: this extension sends nothing to anybody.
    client.onTelemetry((event) => this.channel.info(`Telemetry: ${JSON.stringify(event)}`));
    client.onDidChangeState(({ newState }) => {
      if (this.client === client) {
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

  /** Report a lost server once, and only if it was not stopped. */
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
}

function severityOf(type: MessageType): Severity {
  return type === MessageType.Error ? 'error' : type === MessageType.Warning ? 'warning' : 'information';
}

const STATES: Record<State, ServerState> = {
  [State.Stopped]: { kind: 'stopped' },
  [State.Starting]: { kind: 'starting' },
  [State.StartFailed]: { kind: 'stopped' },
  [State.Running]: { kind: 'running' },
};
