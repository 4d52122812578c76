// A review in a floating window, as Move Editor into New Window makes it.

import assert from "node:assert/strict";

import { agent, batch } from "../harness/agents.mjs";
import { file } from "../harness/files.mjs";
import { until, WorkbenchPage } from "../harness/page.mjs";
import { openReview, reviewWith } from "../harness/reviews.mjs";
import { call, state, ui } from "../harness/run.mjs";
import { scenario } from "../harness/suite.mjs";

/** Moves the editor in front into a window of its own, and goes there. */
async function float() {
  const main = ui.page;
  const opens = main.context().waitForEvent("page");
  await call("command", { id: "workbench.action.moveEditorToNewWindow" });
  const page = await opens;
  // Playwright tells every page that it has the focus, where VS Code takes the first that has it for the window in front.
  await main.evaluate(() => { document.hasFocus = () => false; });
  page.once("close", () => main.evaluate(() => { delete document.hasFocus; }));
  return new WorkbenchPage(page);
}

const moved = file("floating/moved.txt", "old\n");
const next = file("floating/next.txt", "old\n");

scenario("a review that was moved into a window of its own is accepted there by a button, and the next by its key", async () => {
  const asked = await agent("moved").readAndEdit(moved, "old", "new");
  await reviewWith("new");
  const waiting = await agent("next").readAndEdit(next, "old", "newer");
  const floating = await float();
  await floating.diffWith("new");
  await floating.titleButton("Accept").click();
  assert.equal((await asked.answer).data.review.decision, "accepted");
  await floating.diffWith("newer");
  await floating.clickLine("newer");
  const closes = floating.page.waitForEvent("close");
  await until("the key counts", async () => {
    if ((await state()).pending.length === 0) return true;
    await floating.page.keyboard.press("Control+Enter");
    return false;
  }, { everyMs: 450 });
  assert.equal((await waiting.answer).data.review.decision, "accepted");
  await closes;
});

const rejected = file("floating/rejected.txt", "old\n");

scenario("and rejected", async () => {
  const asked = await agent("rejected").readAndEdit(rejected, "old", "new");
  await reviewWith("new");
  const floating = await float();
  await floating.diffWith("new");
  await floating.titleButton("Reject").click();
  await floating.page.locator(".quick-input-widget:visible input").fill("not so");
  await floating.page.keyboard.down("Enter");
  const { error } = await asked.answer;
  assert.equal(error.code, "USER_REJECTED");
  assert.match(error.message, /not so/);
});

/** Presses Accept there until it counts. */
const acceptIn = (floating) =>
  until("it is accepted", async () => {
    if ((await state()).pending.length === 0) return true;
    await floating.titleButton("Accept").click({ timeout: 500 }); // it may be gone by now
    return false;
  }, { everyMs: 1000 });

const pair = [1, 2].map((number) => file(`floating/several-${number}.txt`, "old\n"));

scenario("so is one of several files", async () => {
  for (const one of pair) await agent("pair").read(one);
  const edit = ({ name: path }) => ({ tool: "edit", params: { path, old_string: "old", new_string: "new" } });
  const asked = batch("pair", pair.map(edit));
  await openReview();
  await ui.severalWith("new");
  const floating = await float();
  await floating.severalWith("new");
  await acceptIn(floating); // a notification may have covered it
  assert.equal((await asked.answer).data.review.decision, "accepted");
});

const long = file("floating/long.txt", `${"let a=1;".repeat(1375)}quiet();\n`);

scenario("so is what all changes are shown of, from their view", async () => {
  const asked = await agent("long").readAndEdit(long, "quiet()", "steal(1)");
  await reviewWith("let a=1;");
  const floating = await float();
  await floating.diffWith("let a=1;");
  await floating.titleButton("Accept").click();
  await floating.plainWith("steal(1)");
  await call("command", { id: "notifications.clearAll" });
  const webview = floating.page.locator("iframe.webview.ready");
  await webview.contentFrame().locator("#active-frame").contentFrame().locator("h1").click();
  await floating.page.locator(".editor-group-container.active .tab.active", { hasText: "All Changes" }).waitFor();
  await acceptIn(floating);
  assert.equal((await asked.answer).data.review.decision, "accepted");
});
