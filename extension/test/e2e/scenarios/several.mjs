// Several files in one proposal, shown in the multi-diff editor; a scripted server proposes them.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";

import { until } from "../harness/page.mjs";
import { call, file, scenario, set, state, ui, workbench } from "../harness/suite.mjs";

const python = path.join(import.meta.dirname, "../scripted/python");

/** Has the scripted server run, and propose these texts together. */
async function propose(name, changes) {
  await set("agentfs.interpreter", python);
  await until(
    "the scripted server runs",
    async () => (await call("request", { method: "agentfs/status", params: {} })) === null,
  );
  const operations = changes.map(([file, content]) => ({ tool: "write", params: { path: file.name, content } }));
  const params = { session: name, agent: "Ada", explanation: "They belong together.", operations };
  const asked = workbench.extension.request("agentfs/batch", params);
  await until("the proposal has come", async () => (await state()).pending.length === 1);
  await ui.severalWith(changes[0][1].trim());
  return asked;
}

const trio = (name) => [
  file(`several/${name}/one.txt`, "old one\n"),
  file(`several/${name}/two.txt`, "old two\n"),
  file(`several/${name}/made/three.txt`),
];
const texts = (files) => files.map((one) => (existsSync(one.path) ? one.text() : null));
const proposed = ["new one\n", "new two\n", "new three\n"];
const together = (files) => files.map((one, index) => [one, proposed[index]]);

const accepted = trio("accepted");

scenario("several files: one editor, accepted all at once", async () => {
  const asked = await propose("all", together(accepted));
  assert.deepEqual(await ui.severalNames(), ["one.txt", "two.txt", "three.txt"]);
  await ui.sees("Ada: They belong together.");

  await ui.titleButton("Accept").click();

  const { status, settled } = await asked.answer;
  assert.deepEqual([status, settled.decision, settled.files], ["success", "accepted", undefined]);
  assert.deepEqual(texts(accepted), proposed);
  await ui.tabsAre();
});

const refused = trio("refused");

scenario("several files: rejected all at once, with a reason", async () => {
  const asked = await propose("none", together(refused));
  await ui.titleButton("Reject").click();
  await ui.answer("None of them.");

  const { settled } = await asked.answer;
  assert.deepEqual([settled.decision, settled.feedback], ["rejected", "None of them."]);
  assert.deepEqual(texts(refused), ["old one\n", "old two\n", null]);
  await ui.tabsAre();
});

const each = trio("each");

scenario("several files: decided one by one", async () => {
  const asked = await propose("each", together(each));

  await ui.decideFile("one.txt", "Accept This File");
  await ui.decideFile("two.txt", "Reject This File");
  assert.deepEqual(texts(each), ["old one\n", "old two\n", null], "nothing lands before the last is decided");
  await ui.decideFile("three.txt", "Accept This File");

  const { settled } = await asked.answer;
  const said = Object.fromEntries(settled.files.map(({ uri, decision }) => [path.basename(uri), decision]));
  assert.equal(said["two.txt"] ?? settled.decision, "rejected");
  assert.equal(said["one.txt"] ?? settled.decision, "accepted");
  assert.deepEqual(texts(each), ["new one\n", "old two\n", "new three\n"]);
  await ui.tabsAre();
});

const typed = trio("typed");

scenario("several files: one of them amended, all accepted", async () => {
  const asked = await propose("typed", together(typed));
  await ui.clickLine("new two");
  await ui.page.keyboard.type(", amended");
  await ui.titleButton("Accept").click();

  await asked.answer;
  assert.deepEqual(texts(typed), ["new one\n", "new two, amended\n", "new three\n"]);
  await ui.tabsAre();
});

const apart = trio("apart");

scenario("several files: a draft that VS Code opens in a tab of its own is decided there alone", async () => {
  const asked = await propose("apart", together(apart));
  await ui.clickLine("new two");
  await ui.page.keyboard.type(", amended");
  await ui.tab("two.txt").click();
  await ui.sees("new two, amended");
  await ui.titleButton("Reject").click();
  await call("command", { id: "agentfs.ui.showPending" });
  await until("it is decided", async () => (await ui.viewRow("Pending", "two.txt").innerHTML()).includes("codicon-close"));
  assert.equal((await state()).pending.length, 1, "the others wait");

  await ui.tab("3 files").click();
  await ui.titleButton("Accept").click();

  const { settled } = await asked.answer;
  assert.deepEqual(
    settled.files.map(({ uri, decision }) => [path.basename(uri), decision]),
    [["two.txt", "rejected"]],
    "accepting all is no word about what was rejected before",
  );
  assert.deepEqual(texts(apart), ["new one\n", "old two\n", "new three\n"]);
  await ui.tabsAre();
});
