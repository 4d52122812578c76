// Another extension in the window, in two parts. A language client that knows nothing of reviews: agentfs has to make
// do with what the workbench has by itself; its server starts with the first request that comes over the test's
// socket. And a user of agentfs' API.

const { createServer } = require("node:net");
const { createInterface } = require("node:readline");
const { commands, extensions, languages, scm, Uri, window, WorkspaceEdit } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const { AGENTFS_PLAIN_SOCKET: socketPath, AGENTFS_PLAIN_LIBRARIES: libraries } = process.env;

// The section `agentfs` is the extension's in this window, its own keys included.
const NO_SETTINGS = {
  configuration: ({ items }) => items.map(() => null),
  didChangeConfiguration: async () => {},
};

class PlainClient extends LanguageClient {
  /**
   * The server's commands are registered once in a window, and agentfs' own client has done so.
   * @override
   */
  registerFeature(feature) {
    if (feature.registrationType?.method !== "workspace/executeCommand") super.registerFeature(feature);
  }
}

exports.activate = (context) => {
  if (!socketPath) return;
  let started;
  const client = () => (started ??= start());
  const listener = createServer((socket) => {
    createInterface({ input: socket }).on("line", async (line) => {
      const { id, method, params } = JSON.parse(line);
      const answer = await serve(client, method, params).then(
        (result) => ({ id, result: result ?? null }),
        (error) => ({ id, error: { code: error.code, message: String(error.message ?? error) } }),
      );
      socket.write(`${JSON.stringify(answer)}\n`);
    });
  });
  require("node:fs").rmSync(socketPath, { force: true });
  listener.listen(socketPath);
  context.subscriptions.push({ dispose: () => listener.close() });
};

exports.deactivate = () => {};

async function start() {
  const env = { ...process.env, PYTHONPATH: libraries, PYTHONSAFEPATH: "1" };
  const server = { command: "python3", args: ["-m", "agentfs_lsp"], options: { env } };
  const client = new PlainClient("plain", "Plain client", server, {
    documentSelector: [{ scheme: "file" }],
    middleware: { workspace: NO_SETTINGS },
  });
  await client.start();
  return client;
}

/** What other extensions put in front of people to type into: the message of a commit, and a symbol's new name. */
let sourceControl;
function offerInputs() {
  sourceControl ??= scm.createSourceControl("plain", "Plain");
  languages.registerRenameProvider(
    { language: "plaintext" },
    { provideRenameEdits: () => new WorkspaceEdit() },
  );
}

const heard = [];
let exported;

/** What agentfs exports; from the first use on its events are kept. */
function agentfs() {
  return (exported ??= extensions
    .getExtension("agentfs.agentfs")
    .activate()
    .then((api) => {
      api.onDidPropose(({ id, title }) => heard.push({ proposed: id, title }));
      api.onDidSettle(({ id, outcome }) => heard.push({ settled: id, outcome }));
      return api;
    }));
}

async function serve(client, method, params) {
  switch (method) {
    case "ping":
      return "pong";
    case "request":
      return (await client()).sendRequest(params.method, params.params);
    case "api":
      return (await agentfs())[params.method](params.params);
    case "heard":
      return heard;
    case "offerInputs":
      return offerInputs();
    case "commitMessage":
      return sourceControl.inputBox.value;
    case "ask":
      return window.showInputBox({ title: params.title, ignoreFocusOut: params.stays });
    case "diff": // nothing but the workbench's own diff editor, to measure against
      return commands.executeCommand("vscode.diff", Uri.file(params.left), Uri.file(params.right), params.title);
    default:
      throw new Error(`unknown method ${method}`);
  }
}
