// What people without a mouse, or without sight, get: every view and decision by keyboard, names for a screen reader.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";

import { agent, batch } from "../harness/agents.mjs";
import { file } from "../harness/files.mjs";
import { until } from "../harness/page.mjs";
import { acceptSeen, acceptShows, reviewWith } from "../harness/reviews.mjs";
import { call, state, ui } from "../harness/run.mjs";
import { scenario } from "../harness/suite.mjs";
import { installation } from "../harness/workbench.mjs";

const keyboard = () => ui.page.keyboard;

/** What a screen reader says of the rows of that view. */
const labels = (view) => ui.viewRow(view, "").evaluateAll((rows) => rows.map((row) => row.getAttribute("aria-label")));

/** Waits until one of them says so. */
const isLabelled = (view, wanted) =>
  until(`a row with ${wanted}`, async () => (await labels(view)).some((label) => wanted.test(label)));

const hidden = file("accessibility/hidden.txt", `${"same ".repeat(100)}old\n`);

scenario("accessibility: the view of all changes passes axe", async () => {
  const asked = await agent("axe").readAndEdit(hidden, "old", "new\u{200b}");
  await reviewWith("same");
  await acceptShows("All of it is now shown", "200b");
  const element = await ui.page.frameLocator("iframe.webview.ready").frameLocator("#active-frame").locator("main").elementHandle();
  const frame = await element.ownerFrame();
  await frame.evaluate(await readFile(path.join((await installation()).root, "node_modules/axe-core/axe.min.js"), "utf8"));
  const [text, page] = [await element.boundingBox(), await ui.page.locator("iframe.webview.ready").boundingBox()];
  assert.ok(text.y + text.height <= page.y + 0.61 * page.height, "no notification reaches it");
  const { violations, passes } = await frame.evaluate(() => globalThis.axe.run());
  assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
  assert.ok(passes.some(({ id, nodes }) => id === "color-contrast" && nodes.some(({ html }) => html.startsWith("<i>"))), "axe has looked at the palest color");
  await acceptSeen();
  await asked.answer;
});

const [one, two] = ["one", "two"].map((name) => file(`accessibility/${name}.txt`, "old\n"));

scenario("accessibility: rows of pending changes say all that their icons tell", async () => {
  const ada = agent("labels");
  for (const each of [one, two]) await ada.read(each);
  const asked = batch("labels", [
    { tool: "edit", params: { path: one.name, old_string: "old", new_string: "new" } },
    { tool: "edit", params: { path: two.name, old_string: "old", new_string: "new\nnewer" } },
    { tool: "write", params: { path: "accessibility/made.txt", content: "made\n" } },
  ], { atomic: false });
  await call("command", { id: "agentfs.ui.showPending" });
  await isLabelled("Pending", /^3 files, lines added: 4, removed: 2, proposed by Ada/);
  await isLabelled("Pending", /made\.txt, lines added: 1, removed: 0, proposed by Ada, new file/);

  await ui.viewRow("Pending", "3 files").click();
  await ui.severalWith("newer");
  await ui.decideFile("one.txt", "Accept This File");
  await isLabelled("Pending", /one\.txt, .*, accepted; waits for the other files/);
  two.change("changed\n");
  await isLabelled("Pending", /two\.txt, .*The file changed on disk after this change was proposed/);
  await asked.cancel();
});

const listed = file("accessibility/listed.txt", "old\n");

scenario("accessibility: from the list to the decision, by its context menu, with the keyboard alone", async () => {
  const asked = await agent("listed").readAndEdit(listed, "old", "new");
  await until("it waits", async () => (await state()).pending.length === 1);
  await until("the row has the keys", async () => {
    if ((await ui.page.locator(".pane .monaco-list:focus-within .monaco-list-row.focused").count()) > 0) return true;
    await call("command", { id: "agentfs.pending.focus" }); // whatever has taken the keys meanwhile
    await keyboard().press("ArrowDown");
    return false;
  }, { everyMs: 500 });
  await keyboard().press("Shift+F10");
  await ui.page.locator(".monaco-menu .action-item").first().waitFor();
  await until("Reject is chosen", async () => {
    if ((await ui.page.locator(".monaco-menu .action-item.focused", { hasText: "Reject" }).count()) > 0) return true;
    await keyboard().press("ArrowDown");
    return false;
  }, { everyMs: 100 });
  await keyboard().press("Enter");
  await ui.answer("not like this");
  const { error, text } = await asked.answer;
  assert.equal(error.code, "USER_REJECTED");
  assert.match(text, /not like this/);
});

const viewed = file("accessibility/viewed.txt", "one\nold\nthree\n");

scenario("accessibility: VS Code's accessible diff viewer reads a review, which keys decide after it", async () => {
  const asked = await agent("viewed").readAndEdit(viewed, "old", "new");
  await reviewWith("new");
  await ui.clickLine("new");
  await call("command", { id: "editor.action.accessibleDiffViewer.next" }); // F7, which a browser keeps for itself
  const viewer = ui.page.locator(".diff-review");
  await viewer.waitFor();
  assert.match((await viewer.locator("[role=listitem]").evaluateAll((rows) => rows.map((row) => row.getAttribute("aria-label")))).join("\n"), /\+ ?new/);
  await keyboard().press("Control+Enter");
  await keyboard().press("Escape");
  await viewer.waitFor({ state: "hidden" });
  await ui.focused("modified");
  assert.equal((await state()).pending.length, 1, "no key decides in there");
  await until("it is accepted", async () => {
    if ((await state()).pending.length === 0) return true;
    await keyboard().press("Control+Enter");
    return false;
  }, { everyMs: 900 });
  assert.equal((await asked.answer).data.review.decision, "accepted");
});
