// What waits is visible wherever the user is: on files in the Explorer and on tabs.

import assert from "node:assert/strict";

import { agent, batch } from "../harness/agents.mjs";
import { file } from "../harness/files.mjs";
import { until } from "../harness/page.mjs";
import { reviewWith } from "../harness/reviews.mjs";
import { call, state, ui } from "../harness/run.mjs";
import { set } from "../harness/settings.mjs";
import { scenario } from "../harness/suite.mjs";

const pending = (count) => until(`${count} wait`, async () => (await state()).pending.length === count);

/** Opens a file, and the Explorer at its row. */
async function inExplorer(one) {
  await one.open();
  await call("command", { id: "workbench.files.action.showActiveFileInExplorer" });
  await ui.page.locator(".explorer-folders-view .monaco-list-row", { hasText: one.base }).waitFor();
}

const one = file("visible/marks/one.txt", "old\n");
const other = file("visible/marks/other.txt", "old\n");

scenario("a file with a pending change is marked in the Explorer and on its tab, as long as that waits", async () => {
  await inExplorer(one);
  const asked = await agent("one").readAndEdit(one, "old", "new", { agent: "Eve \u202e$(zap) [x](command:y)" });
  const meaning = "Pending change by Eve \\u{202e}$(zap) [x](command:y): +1 −1";
  for (const where of ["Explorer", "tab"]) await ui.marked(where, "one.txt", "P", meaning);
  await ui.marked("Explorer", "other.txt");
  await asked.cancel();
  for (const where of ["Explorer", "tab"]) await ui.marked(where, "one.txt");
});

const MEANING = "Pending change by Ada: +1 −1";

scenario("what is accepted is marked no more, nor is the rest if the setting says so", async () => {
  await inExplorer(one);
  const asked = await agent("accepted").readAndEdit(one, "old", "new");
  const rest = await agent("rest").readAndEdit(other, "old", "new");
  await pending(2);
  await ui.marked("Explorer", "other.txt", "P", MEANING);
  await set("agentfs.decorations.enabled", false);
  for (const name of ["one.txt", "other.txt"]) await ui.marked("Explorer", name);
  await set("agentfs.decorations.enabled", true);
  for (const name of ["one.txt", "other.txt"]) await ui.marked("Explorer", name, "P", MEANING);

  await rest.cancel();
  await reviewWith("new");
  await ui.titleButton("Accept").click();
  assert.equal((await asked.answer).data.review.decision, "accepted");
  await ui.marked("Explorer", "one.txt");
});

const beside = file("visible/folders/beside.txt", "old\n");
file("visible/folders/inner/there.txt", "old\n");

scenario("the folder of a file that an agent wants to create is marked", async () => {
  await inExplorer(beside);
  const made = file("visible/folders/inner/made.txt");
  const asked = agent("made").write(made, "new\n");
  await pending(1);
  await until("its folder is marked", async () => (await ui.mark("Explorer", "inner")).isColored);
  assert.equal((await ui.mark("Explorer", "beside.txt")).isColored, false);
  await asked.cancel();
  await until("it is marked no more", async () => !(await ui.mark("Explorer", "inner")).isColored);
});

const many = Array.from({ length: 300 }, (_, index) => file(`visible/many/${String(index).padStart(3, "0")}.txt`, "old\n"));

scenario("of hundreds of files that change together, each is marked", async () => {
  await inExplorer(many[0]);
  const rows = ui.page.locator(".explorer-folders-view .monaco-list-row .monaco-icon-label", { hasText: /^\d{3}\.txt/ });
  const ada = agent("many");
  for (const each of many) await ada.read(each);
  const asked = batch("many", many.map(({ name: path }) => ({ tool: "edit", params: { path, old_string: "old", new_string: "new" } })));
  await pending(1);
  const badges = () => rows.evaluateAll((all) => all.map((label) => getComputedStyle(label, "::after").content));
  await until("each is marked", async () => (await badges()).every((badge) => badge === '"P"'));
  assert.ok((await badges()).length > 10);
  await asked.cancel();
  await until("none is marked", async () => (await badges()).every((badge) => badge !== '"P"'));
});

const counted = file("visible/counted.txt", "old\n");
