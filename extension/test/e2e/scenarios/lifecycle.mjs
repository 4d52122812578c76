// The server's life, seen from the window: restarted by the user, and killed from outside.

import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";

import { agent } from "../harness/agents.mjs";
import { file } from "../harness/files.mjs";
import { until } from "../harness/page.mjs";
import { reviewWith } from "../harness/reviews.mjs";
import { call, state, ui, workbench } from "../harness/run.mjs";
import { interpreter, killServer, servers } from "../harness/server.mjs";
import { inWorkspace, set } from "../harness/settings.mjs";
import { scenario } from "../harness/suite.mjs";

const restarted = file("lifecycle/restarted.txt", "old\n");

scenario("Restart Server: what is pending goes, nothing lands, and the next proposal comes", async () => {
  const asked = await agent("before").readAndEdit(restarted, "old", "new");
  await reviewWith("new");
  const [before] = servers();
  const said = ui.page.locator(".statusbar-item", { hasText: "agentfs stopped, so the change of restarted.txt was withdrawn." }).waitFor();

  await ui.runCommand("agentfs: Restart Server");

  const { status, text, context } = await asked.answer;
  assert.deepEqual([status, context.landing], ["error", undefined]);
  assert.match(text, /stopped before the user decided\. Nothing was changed/);
  await said;
  await ui.tabsAre();
  await until("another server runs", () => servers().some((pid) => pid !== before));
  assert.equal(restarted.text(), "old\n");
  const again = await agent("after").readAndEdit(restarted, "old", "new");
  await reviewWith("new");
  await ui.pressTitle("Accept");
  assert.equal((await again.answer).data.applied, true);
  assert.equal(restarted.text(), "new\n");
});

const ignored = file("lifecycle/ignored.txt", "old\n");

scenario("settings of a workspace that do not apply restart no server, and end no review", async () => {
  const asked = await agent("ignored").readAndEdit(ignored, "old", "new");
  await reviewWith("new");
  const before = servers();
  await inWorkspace({ "editor.tabSize": 3, "agentfs.interpreter": "/nowhere", "agentfs.review.style": "refactorPreview" }, async () => {
    await ui.pressTitle("Accept");
    assert.equal((await asked.answer).data.applied, true);
  });
  assert.deepEqual(servers(), before);
});

const killed = file("lifecycle/killed.txt", "old\n");

scenario("the server is killed during a review: nothing lands, no tab stays, and another one serves", async () => {
  const asked = await agent("killed").readAndEdit(killed, "old", "new");
  await reviewWith("new");

  const before = killServer();

  const { status, error, text, context } = await asked.answer;
  assert.deepEqual([status, error.code, context.landing], ["error", "EXECUTION_ERROR", "unknown"]);
  assert.match(text, /Read the file, and repeat the request if the change is missing/);
  await ui.tabsAre();
  assert.deepEqual((await state()).pending, []);
  assert.equal(killed.text(), "old\n");
  await until("another server runs", () => servers().some((pid) => pid !== before));
  const again = await agent("survivor").readAndEdit(killed, "old", "new");
  await reviewWith("new");
  await ui.pressTitle("Accept");
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

  const before = killServer();

  await until("another server knows that it is unsaved", () => dirty().catch(() => false));
  assert.notEqual(servers()[0], before);
  await ui.page.keyboard.press("Control+Z");
  await until("and that it no longer is", async () => !(await dirty()));
});

const told = file("lifecycle/told.txt", "old\n");
const answers = (session) => async () => (await agent(session).read(told)).status === "success";

const messages = () => ui.page.locator(".notifications-toasts .notification-list-item");

scenario("commands and tools are answered while the server is gone", async () => {
  killServer();
  const [byCommand, byTool] = await Promise.all([
    call("command", { id: "agentfs.read", args: [{ path: told.name }] }),
    call("tool", { name: "agentfs_read", input: { path: told.name } }),
  ]);

  const toModel = byTool.content.map(({ value }) => value).join("");
  for (const text of [byCommand.text, toModel]) assert.match(text, /Read 'lifecycle\/told\.txt'|Repeat the request/);
  await until("the server answers", answers("told"));
});

scenario("a restart by the user forgets the crashes before it", async () => {
  const anotherAfter = async (end) => {
    const [before] = servers();
    await end();
    await until("another server runs", () => servers().some((pid) => pid !== before));
    await until("the server answers", answers("forgotten"));
  };
  for (let crash = 0; crash < 4; crash += 1) await anotherAfter(killServer);
  await anotherAfter(() => ui.runCommand("agentfs: Restart Server"));
  await anotherAfter(killServer);
});

