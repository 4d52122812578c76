/** Puts the parts together, and starts. Nothing is done here. */
import * as vscode from 'vscode';
import { apiOver, type AgentfsApi } from './api';
import { assemble, type Assembled } from './assembly';
import { registerCommands, rehearse } from './commands';
import { keepContext } from './features/context';
import { DraftsView } from './features/draftsView';
import { PendingView } from './features/pending';
import { registerTools } from './features/tools';
import { BASE, DRAFT, LANDED, PROPOSAL } from './virtual';

let running: Assembled | undefined;

export function activate(context: vscode.ExtensionContext): AgentfsApi {
  const parts = assemble(context);
  running = parts;
  const { version } = context.extension.packageJSON as { version: string };
  parts.server.channel.info(`agentfs ${version} in ${vscode.env.appName} ${vscode.version}`);
  const api = apiOver(parts.ask, parts.proposed.event, parts.settled.event);
  context.subscriptions.push(
    ...parts.disposables,
    ...registerTexts(parts),
    new PendingView(parts.queue, parts.questions, parts.editors),
    new DraftsView(parts.drafts),
    keepContext(parts.queue, parts.editors, parts.edits, parts.drafts),
    registerCommands(parts),
    registerTools(api),
  );
  void parts.drafts.load();
  void parts.editors.closeStale();
  void parts.changes.closeStale();
  void rehearse();
  void parts.lifecycle.restart();
  return api;
}

export async function deactivate(): Promise<void> {
  await running?.drafts.close();
  await running?.lifecycle.stop();
}

function registerTexts({ files, bases, draftTexts, landed }: Assembled): vscode.Disposable[] {
  return [
    vscode.workspace.registerFileSystemProvider(PROPOSAL, files, { isCaseSensitive: true }),
    vscode.workspace.registerTextDocumentContentProvider(BASE, bases),
    vscode.workspace.registerTextDocumentContentProvider(DRAFT, draftTexts),
    vscode.workspace.registerTextDocumentContentProvider(LANDED, landed),
  ];
}
