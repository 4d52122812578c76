/**
 * A door for the end-to-end tests, open only while AGENTFS_TEST_SOCKET is set: JSON lines over a unix socket,
 * `{id, method, params}` answered by `{id, result}` or `{id, error}`. Never loaded otherwise.
 */
import * as fs from 'node:fs';
import * as net from 'node:net';
import * as readline from 'node:readline';
import * as vscode from 'vscode';

/** What of the running extension the tests may see and use. */
export interface Probe {
  /** A request to the server, as an agent's host sends it. */
  request(method: string, params: unknown, token: vscode.CancellationToken): Promise<unknown>;
  pending(): readonly unknown[];
  /** Whether a press counts, for the review that is in front. */
  takesPresses(): boolean;
  mode(): string;
  /** What the server told last of modes and sessions. */
  status(): unknown;
}

interface Call {
  id: number | string;
  method: string;
  params?: Record<string, unknown>;
}

type Handler = (params: Record<string, unknown>, id: Call['id']) => unknown;

/** Listen until disposed. A socket file that an earlier window left is replaced. */
export function serveTests(socketPath: string, probe: Probe): vscode.Disposable {
  const underWay = new Map<Call['id'], vscode.CancellationTokenSource>();
  const handlers = handlersFor(probe, underWay);
  const server = net.createServer((socket) => {
    socket.on('error', () => socket.destroy());
    readline.createInterface({ input: socket }).on('line', (line) => {
      void answer(handlers, line).then((reply) => {
        if (socket.writable) {
          socket.write(`${JSON.stringify(reply)}\n`);
        }
      });
    });
  });
  fs.rmSync(socketPath, { force: true });
  server.listen(socketPath);
  return new vscode.Disposable(() => {
    underWay.forEach((source) => source.cancel());
    server.close();
  });
}

async function answer(handlers: Record<string, Handler>, line: string): Promise<Record<string, unknown>> {
  let call: Call | undefined;
  try {
    call = JSON.parse(line) as Call;
    const handler = handlers[call.method];
    if (handler === undefined) {
      throw new Error(`no such method: ${call.method}`);
    }
    return { id: call.id, result: (await handler(call.params ?? {}, call.id)) ?? null };
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    return { id: call?.id ?? null, error: { code: code ?? null, message: message ?? String(error) } };
  }
}

function handlersFor(
  probe: Probe,
  underWay: Map<Call['id'], vscode.CancellationTokenSource>,
): Record<string, Handler> {
  return {
    ping: () => 'pong',
    open: async ({ path, preview, viewColumn }) => {
      // Not by openTextDocument, which keeps documents open when their tabs are gone.
      const uri = fileUri(path);
      await vscode.commands.executeCommand('vscode.open', uri, { preview: preview === true, viewColumn });
      await until(() => vscode.workspace.textDocuments.some((one) => one.uri.toString() === uri.toString()));
    },
    close: async ({ path }) => {
      if (path === 'all') {
        await closeAll();
        return;
      }
      const wanted = fileUri(path).toString();
      await vscode.window.tabGroups.close(allTabs().filter((tab) => uriOf(tab) === wanted));
    },
    type: async ({ path, text, offset }) => {
      const document = documentAt(path);
      const at = document.positionAt(typeof offset === 'number' ? offset : document.getText().length);
      const edit = new vscode.WorkspaceEdit();
      edit.insert(document.uri, at, String(text));
      return vscode.workspace.applyEdit(edit);
    },
    save: ({ path }) => documentAt(path).save(),
    command: ({ id, args }) =>
      vscode.commands.executeCommand(String(id), ...(Array.isArray(args) ? (args as unknown[]) : [])).then(plain),
    request: async ({ method, params }, id) => {
      const source = new vscode.CancellationTokenSource();
      underWay.set(id, source);
      try {
        return await probe.request(String(method), params, source.token);
      } finally {
        underWay.delete(id);
        source.dispose();
      }
    },
    tool: ({ name, input }, id) => {
      const source = new vscode.CancellationTokenSource();
      underWay.set(id, source);
      const { lm } = vscode as unknown as { lm: { invokeTool: (...args: unknown[]) => Promise<unknown> } };
      return lm.invokeTool(String(name), { input, toolInvocationToken: undefined }, source.token).then(plain);
    },
    cancel: ({ id }) => {
      const source = underWay.get(id as Call['id']);
      source?.cancel();
      return source !== undefined;
    },
    settings: async ({ key, value }) => {
      const settings = vscode.workspace.getConfiguration();
      const before = settings.inspect(String(key))?.globalValue;
      await settings.update(String(key), value ?? undefined, vscode.ConfigurationTarget.Global);
      return before;
    },
    state: () => stateOf(probe),
  };
}

function stateOf(probe: Probe): Record<string, unknown> {
  return {
    tabs: allTabs().map((tab) => ({
      label: tab.label,
      uri: uriOf(tab),
      original: (tab.input as { original?: vscode.Uri } | undefined)?.original?.toString() ?? null,
      dirty: tab.isDirty,
      active: tab.isActive && tab.group.isActive,
    })),
    pending: probe.pending(),
    takesPresses: probe.takesPresses(),
    mode: probe.mode(),
    status: probe.status() ?? null,
    documents: vscode.workspace.textDocuments.map((document) => ({
      uri: document.uri.toString(),
      dirty: document.isDirty,
      version: document.version,
      text: document.getText(),
    })),
  };
}

/** Every tab, whatever is unsaved in it. */
async function closeAll(): Promise<void> {
  for (let rest = allTabs().length; rest > 0; rest -= 1) {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
}

async function until(holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 10_000; !holds(); ) {
    if (Date.now() > end) {
      throw new Error('did not come to be');
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function allTabs(): readonly vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs);
}

/** The tab's document; of a diff its right side. */
function uriOf(tab: vscode.Tab): string | null {
  const input = tab.input as { uri?: vscode.Uri; modified?: vscode.Uri } | undefined;
  return (input?.modified ?? input?.uri)?.toString() ?? null;
}

function documentAt(path: unknown): vscode.TextDocument {
  const wanted = fileUri(path).toString();
  const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === wanted);
  if (document === undefined) {
    throw new Error(`not open: ${String(path)}`);
  }
  return document;
}

/** A URI, an absolute path, or a path relative to the first workspace folder. */
function fileUri(path: unknown): vscode.Uri {
  const text = String(path);
  if (/^[a-z][a-z0-9+.-]+:/.test(text)) {
    return vscode.Uri.parse(text, true);
  }
  const folder = vscode.workspace.workspaceFolders?.[0];
  return text.startsWith('/') || folder === undefined
    ? vscode.Uri.file(text)
    : vscode.Uri.joinPath(folder.uri, text);
}

/** What a command answered, as far as JSON can say it. */
function plain(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value ?? null)) as unknown;
  } catch {
    return null;
  }
}