scenario("a server that keeps dying: one notification, no raw errors, and a button that starts it", async () => {
  let last;
  while (!(await ui.isSaid("has stopped"))) {
    last = await agent("dying").readAndEdit(told, "old", "new");
    await until("it waits", async () => (await state()).pending.length === 1);
    await call("command", { id: "notifications.clearAll" });
    killServer();
    await until("another one, or none any more", async () => (await answers("dying")()) || ui.isSaid("has stopped"));
  }
  const { text } = await last.answer;
  assert.match(text, /stopped before it responded\. .* Read the file/);
  assert.equal(await messages().count(), 1);
  const answer = await agent("dying").read(told);
  assert.equal(answer.error.code, "EXECUTION_ERROR");
  assert.match(answer.text, /Ask the user to start it/);
  await ui.statusItem("").locator(".codicon-error").waitFor();

  await messages().getByRole("button", { name: "Restart" }).click();
  await until("the server answers", answers("dying"));
});

scenario("ten restarts at once leave one server running", async () => {
  await Promise.all(Array.from({ length: 10 }, () => call("command", { id: "agentfs.ui.restart" })));
  await until("the server answers", answers("ten"));
  await until("one server is left", () => servers().length === 1);
});

/** Has every start end with `end` as long as the file says that more are to; a line of another file for each. */
function endingAtStart(name, end) {
  const python = interpreter(name, `echo >>"$0.starts"; if [ -e "$0.ends" ]; then ${end}; fi`);
  writeFileSync(`${python}.ends`, "");
  return {
    python,
    starts: () => (existsSync(`${python}.starts`) ? readFileSync(`${python}.starts`, "utf8").length : 0),
    endNoMore: () => rmSync(`${python}.ends`),
  };
}

scenario("a server that is killed while it starts is started again", async () => {
  const first = endingAtStart("killed-once", 'rm "$0.ends"; kill -9 $$');
  await set("agentfs.interpreter", first.python);
  await until("another start", () => first.starts() > 1);
  await until("the server answers", answers("killed at its start"));

  const reading = endingAtStart("killed-reading", 'rm "$0.ends"; head -c 20 >/dev/null; kill -9 $$');
  await set("agentfs.interpreter", reading.python);
  await until("another start", () => reading.starts() > 1);
  await until("the server answers", answers("killed while it is greeted"));
});

const outlived = file("lifecycle/outlived.txt", "old\n");

scenario("a server that is killed at every start: one notification, which does no harm later", async () => {
  const doomed = endingAtStart("doomed", "kill -9 $$");
  await set("agentfs.interpreter", doomed.python);
  await ui.offers("has stopped 5 times in three minutes. The last error was: SIGKILL", "Restart");
  assert.match(await messages().innerText(), /Restart it, or check the output for the cause/);
  assert.equal(await messages().count(), 1);
  assert.equal(doomed.starts(), 5);
  assert.match((await agent("doomed").read(told)).text, /not running: .* SIGKILL\. Nothing was read/);

  doomed.endNoMore();
  await ui.runCommand("agentfs: Restart Server");
  await until("the server answers", answers("doomed"));
  const asked = await agent("outlived").readAndEdit(outlived, "old", "new");
  await until("it waits", async () => (await state()).pending.length === 1);
  await ui.pressInMessage("has stopped 5 times", "Restart");
  await reviewWith("new");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.applied, true);
});

scenario("a server that ends at its start says why", async () => {
  const broken = endingAtStart("broken", "printf 'Traceback\\nNo module named pygls\\n' >&2; exit 1");
  await set("agentfs.interpreter", broken.python);
  await ui.offers("The last error was: No module named pygls", "Show Output");

  broken.endNoMore();
  await ui.pressInMessage("No module named pygls", "Restart");
  await until("the server answers", answers("broken"));
});

scenario("Restart Server helps where a start hangs, and agents can cancel meanwhile", async () => {
  const hung = endingAtStart("hung", "exec sleep 1000");
  await set("agentfs.interpreter", hung.python);
  await until("it hangs", () => hung.starts() === 1);
  const asked = workbench.extension.request("agentfs/read", { path: told.name });
  await asked.cancel();
  await assert.rejects(asked.answer, { code: -32800 });

  hung.endNoMore();
  await ui.runCommand("agentfs: Restart Server");
  await until("the server answers", answers("hung"));
});

scenario(
  "a start that hangs is given up: agents and the user are told, and a button starts another one",
  async () => {
    const hung = endingAtStart("hung-for-good", "sleep 1000"); // the process that hangs outlives the one that is killed
    await set("agentfs.interpreter", hung.python);
    const { error, text } = await agent("waits for a start").read(told);
    assert.equal(error.code, "EXECUTION_ERROR");
    assert.match(text, /not running: .* did not start within 60 seconds\. .*Ask the user to start it/);
    assert.equal(hung.starts(), 1);

    hung.endNoMore();
    await ui.pressInMessage("did not start within 60 seconds", "Restart");
    await until("the server answers", answers("after a start that hung"));
  },
  180_000,
);
