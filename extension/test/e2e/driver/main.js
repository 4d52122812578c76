// The tests' hands in the window: JSON lines over a unix socket, `{id, method, params}` answered by `{id, result}` or
// `{id, error}`. Of agentfs it uses what every extension can: its API, the server's commands, the workbench's own API.

const { existsSync, rmSync, writeFileSync } = require("node:fs");
const { createServer } = require("node:net");
const { createInterface } = require("node:readline");
const vscode = require("vscode");

const { commands, extensions, window, workspace } = vscode;
const { AGENTFS_DRIVER_SOCKET: socketPath } = process.env;

/** LSP's RequestCancelled, which the tests know. */
const CANCELLED = -32800;

/** Proposals that wait, as agentfs told of them. */
const pending = new Map();
const underWay = new Map();
let agentfs;
let comments;
let checking;

exports.activate = async (context) => {
  if (!socketPath) return;
  agentfs = await extensions.getExtension("agentfs.agentfs").activate();
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    createInterface({ input: socket }).on("line", async (line) => {
      const reply = await answer(JSON.parse(line));
      if (socket.writable) socket.write(lineOf(reply));
    });
  });
  context.subscriptions.push(
    agentfs.onDidPropose((proposed) => pending.set(proposed.id, { ...proposed, toldAt: Date.now() })),
    agentfs.onDidSettle(({ id }) => pending.delete(id)),
    { dispose: () => server.close() },
    { dispose: () => underWay.forEach((source) => source.cancel()) },
  );
  rmSync(socketPath, { force: true }); // an earlier window's
  server.listen(socketPath);
};

exports.deactivate = () => {};

/** As readline takes it: that ends lines at the separators, too, which JSON holds as they are. */
function lineOf(message) {
  const json = JSON.stringify(message).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
  return `${json}\n`;
}

async function answer({ id, method, params = {} }) {
  try {
    if (!(method in handlers)) throw new Error(`no such method: ${method}`);
    return { id, result: (await handlers[method](params, id)) ?? null };
  } catch (error) {
    const code = error instanceof vscode.CancellationError ? CANCELLED : (error.code ?? null);
    return { id, error: { code, message: error.message ?? String(error) } };
  }
}

