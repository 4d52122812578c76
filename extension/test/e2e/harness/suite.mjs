// What every scenario needs: the one workbench of the run, files, an agent, and a clean desk afterwards.

import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { isDeepStrictEqual } from "node:util";

import { connect } from "./extension.mjs";
import { until, WorkbenchPage } from "./page.mjs";
import { keepEvidence, makeHome, READY, startWorkbench } from "./workbench.mjs";

/** Everything that the run writes is below it. */
export const home = await makeHome();
const workspace = path.join(home, "workspace");

/** No scenario takes longer, an answer that never comes included. */
const LONGEST_MS = 120_000;

/** Filled before the first scenario. @type {Awaited<ReturnType<typeof startWorkbench>>} */
export let workbench;
/** @type {WorkbenchPage} */
export let ui;

before(async () => {
  workbench = await startWorkbench(home);
  ui = new WorkbenchPage(workbench.page);
});
after(() => workbench?.stop());

/** A test that leaves the desk as it found it, and a picture and the log where it failed. */
export function scenario(name, body, longestMs = LONGEST_MS) {
  test(name, async () => {
    try {
      await soon(body(), longestMs);
      assert.deepEqual(await leftStanding(), [], "messages are left standing");
    } catch (error) {
      await keepEvidence(name, home, workbench);
      throw error;
    } finally {
      await clearDesk();
    }
  });
}

/** Reloads the window as a person does; a mere reload of the page would not have the workbench remember its tabs. */
export async function reloadWindow() {
  const { page, sockets } = workbench;
  const gone = page.waitForEvent("domcontentloaded");
  await ui.runCommand("Developer: Reload Window");
  await gone;
  await page.waitForSelector(READY, { timeout: LONGEST_MS });
  workbench.extension.close();
  workbench.extension = await connect(sockets.driver, LONGEST_MS);
}

export const call = async (method, params) => workbench.extension.call(method, params);
export const state = () => call("state");

/** The mode that the server is in. */
export const mode = async () => (await workbench.extension.request("agentfs/status", {}).answer).data.mode;

/**
 * A Python of which `script`, in the language of the shell, runs first where it is to run the server; `$0` is its path.
 * For the setting `agentfs.interpreter`.
 */
export function interpreter(name, script) {
  const python = path.join(home, name);
  writeFileSync(python, `#!/bin/sh\ncase "$*" in *run_server.py*)\n${script}\n;; esac\nexec python3 "$@"\n`);
  chmodSync(python, 0o755);
  return python;
}

/** What the settings were that this scenario has set. */
const changed = new Map();

/** Sets a setting of the user for this scenario. */
export async function set(key, value) {
  const before = await call("settings", { key, value });
  if (!changed.has(key)) changed.set(key, before);
}

/**
 * A file of the workspace. All are made when the scenarios are loaded: the workbench takes a file that changed
 * in the last second and a half for one that changed under its hands.
 * @param {string} name below the workspace
 * @param {string | Buffer} [content] none: the file is not there yet
 */
export function file(name, content) {
  const absolute = path.join(workspace, name);
  if (content !== undefined) {
    mkdirSync(path.dirname(absolute), { recursive: true });
    writeFileSync(absolute, content);
  }
  return {
    name,
    base: path.basename(name),
    path: absolute,
    text: () => readFileSync(absolute, "utf8"),
    bytes: () => readFileSync(absolute),
    change: (to) => writeFileSync(absolute, to),
    open: () => call("open", { path: absolute }),
    /** Types as another extension would: through the open document. */
    type: (text, offset = 0) => call("type", { path: absolute, text, offset }),
    async document() {
      return (await state()).documents.find(({ uri }) => decodeURIComponent(uri) === `file://${absolute}`);
    },
  };
}

/** Opens the review that waits, as a person does: none opens by itself. */
export const openReview = () => workbench.extension.openReview();

/** The same, until its diff is there, with `text` on the right side. */
export async function reviewWith(text) {
  await openReview();
  return ui.diffWith(text);
}

/** Press Accept, which shows all changes beside the review first, with `text` among them, and a message that has `said`. */
export async function acceptShows(said, text) {
  await ui.titleButton("Accept").click();
  await until(said, () => ui.isSaid(said));
  await call("command", { id: "notifications.clearAll" });
  const shown = await ui.plainWith(text);
  assert.equal((await state()).pending.length, 1, "nothing is decided");
  return shown;
}

