// What the server asks beside proposals: whether an agent may read a file.

import assert from "node:assert/strict";

import { agent } from "../harness/agents.mjs";
import { file } from "../harness/files.mjs";
import { until } from "../harness/page.mjs";
import { call, ui } from "../harness/run.mjs";
import { inWorkspace, set } from "../harness/settings.mjs";
import { scenario } from "../harness/suite.mjs";

const first = file("questions/first.key", "one\n");
const second = file("questions/second.key", "two\n");
const ASKED = [{ files: ["questions/**"], read: "ask" }];

scenario("a question whose notification is dismissed still stands in the view, is counted, and can be answered", async () => {
  await set("agentfs.rules", ASKED);
  const reads = [first, second].map((one) => agent("a-session-id").read(one));
  await ui.saysInPassing("first.key");
  await ui.saysInPassing("second.key");

  await ui.statusItem(": 2").waitFor();
  assert.match(await ui.statusItem(": 2").locator("a").getAttribute("aria-label"), /Open questions: 2\./);
  await call("command", { id: "agentfs.ui.showPending" });
  const row = ui.viewRow("Pending", "first.key");
  assert.match(await row.innerText(), /Ada asks to read 'questions\/first\.key'/);
  await row.click();
  await ui.answerDialog("Cancel");
  await row.click();
  await ui.answerDialog("Allow once");
  assert.equal((await reads[0]).data.content, "one\n");

  await ui.statusItem(": 1").locator("a").click();
  assert.match(await ui.dialogText(), /Ada asks to read 'questions\/second\.key'/);
  await ui.answerDialog("Deny");
  assert.equal((await reads[1]).error.code, "USER_REJECTED");
  await until("no row is left", async () => (await ui.viewRow("Pending", "asks to read").count()) === 0);
});

scenario("Do Not Disturb hides no question, and one that is over leaves the list", async () => {
  await set("agentfs.rules", ASKED);
  await call("command", { id: "notifications.toggleDoNotDisturbMode" });
  try {
    const read = agent("quiet").read(first);
    await ui.statusItem(": 1").waitFor();
    await call("command", { id: "agentfs.ui.showPending" });
    await ui.viewRow("Pending", "first.key").click();
    await ui.answerDialog("Allow once");
    assert.equal((await read).data.content, "one\n");

    const restarted = agent("gone").read(second);
    await ui.viewRow("Pending", "second.key").waitFor();
    await call("command", { id: "agentfs.ui.restart" });
    assert.equal((await restarted).status, "error");
    await until("it is gone", async () => (await ui.viewRow("Pending", "second.key").count()) === 0);
  } finally {
    await call("command", { id: "notifications.clearAll" });
    await call("command", { id: "notifications.toggleDoNotDisturbMode" });
  }
});

const lure = file("lure/lure.txt", "old\n");
const NOT_MEANT = "Press again: the notification had just appeared.";

scenario("the second click of a double click answers no question that moves under the mouse; what comes later does", async () => {
  await set("agentfs.rules", ASKED);
  const asked = await agent("lure").readAndEdit(lure, "old", "new");
  const toasts = ui.page.locator(".notifications-toasts");
  const review = toasts.getByRole("button", { name: "Review", exact: true });
  await review.waitFor();
  const read = agent("thief").read(first);
  await until("the question", () => ui.isSaid("asks to read"));
  const since = Date.now();
  await until("the question has been there for a while", () => Date.now() - since > 1500);

  const { x, y, width, height } = await review.boundingBox();
  const at = { x: x + width / 2, y: y + height / 2 };
  await ui.page.mouse.click(at.x, at.y);
  await until("the question is under the mouse", () =>
    ui.page.evaluate(({ x, y }) => document.elementFromPoint(x, y)?.textContent === "Allow once", at), { everyMs: 10 });
  await ui.page.mouse.click(at.x, at.y);
  await ui.statusBarSays(NOT_MEANT);
  await ui.diffWith("new");
  assert.equal(await ui.statusSays("Open questions: 1."), true);

  let isAnswered = false;
  void read.then(() => (isAnswered = true));
  const allow = ui.page.locator(".notifications-toasts, .notifications-center").getByRole("button", { name: "Allow once" }).first();
  await until("the answer counts", async () => {
    if (isAnswered) return true;
    if ((await allow.count()) === 0) await call("command", { id: "notifications.showList" }); // its time in the corner is over
    await allow.click({ timeout: 500 }); // it may be gone by now
    return false;
  }, { everyMs: 1200 });
  assert.equal((await read).data.content, "one\n");
  await asked.cancel();
  await ui.tabsAre();
});

const HIDDEN = { "notifications.foreground": "#ffffff", "notifications.background": "#ffffff" };

scenario("a question that a workspace's colors may hide is shown in others, and only then answered", () =>
  inWorkspace({ "workbench.colorCustomizations": HIDDEN }, async () => {
    await set("agentfs.rules", ASKED);
    const read = agent("hidden").read(first);
    const allow = ui.page.locator(".notifications-toasts").getByRole("button", { name: "Allow once" });
    await until("all of it is shown", async () => {
      if ((await ui.tab("All Changes").count()) > 0) return true;
      await allow.click({ timeout: 500 }); // the question comes again at once
      return false;
    }, { everyMs: 1200 });
    assert.match(await ui.plainWith("first.key"), /Settings of this workspace may make questions unreadable: workbench\.colorCustomizations\./);
    await ui.statusItem(": 1").waitFor();
    await until("it is answered", async () => {
      if ((await ui.statusItem(": 1").count()) === 0) return true;
      await allow.click({ timeout: 500 }); // it may be gone by now
      return false;
    }, { everyMs: 1200 });
    assert.equal((await read).data.content, "one\n");
    await ui.tabsAre();
  }));
