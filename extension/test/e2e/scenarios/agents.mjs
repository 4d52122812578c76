// Agents inside the workbench: the language model tools, and the API for other extensions.

import assert from "node:assert/strict";

import { agent } from "../harness/agents.mjs";
import { connect } from "../harness/extension.mjs";
import { file } from "../harness/files.mjs";
import { until } from "../harness/page.mjs";
import { reviewWith } from "../harness/reviews.mjs";
import { call, state, ui, workbench } from "../harness/run.mjs";
import { scenario } from "../harness/suite.mjs";

const toolText = async (name, input) =>
  (await call("tool", { name, input })).content.map(({ value }) => value).join("");

const byTool = file("agents/tool.txt", "one\ntwo\n");

scenario("the tools of the chat: read, then an edit that the user reviews", async () => {
  const path = byTool.name;
  assert.match(await toolText("agentfs_read", { path }), /one\ntwo\n/);

  const edited = toolText("agentfs_edit", { path, old_string: "two", new_string: "2", explanation: "Shorter." });
  await reviewWith("2");
  await ui.sees("Shorter.");
  assert.equal(byTool.text(), "one\ntwo\n");
  await ui.pressTitle("Accept");

  assert.match(await edited, /Updated 'agents\/tool\.txt'/);
  assert.equal(byTool.text(), "one\n2\n");
  await ui.tabsAre();
});

scenario("the tools of the chat: a model that leaves the path out is told what to give", async () => {
  assert.match(await toolText("agentfs_read", {}), /'path'/);
  assert.match(await toolText("agentfs_read", null), /'path'/);
  assert.match(await toolText("agentfs_edit", { path: 7, old_string: "a", new_string: "b" }), /'path'/);
});

const whole = file("agents/whole.txt", "one\n");

scenario("the tools of the chat: a text that a model leaves out is asked for, not taken for an empty one", async () => {
  const path = whole.name;
  assert.match(await toolText("agentfs_read", { path }), /one/);
  assert.match(await toolText("agentfs_edit", { path, old_string: "one" }), /'new_string'/);
  assert.match(await toolText("agentfs_edit", { path, new_string: "1" }), /'old_string'/);
  assert.match(await toolText("agentfs_write", { path }), /'content'/);
  assert.equal(whole.text(), "one\n");
});

const made = file("agents/made/by-tool.txt");

scenario("the tools of the chat: a new file that the user refuses, with a reason", async () => {
  const written = toolText("agentfs_write", { path: made.name, content: "hello\n" });
  await reviewWith("hello");
  await ui.titleButton("Reject").click();
  await ui.answer("Not here.");

  assert.match(await written, /Not here\./);
  await agent("nobody")
    .read(made)
    .then(({ error }) => assert.equal(error.code, "NOT_FOUND"));
  await ui.tabsAre();
});

const byApi = file("agents/api.txt", "old\n");

scenario("the API for other extensions: the same review, the same answer, word of both", async () => {
  const other = await connect(workbench.sockets.plain);
  const api = (method, more) =>
    other.call("api", { method, params: { path: byApi.name, session: "api", agent: "Another extension", ...more } });
  const read = await api("read");
  assert.equal(read.data.content, "old\n");

  const edited = api("edit", { old_string: "old", new_string: "new" });
  await reviewWith("new");
  await ui.sees("Another extension");
  await ui.pressTitle("Accept");

  assert.equal((await edited).data.review.decision, "accepted");
  assert.equal(byApi.text(), "new\n");
  await ui.tabsAre();
  const [proposed, settled] = await until("both events", async () => {
    const heard = await other.call("heard");
    return heard.length >= 2 && heard;
  });
  assert.equal(proposed.title, "Edit agents/api.txt (+1/-1)");
  assert.deepEqual(settled, { settled: proposed.proposed, outcome: "landed" });
  other.close();
});

const undone = file("agents/undone.txt", "old\n");

scenario("an undo that its agent cancels is withdrawn", async () => {
  const asked = await agent("undone").readAndEdit(undone, "old", "new");
  await reviewWith("new");
  await ui.pressTitle("Accept");
  const { data } = await asked.answer;
  const undo = workbench.extension.request("agentfs/undo", { session: "undone", agent: "Ada", change_id: data.change_id });
  await until("it waits", async () => (await state()).pending.length === 1);
  await undo.cancel();
  await assert.rejects(undo.answer);
  await until("it is gone", async () => (await state()).pending.length === 0);
});
