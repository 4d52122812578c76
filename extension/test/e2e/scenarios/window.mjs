// What becomes of a window: another workspace, as Add Folder to Workspace makes of it, or a crash; each in a workbench of its own.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { connect } from "../harness/extension.mjs";
import { until, WorkbenchPage } from "../harness/page.mjs";
import { inOwnWorkbench, makeHome, READY } from "../harness/workbench.mjs";

const name = "a folder is added to the window: auto mode that was ended stays ended, and a draft stays in reach";

test(name, { timeout: 240_000 }, async () => {
  const home = await makeHome();
  const target = path.join(home, "workspace/text.txt");
  writeFileSync(target, "old\n");
  mkdirSync(path.join(home, "second"));
  const settings = { "agentfs.approval.mode": "auto_edit" };
  await inOwnWorkbench(name, home, { settings }, async (workbench) => {
    const { page, sockets } = workbench;
    const ui = new WorkbenchPage(page);
    const ask = (method, params) =>
      workbench.extension.request(`agentfs/${method}`, { session: "window", agent: "Ada", ...params });
    const mode = async () => (await ask("status", {}).answer).data.mode;
    await ui.statusItem(": auto").click();
    await ui.statusItem(": manual").waitFor();
    await ask("read", { path: "text.txt" }).answer;
    const typed = ask("edit", { path: "text.txt", old_string: "old", new_string: "new" });
    await workbench.extension.openReview();
    await ui.diffWith("new");
    await ui.clickLine("new");
    await page.keyboard.type(" and mine");
    await ui.diffWith("new and mine");
    await typed.cancel();
    await ui.saysInPassing("was kept as a draft");

    const both = path.join(home, "both.code-workspace");
    writeFileSync(both, JSON.stringify({ folders: ["workspace", "second"].map((name) => ({ path: name })) }));
    await page.goto(`${new URL(page.url()).origin}/?workspace=${both}`);
    await until("the folders are there", async () => {
      await page.waitForSelector(READY);
      if (await page.locator(".explorer-folders-view", { hasText: "second" }).isVisible()) return true;
      await page.reload(); // code-server may open a workspace without its folders
      return false;
    }, { everyMs: 5_000, timeoutMs: 60_000 });
    workbench.extension.close();
    await until("the driver is there", async () => {
      workbench.extension = await connect(sockets.driver, 10_000).catch(() => undefined);
      return workbench.extension !== undefined && (await read().catch(() => "error")) === "success";
    }, { timeoutMs: 60_000 });
    async function read() {
      return (await ask("read", { path: "workspace/text.txt" }).answer).status;
    }

    assert.equal(await mode(), "manual");
    await ui.statusItem(": manual").waitFor();
    const edited = ask("edit", { path: "workspace/text.txt", old_string: "old", new_string: "newer" });
    await workbench.extension.openReview();
    await ui.diffWith("newer");
    assert.equal(readFileSync(target, "utf8"), "old\n", "it waits for the user");
    await edited.cancel();

    await workbench.extension.call("command", { id: "agentfs.drafts.focus" });
    await ui.viewRow("Drafts", "text.txt").click();
    assert.match((await ui.diffWith("old")).original, /new and mine/);
  });
});

const crash = "the window crashes, but its extension host does not: the next one asks nothing, and has what was typed as a draft";

test(crash, { timeout: 240_000 }, async () => {
  const home = await makeHome();
  writeFileSync(path.join(home, "workspace/text.txt"), "old\n");
  await inOwnWorkbench(crash, home, {}, async ({ page, extension }) => {
    const ui = new WorkbenchPage(page);
    const ask = (method, params) => extension.request(`agentfs/${method}`, { session: "crash", agent: "Ada", ...params });
    await ask("read", { path: "text.txt" }).answer;
    ask("edit", { path: "text.txt", old_string: "old", new_string: "new" });
    await extension.openReview();
    await ui.diffWith("new");
    await ui.clickLine("new");
    await page.keyboard.type(" and mine");
    await ui.diffWith("new and mine");
    const stored = () => readdirSync(path.join(home, "user/User"), { recursive: true, encoding: "utf8" });
    await until("it is stored", () => [/Backups.*agentfs-proposal./, /drafts.*json$/].every((each) => stored().some((name) => each.test(name))));

    const context = page.context();
    const session = await context.newCDPSession(page);
    void session.send("Page.crash").catch(() => {});
    await page.waitForEvent("crash");
    const next = new WorkbenchPage(await context.newPage());
    await next.page.goto(page.url());
    await next.page.waitForSelector(READY, { timeout: 60_000 });

    await next.pressInMessage("was not applied. It was kept as a draft.", "Show Draft");
    assert.match((await next.requestedDiff("your draft", "old")).original, /new and mine/);
  });
});