const handlers = {
  ping: () => "pong",
  /** Keeps the extension host busy, as other extensions do. */
  block({ ms }) {
    for (const end = Date.now() + ms; Date.now() < end;);
  },
  /** The same until the file is gone. */
  blockWhile({ path }) {
    writeFileSync(`${path}.begun`, "");
    while (existsSync(path));
  },
  async open({ path, preview = false, viewColumn }) {
    // Not by openTextDocument, which keeps documents open when their tabs are gone.
    const uri = fileUri(path);
    await commands.executeCommand("vscode.open", uri, { preview, viewColumn });
    await until(() => workspace.textDocuments.some((one) => one.uri.toString() === uri.toString()));
  },
  /** Loads a file's text without showing it, as other extensions do. */
  load: ({ path }) => workspace.openTextDocument(fileUri(path)).then(() => null),
  async close({ path }) {
    if (path === "all") return closeAll();
    const wanted = fileUri(path).toString();
    await window.tabGroups.close(allTabs().filter((tab) => uriOf(tab) === wanted));
  },
  /** Finds `word` wrong in files whose names end so, a moment after each change, as language servers do; without one, ends that. */
  diagnose({ end, word }) {
    checking?.dispose();
    if (word === undefined) return;
    const found = vscode.languages.createDiagnosticCollection("checker");
    const check = (document) => {
      if (!document.fileName.endsWith(end)) return;
      const wrong = document.getText().split("\n").flatMap((text, line) => {
        if (!text.includes(word)) return [];
        const one = new vscode.Diagnostic(new vscode.Range(line, 0, line, text.length), `“${text}” is wrong`);
        return [Object.assign(one, { source: "checker" })];
      });
      setTimeout(() => found.set(document.uri, wrong), 20);
    };
    const events = [workspace.onDidOpenTextDocument(check), workspace.onDidChangeTextDocument(({ document }) => check(document))];
    checking = vscode.Disposable.from(found, ...events);
  },
  type,
  /** Types, and runs a command before anyone in the extension host can have heard of that. */
  async typeAndRun({ id, ...typed }) {
    const [applied] = await Promise.all([type(typed), commands.executeCommand(id)]);
    return applied;
  },
  /** Runs a command, and `then` before anyone can have seen the review that it opens. */
  async runAndThen({ id, then, args = [] }) {
    const opened = new Promise((resolve) => {
      const listener = window.tabGroups.onDidChangeTabs(() => {
        const { activeTab } = window.tabGroups.activeTabGroup;
        if (!uriOf({ input: activeTab?.input })?.startsWith("agentfs-proposal:")) return;
        listener.dispose();
        resolve(commands.executeCommand(then, ...args));
      });
    });
    await Promise.all([commands.executeCommand(id), opened]);
  },
  save: ({ path }) => documentAt(path).save(),
  rename({ path, to }) {
    const edit = new vscode.WorkspaceEdit();
    edit.renameFile(fileUri(path), fileUri(to));
    return workspace.applyEdit(edit);
  },
  command: ({ id, args = [] }) => commands.executeCommand(id, ...args).then(plain),
  /** An agent's request, as its host sends it: through the API, or by the server's command where that has none. */
  request: ({ method, params }, id) =>
    cancellable(id, (token) => {
      const name = method.replace("agentfs/", "");
      return name in agentfs ? agentfs[name](params, token) : commands.executeCommand(`agentfs.${name}`, params, token);
    }),
  tool: ({ name, input }, id) =>
    cancellable(id, (token) => /** @type {any} */ (vscode.lm).invokeTool(name, { input, toolInvocationToken: undefined }, token)).then(
      plain,
    ),
  cancel({ id }) {
    const source = underWay.get(id);
    source?.cancel();
    return source !== undefined;
  },
  async settings({ key, value }) {
    const settings = workspace.getConfiguration();
    const before = settings.inspect(key)?.globalValue;
    await settings.update(key, value ?? undefined, vscode.ConfigurationTarget.Global);
    return before;
  },
  /** Shows a notification of another extension. */
  notify: ({ text }) => void window.showInformationMessage(text),
  /** Lets the user comment on every line of every document, as extensions for pull requests do. */
  takeComments() {
    comments = vscode.comments.createCommentController("notes", "Notes");
    comments.commentingRangeProvider = {
      provideCommentingRanges: ({ lineCount }) => [new vscode.Range(0, 0, lineCount - 1, 0)],
    };
  },
  takeNoComments: () => comments.dispose(),
  /** What a setting is, wherever it comes from. */
  setting: ({ key }) => workspace.getConfiguration().get(key),
  state: () => ({
    focused: window.state.focused,
    tabs: allTabs().map((tab) => ({
      label: tab.label,
      uri: uriOf(tab),
      original: /** @type {any} */ (tab.input)?.original?.toString() ?? null,
      dirty: tab.isDirty,
      active: tab.isActive && tab.group.isActive,
    })),
    pending: [...pending.values()],
    documents: workspace.textDocuments.map((document) => ({
      uri: document.uri.toString(),
      dirty: document.isDirty,
      version: document.version,
      text: document.getText(),
    })),
  }),
};

/** @template T @param {(token: import("vscode").CancellationToken) => Thenable<T>} work */
async function cancellable(id, work) {
  const source = new vscode.CancellationTokenSource();
  underWay.set(id, source);
  try {
    return await work(source.token);
  } finally {
    underWay.delete(id);
    source.dispose();
  }
}

/** @param {any} what */
function type({ path, text, offset }) {
  const document = documentAt(path);
  const edit = new vscode.WorkspaceEdit();
  edit.insert(document.uri, document.positionAt(offset ?? document.getText().length), text);
  return workspace.applyEdit(edit);
}

/** Every tab, whatever is unsaved in it. */
async function closeAll() {
  for (let rest = allTabs().length; rest > 0; rest -= 1)
    await commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
  await commands.executeCommand("workbench.action.closeAllEditors");
}

async function until(holds) {
  for (const end = Date.now() + 10_000; !holds();) {
    if (Date.now() > end) throw new Error("did not come to be");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function allTabs() {
  return window.tabGroups.all.flatMap((group) => group.tabs);
}

/** The tab's document; of a diff its right side. */
function uriOf({ input }) {
  return (input?.modified ?? input?.uri)?.toString() ?? null;
}

function documentAt(path) {
  const wanted = fileUri(path).toString();
  const document = workspace.textDocuments.find((one) => one.uri.toString() === wanted);
  if (document === undefined) throw new Error(`not open: ${path}`);
  return document;
}

/** A URI, an absolute path, or a path relative to the first workspace folder. */
function fileUri(path) {
  if (/^[a-z][a-z0-9+.-]+:/.test(path)) return vscode.Uri.parse(path, true);
  const folder = workspace.workspaceFolders?.[0];
  return path.startsWith("/") || folder === undefined ? vscode.Uri.file(path) : vscode.Uri.joinPath(folder.uri, path);
}

/** What a command answered, as far as JSON can say it. */
function plain(value) {
  try {
    return JSON.parse(JSON.stringify(value ?? null));
  } catch {
    return null;
  }
}
