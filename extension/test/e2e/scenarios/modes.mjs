// What lets changes through without a review, and that it ends when the user says so.

import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { agent } from "../harness/agents.mjs";
import { connect } from "../harness/extension.mjs";
import { file } from "../harness/files.mjs";
import { until, WorkbenchPage } from "../harness/page.mjs";
import { reviewWith } from "../harness/reviews.mjs";
import { call, reloadWindow, ui } from "../harness/run.mjs";
import { killServer, mode, servers } from "../harness/server.mjs";
import { inWorkspace, set } from "../harness/settings.mjs";
import { scenario } from "../harness/suite.mjs";
import { inOwnWorkbench, makeHome, READY } from "../harness/workbench.mjs";

const ended = file("modes/ended.txt", "a 1\n");

scenario("auto mode that the user ended stays ended, also in another server and another window", async () => {
  await set("agentfs.approval.mode", "auto_edit");
  await until("changes are let through", async () => (await mode()) === "auto_edit");
  await ui.statusItem(": auto").click();
  await ui.statusItem(": manual").waitFor();

  const before = killServer();
  await until("another server serves", async () => servers().length === 1 && servers()[0] !== before && (await mode()));
  assert.equal(await mode(), "manual");
  const asked = await agent("ended").readAndEdit(ended, "a 1", "a 2");
  await reviewWith("a 2");
  assert.equal(ended.text(), "a 1\n", "it is asked");
  await ui.statusItem(": manual 1").waitFor();
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.review.by, "user");

  await reloadWindow();
  await ui.statusItem(": manual").waitFor();
  assert.equal(await mode(), "manual");

  await ui.runCommand("agentfs: Resume Auto Mode");
  await ui.answerDialog("Cancel");
  assert.equal(await mode(), "manual");
  await ui.runCommand("agentfs: Resume Auto Mode");
  await ui.answerDialog("Resume Auto Mode");
  await ui.statusItem(": auto").waitFor();
  await until("changes are let through again", async () => (await mode()) === "auto_edit");

  await call("command", { id: "agentfs.manual" });
  await ui.statusItem(": manual").waitFor();
  await set("agentfs.approval.mode", "manual");
  await set("agentfs.approval.mode", "auto_edit");
  await ui.statusItem(": auto").waitFor();
});

scenario("the palette has Review Every Change Again only while changes are let through", async () => {
  assert.equal(await ui.commandsNamed("agentfs: Review Every Change Again"), 0);
  await set("agentfs.approval.mode", "auto_edit");
  await ui.statusItem(": auto").waitFor();
  assert.equal(await ui.commandsNamed("agentfs: Review Every Change Again"), 1);
});

const stays = file("modes/stays.txt", "a 1\n");

scenario("auto mode that the user ended stays ended when a workspace's settings name it", async () => {
  await set("agentfs.approval.mode", "auto_edit");
  await ui.statusItem(": auto").click();
  await ui.statusItem(": manual").waitFor();
  await inWorkspace({ "editor.tabSize": 3, "agentfs.approval.mode": "auto_edit" }, async () => {
    const asked = await agent("stays").readAndEdit(stays, "a 1", "a 2");
    await reviewWith("a 2");
    await ui.pressTitle("Accept");
    assert.equal((await asked.answer).data.review.by, "user");
  });
  const asked = await agent("stays").readAndEdit(stays, "a 2", "a 3");
  await reviewWith("a 3");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.review.by, "user", "also when they no longer do");
});

const twoWindows = "auto mode that the user ends in one window ends in another one on the folder, and so with resuming it";

test(twoWindows, { timeout: 240_000 }, async () => {
  const home = await makeHome();
  const settings = { "agentfs.approval.mode": "auto_edit" };
  await inOwnWorkbench(twoWindows, home, { settings }, async ({ page, extension, sockets }) => {
    const first = new WorkbenchPage(page);
    const modeOf = async (window) => (await window.request("agentfs/status", {}).answer).data.mode;
    await until("changes are let through", async () => (await modeOf(extension)) === "auto_edit");

    rmSync(sockets.driver); // the first window's
    const second = new WorkbenchPage(await page.context().newPage());
    await second.page.goto(page.url());
    await second.page.waitForSelector(READY, { timeout: 60_000 });
    const beside = await connect(sockets.driver, 60_000);
    await until("changes are let through there, too", async () => (await modeOf(beside)) === "auto_edit");

    await extension.call("command", { id: "agentfs.manual" });
    await until("the other window reviews them", async () => (await modeOf(beside)) === "manual");
    await second.statusItem(": manual").waitFor();

    await second.runCommand("agentfs: Resume Auto Mode");
    await second.answerDialog("Resume Auto Mode");
    await until("the first one lets them through again", async () => (await modeOf(extension)) === "auto_edit");
    await page.bringToFront();
    await first.statusItem(": auto").waitFor();
    beside.close();
  });
});

test("a workspace that is not trusted: every change is reviewed, whatever the user's settings say", { timeout: 240_000 }, async ({ name }) => {
  const home = await makeHome();
  writeFileSync(path.join(home, "workspace/text.txt"), "old\n");
  const rules = [{ files: ["**"], read: "allow", write: "allow", edit: "allow" }];
  const settings = { "agentfs.approval.mode": "auto_edit", "agentfs.rules": rules, "agentfs.review.style": "refactorPreview" };
  await inOwnWorkbench(name, home, { trusted: false, settings }, async (workbench) => {
    const page = new WorkbenchPage(workbench.page);
    const ask = (method, params) => workbench.extension.request(`agentfs/${method}`, { session: "trust", ...params }).answer;
    await ask("read", { path: "text.txt" });
    const edited = ask("edit", { path: "text.txt", old_string: "old", new_string: "new" });
    await workbench.extension.openReview();
    await page.diffWith("new");
    assert.equal(await page.titleMenuHas("Accept and Allow for This Session"), false);
    await workbench.extension.call("command", { id: "agentfs.ui.acceptAlways" });
    await page.saysInPassing("Nothing was accepted");
    await page.titleButton("Accept").click();
    assert.equal((await edited).data.review.by, "user");
  });
});

test("without a folder the view, the status bar and the answer say so", { timeout: 240_000 }, async ({ name }) => {
  const home = await makeHome();
  await inOwnWorkbench(name, home, { opened: null }, async (workbench) => {
    const page = new WorkbenchPage(workbench.page);
    const read = (target) => workbench.extension.request("agentfs/read", { path: target }).answer;
    for (const target of ["text.txt", "/tmp/text.txt"]) assert.match((await read(target)).text, /No folder is open/);
    const byTool = await workbench.extension.call("tool", { name: "agentfs_read", input: { path: "/tmp/text.txt" } });
    assert.match(byTool.content[0].value, /No folder is open/);
    await page.statusItem("").locator(".codicon-folder").waitFor();
    await workbench.extension.call("command", { id: "agentfs.ui.showPending" });
    await workbench.page.locator(".pane-body", { hasText: "No folder is open" }).first().waitFor();
  });
});
