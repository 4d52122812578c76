// Agents in programs of their own, from their MCP server to the file, and what the user does about them.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";

import { agent } from "../harness/agents.mjs";
import { connect } from "../harness/extension.mjs";
import { file } from "../harness/files.mjs";
import { connectedCodex, outsideAgent } from "../harness/outside.mjs";
import { until } from "../harness/page.mjs";
import { acceptSeen, reviewWith } from "../harness/reviews.mjs";
import { call, reloadWindow, state, ui, workbench } from "../harness/run.mjs";
import { scenario } from "../harness/suite.mjs";

const edit = (agent, { path }) =>
  agent.call("read", { path }).then(() => agent.call("edit", { path, old_string: "two", new_string: "2", explanation: "Figures." }));

const open = file("outside/open.txt", "one\ntwo\n");

scenario("connected agents are listed and disconnected while a review is open", async () => {
  const agent = await outsideAgent("Codex");
  const edited = edit(agent, open);
  await reviewWith("2");
  await ui.runCommand("agentfs: Show Connected Agents");
  await (await ui.requestedRow("outside: Codex")).filter({ hasText: "Pending changes: 1." }).waitFor();
  await ui.pressInList("outside: Codex", "Disconnect");
  await ui.listRow("outside: Codex").waitFor({ state: "detached" });
  await ui.tabsAre();
  assert.match(await edited, /The user disconnected this agent/);
  assert.equal(open.text(), "one\ntwo\n");
  const refused = () => agent.call("read", { path: open.path });
  await until("it stays out", async () => /The user has disconnected this program/.test(await refused()));
  await agent.stop();

  const restarted = await outsideAgent("Codex");
  assert.match(await restarted.call("read", { path: open.path }), /one\ntwo/);
  await restarted.stop();
});

const [inList, arriving] = ["list", "arriving"].map((name) => file(`outside/${name}.txt`, "one\ntwo\n"));

scenario("a list of agents keeps its choice, and a press in it just after its rows have moved disconnects nobody", async () => {
  const [first, second, third] = [await outsideAgent("Alpha"), await outsideAgent("Bravo"), await outsideAgent("Charlie")];
  await first.call("read", { path: inList.path });
  await ui.runCommand("agentfs: Show Connected Agents");
  await ui.requestedRow("outside: Charlie");
  const chosen = ui.page.locator(".quick-input-list .monaco-list-row.focused");
  await until("the last row is chosen", async () => {
    if (/Charlie/.test(await chosen.innerText())) return true;
    await ui.page.keyboard.press("ArrowDown");
    return false;
  });
  void edit(first, arriving);
  await ui.listRow("outside: Alpha").filter({ hasText: "Pending changes: 1." }).waitFor();
  assert.match(await chosen.innerText(), /Charlie/);

  const place = await ui.buttonInList("outside: Bravo", "Disconnect");
  await first.stop();
  await until("the rows have moved", async () => (await ui.listRow("outside: ").count()) === 2);
  await ui.page.mouse.click(place.x, place.y);
  await ui.page.locator(".statusbar-item", { hasText: "The list has just changed. Nothing was done." }).waitFor();
  assert.equal(await ui.listRow("outside: ").count(), 2);
  await ui.escapeQuestion();
  await Promise.all([second.stop(), third.stop()]);
});

const reloaded = file("outside/reloaded.txt", "one\ntwo\n");

scenario("a change of an agent outside waits while the window is reloaded, and is proposed there anew", async () => {
  const agent = await outsideAgent("Claude Code");
  const edited = edit(agent, reloaded);
  await reviewWith("2");

  await reloadWindow();

  await until("it is proposed anew", async () => (await state()).pending.length === 1);
  await reviewWith("2");
  await acceptSeen();
  assert.match(await edited, /^Updated/);
  assert.equal(reloaded.text(), "one\n2\n");
  await agent.stop();
});

scenario("VS Code's own agents find the MCP server without any configuration", async () => {
  const listed = call("command", { id: "workbench.mcp.listServer" }); // answered when the list is left
  await ui.listRow("agentfs").waitFor();
  await ui.escapeQuestion();
  await listed;
});

const [allowed, later] = ["allowed", "later"].map((name) => file(`outside/${name}.txt`, "one\ntwo\n"));

scenario("what an agent outside changes without a review appears in the open view of landed changes", async () => {
  const agent = await outsideAgent("Claude Code");
  const first = edit(agent, allowed);
  await reviewWith("2");
  await ui.titleMenu("Accept and Allow for This Session");
  assert.match(await first, /^Updated/);
  await call("command", { id: "agentfs.landed.focus" });
  await ui.viewRow("Landed", "allowed.txt").first().waitFor();

  assert.match(await edit(agent, later), /^Updated/);
  assert.equal(later.text(), "one\n2\n");
  await ui.viewRow("Landed", "later.txt").first().waitFor();
  await agent.stop();
});

const asked = ["one", "two", "three"].map((name) => file(`outside/asked-${name}.txt`, "one\ntwo\n"));

