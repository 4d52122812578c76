// How the user connects an agent: to a change of its settings that is reviewed, and to what remains to be done.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";

import { file } from "../harness/files.mjs";
import { outsideAgent } from "../harness/outside.mjs";
import { until } from "../harness/page.mjs";
import { reviewWith } from "../harness/reviews.mjs";
import { call, home, reloadWindow, ui } from "../harness/run.mjs";
import { servers } from "../harness/server.mjs";
import { set } from "../harness/settings.mjs";
import { scenario } from "../harness/suite.mjs";

const says = (text) => until(text, () => ui.isSaid(text));
const clear = () => call("command", { id: "notifications.clearAll" });

async function choose(program) {
  await ui.runCommand("agentfs: Connect an Agent…");
  await (await ui.requestedRow(program)).click();
}

const [configuration, permissions] = [".mcp.json", ".claude/settings.json"].map((name) => file(name));

scenario("Connect an Agent opens the review of the change of its settings, and says what remains to be done", async () => {
  await choose(".claude/settings.json");
  await ui.requestedSeveral("mcpServers");
  await ui.tabsAre("Connect Claude Code (2 files)");
  await call("command", { id: "agentfs.ui.showPending" });
  const row = ui.viewRow("Pending", "Connect Claude Code");
  assert.match(await row.first().innerText(), /2 files/);
  assert.equal(await ui.viewRow("Pending", "agentfs-lsp").count(), 0, "nothing is said of the command that does it");
  assert.equal(existsSync(configuration.path), false);
  await ui.pressTitle("Accept");
  const done = "Claude Code is set up. Start a new session of it. It can still change files without a review, with its own tools.";
  await says(done);
  assert.equal(await ui.isSaid("--only"), false);
  const { command, args } = JSON.parse(configuration.text()).mcpServers.agentfs;
  assert.match(command, /python/);
  assert.equal(args.at(-1), "mcp");
  assert.equal(JSON.parse(permissions.text()).permissions.deny, undefined);

  await ui.pressInMessage(done, "Show Connected Agents");
  const set = "No agents outside VS Code are connected. Claude Code is set up in this folder: start a new session of it.";
  await ui.offers(set, "Connect an Agent…");
  await ui.pressInMessage(set, "Review Only Through agentfs…");
  await ui.requestedReview("NotebookEdit");
  await ui.tabsAre("settings.json (Deny Claude Code’s Own Tools)");
  await ui.pressTitle("Accept");
  await says("Claude Code is set up. Start a new session of it. Its own tools that change files are denied.");
  assert.deepEqual(JSON.parse(permissions.text()).permissions.deny, ["Edit", "Write", "NotebookEdit"]);
  await clear();

  const agent = await outsideAgent("Claude Code");
  await ui.statusBarSays("Connected to agentfs: Claude Code.");
  await agent.stop();
  await ui.tabsAre();
  for (const one of [configuration, permissions]) rmSync(one.path); // VS Code would use the former
});

const described = file(".vscode/mcp.json");

scenario("where its settings cannot deny an agent's own tools, a page says what else does", async () => {
  await choose(".vscode/mcp.json");
  await ui.requestedReview("workspaceFolder");
  await ui.pressTitle("Accept");
  await says("VS Code is set up.");
  assert.match(described.text(), /agentfs/);
  await ui.pressInMessage("which its settings cannot deny", "Show How");
  await ui.tab("agent-mode.md").waitFor();
  rmSync(described.path); // VS Code would use it
});

scenario("a review that the user no longer waits for does not open by itself", async () => {
  const [server] = servers();
  process.kill(server, "SIGSTOP");
  try {
    await choose("Gemini CLI");
    await ui.page.locator(".quick-input-widget:visible", { hasText: "Connect Gemini CLI" }).waitFor();
    await ui.escapeQuestion();
  } finally {
    process.kill(server, "SIGCONT");
  }
  await ui.offers("agentfs proposes to change settings.json.", "Review");
  await ui.tabsAre();
  await reviewWith("mcpServers");
  await ui.titleButton("Reject").click();
  await ui.answer("");
  await ui.statusBarSays("The settings are as before: you rejected their change.");
});

const broken = file("opencode.json", "{ not JSON");

scenario("Connect an Agent says why it cannot: unclear settings, or no socket", async () => {
  await choose("opencode");
  await says("'opencode.json' was not changed");
  await clear();
  assert.equal(broken.text(), "{ not JSON");

  await set("agentfs.agents.socket", false);
  await ui.runCommand("agentfs: Connect an Agent…");
  await says("The setting agentfs.agents.socket is off");
  await clear();
  await ui.tabsAre();
});

scenario("another program gets the command, from the empty view or its menu", async () => {
  await call("command", { id: "agentfs.ui.showPending" });
  await ui.page.locator(".part.sidebar .pane").getByRole("button", { name: "Connect an Agent…" }).click();
  await (await ui.requestedRow("Another Program (MCP)")).click();
  const entry = ui.listRow("Copy the Entry for Its Settings");
  await entry.waitFor();
  assert.match(await entry.innerText(), /"mcpServers": \{ "agentfs": /);
  assert.match(await ui.listRow("Copy the Command").innerText(), /run_server\.py mcp --workspace /);
  await ui.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await entry.click();
  await ui.statusBarSays("Copied: add it to the program. Deny its own editing tools.");
  const copied = await ui.page.evaluate(() => navigator.clipboard.readText());
  const { args } = JSON.parse(copied).mcpServers.agentfs;
  assert.deepEqual(args.slice(-3), ["mcp", "--workspace", path.join(home, "workspace")]);

  await ui.viewMenu("Pending", "Connect an Agent…");
  await (await ui.requestedRow("Codex")).waitFor();
  await ui.escapeQuestion();
});

const [updated, codex] = [".gemini/settings.json", ".codex/config.toml"].map((name) => file(name));

scenario("after an update, a program whose settings name the version before is connected again", async () => {
  const script = path.join(home, "extensions/agentfs.agentfs-0.0.1/bundled/run_server.py");
  const before = JSON.stringify({ mcpServers: { agentfs: { command: "python3", args: [script, "mcp"] } } }, null, 2);
  mkdirSync(path.dirname(updated.path), { recursive: true });
  updated.change(before);
  mkdirSync(path.dirname(codex.path), { recursive: true });
  codex.change('sandbox_mode = "read-only"\napproval_policy = "never"\n[mcp_servers.agentfs]\ncommand = "agentfs-lsp"\n');
  await reloadWindow();
  const lost = "Gemini CLI cannot start agentfs: its settings in this folder name a version that is no longer here.";
  await ui.pressInMessage(lost, "Connect Again…");
  await ui.requestedReview('"trust": true');
  await ui.pressTitle("Accept");
  await says("Gemini CLI is set up.");
  assert.equal(updated.text().includes("agentfs-0.0.1"), false);
  await ui.pressInMessage("Gemini CLI is set up.", "Show Connected Agents");
  await says("Set up in this folder: ");
  await says("with their own tools: Gemini CLI.");
  await clear();

  updated.change(before);
  await reloadWindow();
  await until("the extension runs", () => ui.statusSays("You review changes from agents."));
  assert.equal(await ui.isSaid(lost), false, "it is said once of each version");
  rmSync(codex.path); // as it was
});
