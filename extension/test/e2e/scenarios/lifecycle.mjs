// The server's life, seen from the window: restarted by the user, and killed from outside.

import assert from "node:assert/strict";

import { until } from "../harness/page.mjs";
import { agent, file, scenario, servers, state, ui } from "../harness/suite.mjs";

const restarted = file("lifecycle/restarted.txt", "old\n");

scenario("Restart Server: what is pending goes, nothing lands, and the next proposal comes", async () => {
  const asked = await agent("before").readAndEdit(restarted, "old", "new");
  await ui.diffWith("new");
  const [before] = servers();

  await ui.runCommand("agentfs: Restart Server");

  await assert.rejects(asked.answer);
  await ui.tabsAre();
  await until("another server runs", () => servers().some((pid) => pid !== before));
  assert.equal(restarted.text(), "old\n");
  const again = await agent("after").readAndEdit(restarted, "old", "new");
  await ui.diffWith("new");
  await ui.titleButton("Accept").click();
  assert.equal((await again.answer).data.applied, true);
  assert.equal(restarted.text(), "new\n");
});

const killed = file("lifecycle/killed.txt", "old\n");

scenario("the server is killed during a review: nothing lands, no tab stays, and another one serves", async () => {
  const asked = await agent("killed").readAndEdit(killed, "old", "new");
  await ui.diffWith("new");
  const [before] = servers();

  process.kill(before, "SIGKILL");

  await assert.rejects(asked.answer);
  await ui.tabsAre();
  assert.deepEqual((await state()).pending, []);
  assert.equal(killed.text(), "old\n");
  await until("another server runs", () => servers().some((pid) => pid !== before));
  const again = await agent("survivor").readAndEdit(killed, "old", "new");
  await ui.diffWith("new");
  await ui.titleButton("Accept").click();
  assert.equal((await again.answer).data.applied, true);
  assert.equal(killed.text(), "new\n");
});

const unsaved = file("lifecycle/unsaved.txt", "old\n");

scenario("the server is killed while a document is unsaved: the next one hears when it no longer is", async () => {
  await unsaved.open();
  await ui.focusEditor();
  await ui.page.keyboard.type("x");
  const dirty = async () => (await agent("states").read(unsaved)).data.dirty;
  await until("it is unsaved", dirty);
  const [before] = servers();

  process.kill(before, "SIGKILL");

  await until("another server knows that it is unsaved", () => dirty().catch(() => false));
  assert.notEqual(servers()[0], before);
  await ui.page.keyboard.press("Control+Z");
  await until("and that it no longer is", async () => !(await dirty()));
});
