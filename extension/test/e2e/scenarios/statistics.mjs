// What agents did, in numbers: the page, which must be readable in every theme, by keyboard, and for screen readers.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";

import { agent } from "../harness/agents.mjs";
import { file } from "../harness/files.mjs";
import { until } from "../harness/page.mjs";
import { ui } from "../harness/run.mjs";
import { scenario } from "../harness/suite.mjs";
import { installation } from "../harness/workbench.mjs";

const page = () => ui.page.frameLocator("iframe.webview.ready").frameLocator("#active-frame");
const keyboard = () => ui.page.keyboard;

const one = file("statistics/one.txt", "old\n");

scenario("statistics: rates, tables, and the choice of time and folders, by keyboard", async () => {
  await agent("statistics").read(one);
  await ui.runCommand("agentfs: Show Statistics");
  const operations = page().getByRole("table").filter({ hasText: "Median" });
  await operations.getByRole("rowheader", { name: "read", exact: true }).waitFor();
  const count = async () => Number((await page().getByRole("status").innerText()).match(/^[\d,]+/)[0].replace(",", ""));
  const before = await count();

  await agent("statistics").read(one);
  await page().getByRole("combobox", { name: "Time" }).focus();
  for (const key of ["Tab", "Tab"]) await keyboard().press(key);
  await until("the new read counts, after a press of Refresh", async () => {
    await keyboard().press("Enter");
    return (await count()) === before + 1;
  }, { everyMs: 300 });
  assert.equal(await page().getByRole("button", { name: "Refresh" }).evaluate((button) => button === document.activeElement), true, "the keys stay there");

  await page().getByRole("combobox", { name: "Folders" }).focus();
  await keyboard().press("a"); // All workspaces
  assert.equal(await page().getByRole("combobox", { name: "Folders" }).inputValue(), "all");

  const element = await page().locator("main").elementHandle();
  const frame = await element.ownerFrame();
  await frame.evaluate(await readFile(path.join((await installation()).root, "node_modules/axe-core/axe.min.js"), "utf8"));
  const { violations } = await frame.evaluate(() => globalThis.axe.run());
  assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
});