/** Press Accept again, until that is a moment after all changes were shown. */
export const acceptSeen = () =>
  until("it is accepted", async () => {
    if ((await state()).pending.length === 0) return true;
    await ui.titleButton("Accept").click({ timeout: 500 }); // it may be gone by now
    return false;
  }, { everyMs: 1000 });

/** Both. All that was shown beside the review. */
export async function acceptAfterPlain(said, text) {
  const shown = await acceptShows(said, text);
  await acceptSeen();
  return shown;
}

/** Settings of the workspace while `body` runs. */
export async function inWorkspace(settings, body) {
  const folder = path.join(workspace, ".vscode");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "settings.json"), JSON.stringify(settings));
  const [[key, value]] = Object.entries(settings);
  const counts = async () => isDeepStrictEqual(await call("setting", { key }), value);
  try {
    await until("they count", counts);
    return await body();
  } finally {
    rmSync(folder, { recursive: true });
    await until("they count no more", async () => !(await counts()));
  }
}

/** The text of the one draft of a file, which is thrown away. */
export async function takeDraft(name) {
  await call("command", { id: "agentfs.drafts.focus" });
  await ui.viewRow("Drafts", name).click();
  const shown = async () => (await state()).documents.find(({ uri }) => uri.startsWith("agentfs-draft:") && uri.endsWith(name));
  const { text } = await until("the draft is shown", shown);
  await ui.pressInRow("Drafts", name, "Discard Draft…");
  await ui.answerDialog("Discard");
  await until("it is gone", async () => (await ui.viewRow("Drafts", name).count()) === 0);
  return text;
}

/** The processes of this run's own server, by what they were started with. */
export function servers() {
  const launcher = path.join(home, "extensions");
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const started = commandLine(pid);
      return started.some((part) => part.startsWith(launcher) && part.endsWith("run_server.py"));
    })
    .map(Number);
}

let isKilled = false;

/** Kills the server as a crash does; its process id. The next scenario begins with one that has never crashed. */
export function killServer() {
  const [pid] = servers();
  isKilled = true;
  process.kill(pid, "SIGKILL");
  return pid;
}

function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return []; // it has ended meanwhile
  }
}

const underWay = [];

/** An agent with a session of its own. Its requests are on their way when it returns: wait for `answer`. */
export function agent(session, line = () => workbench.extension) {
  const send = (method, params) => {
    const asked = line().request(`agentfs/${method}`, { session, agent: "Ada", ...params });
    if (line() === workbench.extension) underWay.push(asked);
    return asked;
  };
  return {
    read: (file) => send("read", { path: file.name }).answer,
    write: (file, content, more = {}) => send("write", { path: file.name, content, ...more }),
    edit: (file, before, now, more = {}) =>
      send("edit", { path: file.name, old_string: before, new_string: now, ...more }),
    /** Reads, then asks for the change, as agents do. */
    async readAndEdit(file, before, now, more = {}) {
      await this.read(file);
      return this.edit(file, before, now, more);
    },
  };
}

/** Several changes of a session in one proposal. On its way when this returns. */
export function batch(session, operations, more = {}) {
  const asked = workbench.extension.request("agentfs/batch", { session, agent: "Ada", operations, ...more });
  underWay.push(asked);
  return asked;
}

async function soon(work, longestMs) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not over after ${longestMs} ms`)), longestMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether a message stands on the page that nobody asked for, offers of reviews aside. */
function leftStanding() {
  return workbench.page
    .locator(".notifications-toasts .notification-list-item")
    .filter({ hasNot: workbench.page.getByRole("button", { name: "Review", exact: true }) })
    .locator(".notification-list-item-message")
    .allInnerTexts();
}

async function clearDesk() {
  if (isKilled) await call("command", { id: "agentfs.ui.restart" });
  isKilled = false;
  for (const [key, value] of changed) await call("settings", { key, value });
  changed.clear();
  await workbench.page.keyboard.press("Escape");
  for (const asked of underWay.splice(0)) await asked.cancel().catch(() => {}); // a reload took them
  await until("no proposal is pending", async () => (await state()).pending.length === 0);
  await call("close", { path: "all" });
  await call("command", { id: "notifications.clearAll" });
}
