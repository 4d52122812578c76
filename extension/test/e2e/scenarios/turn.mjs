// What an agent did in one session, as a whole: listed together, and undone together.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";

import { agent } from "../harness/agents.mjs";
import { file } from "../harness/files.mjs";
import { until } from "../harness/page.mjs";
import { call, reloadWindow, state, ui } from "../harness/run.mjs";
import { mode } from "../harness/server.mjs";
import { set } from "../harness/settings.mjs";
import { scenario } from "../harness/suite.mjs";

/** What agents ask for lands without a review. */
async function letThrough() {
  await set("agentfs.approval.mode", "auto_edit");
  await until("changes are let through", async () => (await mode()) === "auto_edit");
}

async function land(ada, one, before, now, more = {}) {
  const { data } = await (await ada.readAndEdit(one, before, now, more)).answer;
  assert.equal(data.landing, "disk");
}

const session = (name) => ui.viewRow("Landed", name);

/** What the rows say, from top to bottom. */
const rows = () =>
  ui.viewRow("Landed", "").evaluateAll((all) =>
    all
      .toSorted((row, below) => Number(row.dataset.index) - Number(below.dataset.index))
      .map((row) => (row.textContent ?? "").replaceAll(/\s+/g, " ")),
  );

// The view lists other scenarios' files, too.
const [one, two, other] = ["turn-one", "turn-two", "turn-other"].map((name) => file(`turn/${name}.txt`, `old ${name}\n`));

scenario("what an agent changed in one session is one group of the view, also in a new window", async () => {
  await letThrough();
  const [grace, alan] = [agent("turn-grace"), agent("turn-alan")];
  await land(grace, one, "old", "new", { agent: "Grace" });
  await land(alan, other, "old", "new", { agent: "Alan" });
  await land(grace, two, "old", "new", { agent: "Grace" });
  await call("command", { id: "agentfs.landed.focus" });

  const group = session("Grace").first();
  await until("its changes are counted", async () => /Grace\s*2 changes · \+2 −2/.test(await group.innerText()));
  assert.match(await group.getAttribute("aria-label"), /^Session of Grace, 2 changes, the last landed at /);
  const listed = /^ ?Grace ?2 changes.*two\.txt ?not reviewed · \+1 −1.*one\.txt ?not reviewed · \+1 −1.*Alan ?1 change .*other\.txt/;
  await until("they stand below it", async () => listed.test((await rows()).slice(0, 5).join(" ")));

  await group.click();
  await ui.page.keyboard.press("ArrowLeft");
  await until("it is closed by key", async () => (await session("turn-two.txt").count()) === 0);
  await ui.page.keyboard.press("ArrowRight");
  await session("turn-two.txt").waitFor();

  await reloadWindow();
  await call("command", { id: "agentfs.landed.focus" });
  await session("Grace").waitFor();
  await session("turn-two.txt").waitFor();
});

const turn = ["one", "two"].map((name) => file(`turn/all/${name}.txt`, `old ${name}\nmiddle\nlast\n`));
const created = file("turn/all/new/created.txt");

/** A turn of three changes in two files, and a file that it creates. */
async function takeTurn(name) {
  const ada = agent(name);
  await land(ada, turn[0], "old one", "new one");
  await land(ada, turn[1], "old two", "new two");
  await land(ada, turn[0], "new one", "newer one");
  assert.equal((await (await ada.write(created, "created\n")).answer).data.landing, "disk");
}

const was = ["old one\nmiddle\nlast\n", "old two\nmiddle\nlast\n"];
const texts = () => turn.map((each) => each.text());

scenario("everything in a session is undone by one review, from its row", async () => {
  await letThrough();
  await takeTurn("turn-all");
  turn[0].change("newer one\nmiddle\nlast, by hand\n");
  await set("agentfs.approval.mode", "manual");
  await until("changes are reviewed", async () => (await mode()) === "manual");
  await call("command", { id: "agentfs.landed.focus" });
  await until("all are counted", async () => /4 changes/.test((await rows())[0]));

  await ui.pressInRow("Landed", "4 changes", "Undo Everything in This Session…");
  await ui.severalWith("old one");
  await ui.tabsAre("Undo Session of Ada (3 files)");
  assert.equal(turn[1].text(), "new two\nmiddle\nlast\n", "an undo is reviewed like any change");
  const { pending } = await state();
  assert.deepEqual(pending.map(({ files }) => files.length), [3], "one proposal of three files");
  await ui.pressTitle("Accept");

  await until("all is as before, but for what came by hand", () => texts().join() === [was[0].replace("last", "last, by hand"), was[1]].join());
  assert.equal(existsSync(created.path), false);
  await ui.tabsAre();
  await until("the undo is a row by itself", async () => /^ ?Undo Session of Ada ?.*created\.txt/.test((await rows())[0]));

  await ui.pressInRow("Landed", "4 changes", "Undo Everything in This Session…");
  await ui.saysInPassing("There is nothing left to undo in these changes.");
});

