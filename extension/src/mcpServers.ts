/** Offers `agentfs-lsp mcp` to VS Code's own agent mode, without any configuration. */
import * as vscode from 'vscode';
import type { Server } from './server/client';
import type { Lifecycle } from './server/lifecycle';
import { SECTION } from './server/settings';
import { withoutMarkup } from './util/display';

/** As in package.json. */
const PROVIDER = 'agentfs.mcp';

interface Provider {
  onDidChangeMcpServerDefinitions: vscode.Event<void>;
  provideMcpServerDefinitions(): Promise<unknown[]>;
}

/** The part of the API that the oldest supported VS Code doesn't have. */
interface McpServers {
  lm?: { registerMcpServerDefinitionProvider?(id: string, provider: Provider): vscode.Disposable };
  McpStdioServerDefinition?: new (
    label: string,
    command: string,
    args: readonly string[],
    env?: Record<string, string>,
    version?: string,
  ) => unknown;
}

/** Register the provider if this VS Code supports it: one server for each folder, while agents can connect. */
export function registerMcpServers(server: Server, lifecycle: Lifecycle, version: string): vscode.Disposable {
  const api = vscode as unknown as McpServers;
  const Definition = api.McpStdioServerDefinition;
  const register = api.lm?.registerMcpServerDefinitionProvider?.bind(api.lm);
  if (Definition === undefined || register === undefined) {
    return new vscode.Disposable(() => undefined);
  }
  const changed = new vscode.EventEmitter<void>();
  const provideMcpServerDefinitions = async (): Promise<unknown[]> => {
    if (vscode.workspace.getConfiguration(SECTION).get('agents.socket') === false || !(await isRunning(lifecycle))) {
      return [];
    }
    const { command, args } = server.command;
    const folders = vscode.workspace.workspaceFolders ?? [];
    return folders.map(({ name, uri }) => {
      const label = folders.length === 1 ? 'agentfs' : `agentfs (${withoutMarkup(name)})`;
      return new Definition(label, command, [...args, 'mcp', '--workspace', uri.fsPath], {}, version);
    });
  };
  return vscode.Disposable.from(
    changed,
    register(PROVIDER, { onDidChangeMcpServerDefinitions: changed.event, provideMcpServerDefinitions }),
    vscode.workspace.onDidChangeWorkspaceFolders(() => changed.fire()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${SECTION}.agents.socket`)) {
        changed.fire();
      }
    }),
    server.onDidChangeState(({ kind }) => {
      if (kind === 'running' || kind === 'failed') {
        changed.fire();
      }
    }),
  );
}

async function isRunning(lifecycle: Lifecycle): Promise<boolean> {
  return lifecycle.running().then(
    () => true,
    () => false,
  );
}
