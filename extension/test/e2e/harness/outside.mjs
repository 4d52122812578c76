// Agents in programs of their own: their MCP server is the extension's own server, and their model the test.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";

import { until } from "./page.mjs";
import { home, ui } from "./run.mjs";
import { repository } from "./workbench.mjs";

const running = new Set();

/** Starts the MCP server, as the agent `name`, and waits until it is connected. `call` returns the text of a tool's result. */
export async function outsideAgent(name) {
  const folder = readdirSync(path.join(home, "extensions")).find((one) => one.startsWith("agentfs.agentfs-"));
  const launcher = path.join(home, "extensions", folder, "bundled/run_server.py");
  const env = { ...process.env, XDG_STATE_HOME: path.join(home, "agent-state") };
  const args = ["-I", "-S", launcher, "mcp", "--workspace", path.join(home, "workspace")];
  const server = spawn("python3", args, { env, stdio: ["pipe", "pipe", "inherit"] });
  running.add(server);
  const waiting = new Map();
  let last = 0;
  createInterface({ input: server.stdout }).on("line", (line) => {
    const { id, result, error } = JSON.parse(line);
    const { resolve, reject } = waiting.get(id) ?? {};
    if (error) reject?.(new Error(error.message));
    else resolve?.(result);
  });
  const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const request = (method, params) => {
    const id = ++last;
    const answer = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    answer.catch(() => {}); // whoever waits for it sees it
    send({ id, method, params });
    return answer;
  };
  const clientInfo = { name, version: "1.2.3" };
  await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  send({ method: "notifications/initialized" });
  const call = async (tool, input) => {
    const { content } = await request("tools/call", { name: tool, arguments: input });
    return content.map(({ text }) => text).join("");
  };
  // The editor's server may only just be starting.
  await until("it is connected", async () => {
    await call("status", {});
    return ui.statusSays(`Agents outside VS Code: ${running.size}.`);
  }, { everyMs: 250 });
  return { call, stop: () => end(server) };
}

/** Starts Codex itself, with the settings that are in the workspace. `call` returns what its model is told. */
export function connectedCodex() {
  const env = { ...process.env, PYTHONPATH: path.join(repository, "tests") };
  const args = ["-m", "support.connected_codex", path.join(home, "workspace")];
  const codex = spawn(path.join(repository, ".venv/bin/python"), args, { env, stdio: ["pipe", "pipe", "inherit"] });
  running.add(codex);
  const lines = createInterface({ input: codex.stdout })[Symbol.asyncIterator]();
  const call = async (tool, input) => {
    codex.stdin.write(`${JSON.stringify({ tool, arguments: input })}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error("Codex has ended.");
    return JSON.parse(value);
  };
  return { call, stop: () => end(codex) };
}

/** A reviewer beside the editor, which the user allows there; `accept` accepts the change that waits. */
export async function otherReviewer() {
  const env = { ...process.env, XDG_RUNTIME_DIR: path.join(home, "run"), PYTHONPATH: path.join(repository, "server") };
  const script = path.join(import.meta.dirname, "other_reviewer.py");
  const args = [script, path.join(home, "workspace")];
  const reviewer = spawn(path.join(repository, ".venv/bin/python"), args, { env, stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: reviewer.stdout })[Symbol.asyncIterator]();
  const allowed = lines.next();
  let isAllowed = false;
  void allowed.then(() => (isAllowed = true));
  await until("it is allowed", async () => {
    if (isAllowed) return true;
    await ui.page.locator(".notifications-toasts").getByRole("button", { name: "Allow", exact: true }).click({ timeout: 500 });
    return false;
  }, { everyMs: 1200 });
  return {
    async accept() {
      reviewer.stdin.write("\n");
      await lines.next();
    },
    async stop() {
      reviewer.stdin.end();
      await once(reviewer, "exit");
    },
  };
}

/** Ends those that this scenario has left. */
export async function stopOutsideAgents() {
  await Promise.all([...running].map(end));
}

async function end(server) {
  running.delete(server);
  server.stdin.end();
  if (server.exitCode === null) await once(server, "exit");
  const others = () => ui.statusSays(running.size === 0 ? "Agents outside VS Code" : `Agents outside VS Code: ${running.size}.`);
  await until("it is no longer connected", async () => (await others()) === running.size > 0);
}