const partly = ["one", "two"].map((name) => file(`turn/partly/${name}.txt`, "first\nmiddle\nlast\n"));

scenario("a change and all of its session since are undone from its row, and then their rows say so", async () => {
  await letThrough();
  const [ada, bob] = [agent("turn-partly"), agent("turn-partly-other")];
  await land(ada, partly[0], "first", "1st");
  await land(ada, partly[1], "first", "1st", { explanation: "Shorter." });
  await land(bob, partly[0], "last", "latest", { agent: "Bob" });
  await land(ada, partly[0], "middle", "centre");
  await set("agentfs.approval.mode", "manual");
  await until("changes are reviewed", async () => (await mode()) === "manual");
  await call("command", { id: "agentfs.landed.focus" });
  const partlyRow = () => ui.viewRow("Landed", "“Shorter.”").first();
  await until("the reason comes first", async () => /two\.txt ?not reviewed · “Shorter\.” · \+1 −1/.test((await partlyRow().textContent()).replaceAll(/\s+/g, " ")));

  await ui.rowMenu("Landed", "“Shorter.”", "Undo from Here…");
  await ui.severalWith("middle");
  await ui.tabsAre("Undo Changes of Ada (2 files)");
  await ui.pressTitle("Accept");
  await until("all but the first is undone", () => partly.map((each) => each.text()).join() === "1st\nmiddle\nlatest\n,first\nmiddle\nlast\n");
  await until("the undo says what it was", async () => /^ ?Undo Changes of Ada ?/.test((await rows())[0]));
  await until("they are marked", async () => /two\.txt ?undone · not reviewed · “Shorter\.”/.test((await rows()).join(" ")));
  const first = (await rows()).find((row) => /one\.txt ?not reviewed · \+1 −1/.test(row));
  assert.ok(first !== undefined, "the first is not");
  await partlyRow().hover();
  assert.equal(await partlyRow().getByRole("button", { name: /^Undo/ }).count(), 0);

  await ui.pressInRow("Landed", "Undo Changes of Ada", "Undo Change…");
  await ui.severalWith("centre");
  await ui.tabsAre("Undo “Undo Changes of Ada” (2 files)");
  await ui.pressTitle("Accept");
  await until("all is back", () => partly.map((each) => each.text()).join() === "1st\ncentre\nlatest\n,1st\nmiddle\nlast\n");
  await until("nothing but the undo is undone", async () => {
    const [undo, undone, ...others] = (await rows()).slice(0, 6);
    return /Undo “Undo Changes of Ada”/.test(undo) && /Undo Changes of Ada ?undone/.test(undone) && !others.some((row) => row.includes("undone"));
  });
});

scenario("what stands in the way of undoing a session is named and shown, and the rest is proposed if the user wants that", async () => {
  await letThrough();
  for (const [index, each] of turn.entries()) each.change(was[index]);
  await takeTurn("turn-blocked");
  turn[0].change("newest one, by hand\nmiddle\nlast\n");
  created.change("created\nand more\n");
  await call("command", { id: "agentfs.landed.focus" });
  await until("all are counted", async () => /4 changes/.test((await rows())[0]));

  await ui.pressInRow("Landed", "4 changes", "Undo Everything in This Session…");
  await ui.answerDialog("Undo");
  await ui.pressInMessage("These changes cannot be undone together.", "Show Conflict");
  await ui.requestedTab("created.txt, one.txt");
  await ui.severalWith("newest one, by hand");
  await ui.tabsAre("created.txt, one.txt (before ↔ now) (2 files)");
  assert.deepEqual((await state()).pending, []);
  assert.equal(turn[1].text(), "new two\nmiddle\nlast\n");
  await call("close", { path: "all" });

  await set("agentfs.approval.mode", "manual");
  await until("changes are reviewed", async () => (await mode()) === "manual");
  await call("command", { id: "agentfs.landed.focus" });
  await ui.page.keyboard.press("Home"); // in a list that is scrolled, a copy of the row may cover it
  await ui.pressInRow("Landed", "4 changes", "Undo Everything in This Session…");
  await ui.pressInMessage("These changes cannot be undone together.", "Undo the Others");
  await ui.diffWith("old two");
  await ui.tabsAre("two.txt (Undo Session of Ada)");
  await ui.pressTitle("Accept");
  await until("the other is undone", () => texts().join() === `newest one, by hand\nmiddle\nlast\n,${was[1]}`);
  assert.equal(created.text(), "created\nand more\n");
});

