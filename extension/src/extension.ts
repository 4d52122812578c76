/** Entry point: assembles the parts and starts the server. */
import * as vscode from 'vscode';
import { createApi, type AgentfsApi } from './api';
import { assemble, type Assembled } from './assembly';
import { registerCommands, rehearse } from './commands';
import { keepContextKeys } from './views/contextKeys';
import { DraftsView } from './views/drafts';
import { HistoryView } from './views/history';
import { PendingView } from './views/pending';
import { registerChatTools } from './chatTools';
import { registerMcpServers } from './mcpServers';
import { BASE, DRAFT, LANDED, PROPOSAL } from './review/fileSystem';

let running: Assembled | undefined;

export function activate(context: vscode.ExtensionContext): AgentfsApi {
  const parts = assemble(context);
  running = parts;
  const { version } = context.extension.packageJSON as { version: string };
  parts.server.channel.info(`agentfs ${version} in ${vscode.env.appName} ${vscode.version}`);
  const api = createApi(parts.ask, parts.proposed.event, parts.settled.event);
  context.subscriptions.push(
    ...parts.disposables,
    ...registerTexts(parts),
    new PendingView(parts.proposals, parts.questions, parts.editors, () => parts.outside.otherEditors(), () => parts.walkthrough.tick('views'), parts.sample.onDidSay, () => void parts.rowsMoved.note()),
    new DraftsView(parts.drafts),
    new HistoryView(parts.records, parts.history, parts.checkpointStore),
    keepContextKeys(parts),
    registerCommands(parts),
    registerChatTools(api),
    registerMcpServers(parts.server, parts.lifecycle, version),
  );
  void parts.drafts.load();
  void parts.sample.offerLeftover();
  void parts.connecting.offerAgain();
  void parts.editors.closeStale();
  void parts.historyDiffs.closeStale();
  void parts.lifecycle.restart(rehearse());
  return api;
}

export async function deactivate(): Promise<void> {
  await running?.presence.close(running.drafts.close().then(() => running?.lifecycle.stop()));
}

function registerTexts({ files, bases, draftTexts, landed }: Assembled): vscode.Disposable[] {
  return [
    vscode.workspace.registerFileSystemProvider(PROPOSAL, files, { isCaseSensitive: true }),
    vscode.workspace.registerTextDocumentContentProvider(BASE, bases),
    vscode.workspace.registerTextDocumentContentProvider(DRAFT, draftTexts),
    vscode.workspace.registerTextDocumentContentProvider(LANDED, landed),
  ];
}