scenario("an agent outside is allowed in the list while nothing waits, and asked again there", async () => {
  const agent = await outsideAgent("Codex");
  const listed = async (text) => {
    await ui.runCommand("agentfs: Show Connected Agents");
    return (await ui.requestedRow("outside: Codex")).filter({ hasText: text }).waitFor();
  };
  await listed("No pending changes.");
  assert.equal(await ui.listRow("outside: Codex").getByRole("button", { name: "Allow for This Session…" }).count(), 0, "it has no session yet");
  await ui.escapeQuestion();

  const [one, two, three] = asked;
  await agent.call("read", { path: one.path });
  await listed("No pending changes.");
  await ui.pressInList("outside: Codex", "Allow for This Session…");
  assert.match(await ui.dialogText(), /Accept later changes of outside: Codex without review\?/);
  await ui.answerDialog("Cancel");
  const first = edit(agent, one);
  await reviewWith("2");
  await acceptSeen();
  assert.match(await first, /^Updated/);

  await listed("No pending changes.");
  await ui.pressInList("outside: Codex", "Allow for This Session…");
  await ui.answerDialog("Allow");
  await until("it is allowed", () => ui.statusSays("Auto-accepting changes in this session"));
  assert.match(await edit(agent, two), /^Updated/);

  await listed("Its changes are accepted without review.");
  await ui.pressInList("outside: Codex", "Ask Again");
  await ui.statusBarSays("You review the changes of Codex again.");
  await ui.escapeQuestion();
  const last = edit(agent, three);
  await reviewWith("2");
  assert.equal(three.text(), "one\ntwo\n");
  await acceptSeen();
  assert.match(await last, /^Updated/);
  await agent.stop();
});

const accepted = file("outside/accepted.txt", "one\ntwo\n");
const rejected = file("outside/rejected.txt", "one\ntwo\n");
const amended = file("outside/amended.txt", "one\ntwo\n");

scenario("Codex itself: connected by a reviewed change of its settings, then its edits are reviewed", async () => {
  const settings = file(".codex/config.toml");
  await ui.runCommand("agentfs: Connect an Agent…");
  await (await ui.requestedRow("Codex")).click();
  await ui.requestedReview("mcp_servers.agentfs");
  assert.equal(existsSync(settings.path), false);
  await ui.pressTitle("Accept");
  await until("the message", () => ui.isSaid("Codex is set up. Start a new session of it."));
  await call("command", { id: "notifications.clearAll" });
  assert.match(settings.text(), /\[mcp_servers\.agentfs\]/);

  const codex = connectedCodex();
  let edited = edit(codex, accepted);
  await reviewWith("2");
  await ui.sees("outside: Codex");
  await ui.sees("Figures.");
  assert.equal(accepted.text(), "one\ntwo\n");
  await ui.pressTitle("Accept");
  assert.match(await edited, /Updated '.*outside\/accepted\.txt'/);
  assert.equal(accepted.text(), "one\n2\n");

  edited = edit(codex, rejected);
  await reviewWith("2");
  await ui.titleButton("Reject").click();
  await ui.answer("Words, please.");
  assert.match(await edited, /Words, please\./);
  assert.equal(rejected.text(), "one\ntwo\n");

  edited = edit(codex, amended);
  await reviewWith("2");
  await ui.clickLine("2");
  await ui.page.keyboard.type("nd");
  await ui.sees("2nd");
  await ui.pressTitle("Accept");
  assert.match(await edited, /2nd/);
  assert.equal(amended.text(), "one\n2nd\n");

  await call("command", { id: "agentfs.landed.focus" });
  await ui.viewRow("Landed", "outside: Codex").first().waitFor();
  await ui.viewRow("Landed", "amended.txt").first().waitFor();
  await codex.stop();
  await ui.tabsAre();
});

const beneath = file("outside/beneath.txt", "old\n");

scenario("the view names another editor that has the folder open, where agents may propose changes too; a click as its rows move decides nothing", async () => {
  const isNamed = () => ui.page.locator(".part.sidebar .pane", { hasText: "Also open in: " }).count();
  const asked = await agent("beneath").readAndEdit(beneath, "old", "new");
  await reviewWith("new");
  await call("command", { id: "agentfs.ui.showPending" });
  assert.equal(await isNamed(), 0);
  const plain = await connect(workbench.sockets.plain);
  try {
    await plain.request("agentfs/status", {}).answer; // its server has started
    await until("the view says so", async () => {
      await ui.inBackground(async () => {}); // it looks when the user is back
      return until("it says so soon", async () => (await isNamed()) > 0, { everyMs: 10, timeoutMs: 2000 });
    });
    const row = ui.viewRow("Pending", "beneath.txt");
    await row.hover();
    const { x, y, width, height } = await row.getByRole("button", { name: "Accept Proposed Change" }).boundingBox();
    await ui.page.mouse.click(x + width / 2, y + height / 2);
    await ui.statusBarSays("The list has just changed. Nothing was done. Try again.");
    assert.equal(beneath.text(), "old\n");
    await asked.cancel();
  } finally {
    plain.close();
    await reloadWindow(); // ends that server
  }
  await call("command", { id: "agentfs.ui.showPending" });
  await until("the view is silent", async () => (await isNamed()) === 0);
});