const checked = ["a", "b"].map((name) => file(`turn/checked/${name}.txt`, `old ${name}\nmiddle\nlast\n`));

scenario("a checkpoint is created, shown in its place, restored by one review, renamed, and deleted", async () => {
  await letThrough();
  const [ada, bob] = [agent("turn-checked"), agent("turn-other")];
  await land(ada, checked[0], "old a", "first a");
  await call("command", { id: "agentfs.landed.focus" });
  await until("it is listed", async () => /a\.txt/.test((await rows())[1]));
  await ui.pressInView("Landed", "Create Checkpoint…");
  await ui.answer("Before $(flame) [all](command:x)");
  await until("it is the first row", async () => /^ ?Before \$ ?\(flame\) \[all\] ?\(command:x\) ?\d/.test((await rows())[0]));

  await land(ada, checked[0], "first a", "second a");
  await land(bob, checked[1], "old b", "new b", { agent: "Bob" });
  const order = /^ ?Bob.*b\.txt.*Ada ?1 change.*a\.txt.*Before.*Ada ?1 change.*a\.txt/;
  await until("it separates the changes", async () => order.test((await rows()).slice(0, 7).join(" ")));
  await reloadWindow();
  await call("command", { id: "agentfs.landed.focus" });
  await until("it is there in a new window", async () => order.test((await rows()).slice(0, 7).join(" ")));

  await set("agentfs.approval.mode", "manual");
  await until("changes are reviewed", async () => (await mode()) === "manual");
  await ui.pressInRow("Landed", "Before", "Restore Checkpoint…");
  await ui.severalWith("first a");
  await ui.tabsAre("Restore “Before $ (flame) [all] (command:x)” (2 files)");
  await ui.pressTitle("Accept");
  await until("the files are as they were", () => checked.map((each) => each.text()).join() === "first a\nmiddle\nlast\n,old b\nmiddle\nlast\n");
  await ui.tabsAre();

  const restoring = call("command", { id: "agentfs.ui.restoreCheckpoint" });
  await (await ui.requestedRow("Before")).click();
  await ui.saysInPassing("There is nothing left to undo in these changes.");
  await restoring;

  await ui.pressInRow("Landed", /^\s*Before/, "Rename Checkpoint…");
  await ui.answer("At noon");
  await session("At noon").waitFor();
  await ui.pressInRow("Landed", "At noon", "Delete Checkpoint");
  await until("it is gone", async () => (await session("At noon").count()) === 0);
});

const [changed, untouched] = ["changed", "untouched"].map((name) => file(`turn/${name}.txt`, "old\n"));

scenario("agents' changes of a file are listed from its editor, and open as diffs", async () => {
  await letThrough();
  await land(agent("turn-file"), changed, "old", "new", { explanation: "It is $(flame) [newer](command:x)." });
  await untouched.open();
  await call("command", { id: "agentfs.ui.showFileChanges" });
  await ui.saysInPassing("No agent has changed turn/untouched.txt.");

  await changed.open();
  const listing = call("command", { id: "agentfs.ui.showFileChanges" });
  const row = ui.listRow("Ada · +1 −1");
  assert.match(await row.innerText(), /It is \$ \(flame\) \[newer\] \(command:x\)\./);
  await row.click();
  assert.match((await ui.requestedDiff("changed.txt (landed)", "new")).original, /old/);
  await listing;

  await ui.tab("untouched.txt").click({ button: "right" });
  await ui.page.locator(".monaco-menu", { hasText: "Show Agents' Changes of This File" }).waitFor();
  await ui.page.keyboard.press("Escape");
});
