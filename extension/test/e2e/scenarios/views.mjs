// The side bar: what waits, what has landed, and all of it at once.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

import { agent } from "../harness/agents.mjs";
import { file } from "../harness/files.mjs";
import { until } from "../harness/page.mjs";
import { reviewWith } from "../harness/reviews.mjs";
import { call, home, reloadWindow, state, ui } from "../harness/run.mjs";
import { mode, servers } from "../harness/server.mjs";
import { set } from "../harness/settings.mjs";
import { scenario } from "../harness/suite.mjs";

const trio = (name) => [1, 2, 3].map((number) => file(`views/${name}-${number}.txt`, "old\n"));

async function propose(files) {
  const asked = await Promise.all(files.map((one) => agent(one.base).readAndEdit(one, "old", "new")));
  await until("all are pending", async () => (await state()).pending.length === files.length);
  await call("command", { id: "agentfs.ui.showPending" });
  for (const one of files) await ui.viewRow("Pending", one.base).waitFor();
  return asked;
}

const all = trio("all");

scenario("accept all: asked once, with a list of them; then all land", async () => {
  const asked = await propose(all);
  const row = await ui.viewRow("Pending", all[0].base).innerText();
  assert.match(row, /Ada/);
  assert.match(row, /\+1 [-−]1/);

  await ui.pressInView("Pending", /^Accept All/);
  assert.match(await ui.dialogText(), /all-1\.txt[^]*all-2\.txt[^]*all-3\.txt/);
  await ui.answerDialog("Cancel");
  assert.deepEqual(
    all.map((one) => one.text()),
    ["old\n", "old\n", "old\n"],
    "cancelling accepts nothing",
  );

  await ui.pressInView("Pending", /^Accept All/);
  await ui.answerDialog("Accept All 3");

  for (const one of asked) assert.equal((await one.answer).data.review.decision, "accepted");
  assert.deepEqual(
    all.map((one) => one.text()),
    ["new\n", "new\n", "new\n"],
  );
  await ui.tabsAre();
});

const none = trio("none");

scenario("reject all, with one reason", async () => {
  const asked = await propose(none);
  await ui.pressInView("Pending", /^Reject All/);
  await ui.answer("Not today.");

  for (const one of asked) assert.equal((await one.answer).context.review.feedback, "Not today.");
  assert.deepEqual(
    none.map((one) => one.text()),
    ["old\n", "old\n", "old\n"],
  );
  await ui.tabsAre();
});

const chosen = trio("chosen");

scenario("a row of the list opens its review", async () => {
  const asked = await propose(chosen);
  await ui.viewRow("Pending", chosen[1].base).click();
  await until("its review is in front", async () => (await ui.tabNames()).join().startsWith("chosen-2.txt"));
  await ui.pressTitle("Accept");
  assert.equal((await asked[1].answer).data.applied, true);
  assert.deepEqual(
    chosen.map((one) => one.text()),
    ["old\n", "new\n", "old\n"],
  );
});

const withdrawn = trio("withdrawn");

scenario("a click on a row's button does nothing to the row that moves under the mouse as another goes", async () => {
  const [first, ...others] = await propose(withdrawn);
  const [row, next] = withdrawn.map((one) => ui.viewRow("Pending", one.base).first());
  const button = (of) => of.getByRole("button", { name: "Accept Proposed Change" });
  await row.hover();
  const { x, y, width, height } = await until("its button is drawn", () => button(row).boundingBox());
  await first.cancel();
  // Before that, the click may begin on the one row and end on the other, which is no click.
  await until("the next row's button has moved there", async () => (await button(next).boundingBox())?.y === y, {
    everyMs: 10,
  });
  await ui.page.mouse.click(x + width / 2, y + height / 2);
  await ui.statusBarSays("The list has just changed. Nothing was done. Try again.");
  await ui.tabsAre();
  for (const one of others) await one.cancel();
});

const redrawn = trio("redrawn");

const listed = ["one", "two"].map((number) => file(`views/listed-${number}.txt`, "old\n"));

scenario("a row accepts what the user has seen, and shows what they have not", async () => {
  const asked = [];
  for (const one of listed) asked.push(await agent(one.base).readAndEdit(one, "old", `new ${one.base}`));
  await until("both wait", async () => (await state()).pending.length === 2);
  await call("command", { id: "agentfs.ui.showPending" });
  await until("a press counts, once the rows have not moved for a moment", async () => {
    if ((await ui.tabNames()).some((name) => name.startsWith("listed-two.txt"))) return true;
    await ui.pressInRow("Pending", "listed-two.txt", "Accept Proposed Change");
    return false;
  }, { everyMs: 400 });
  await ui.diffWith("new listed-two.txt");
  await ui.statusBarSays("Nothing decided. Look at this change, then accept it.");
  assert.equal(listed[1].text(), "old\n");
  await ui.viewRow("Pending", "listed-one.txt").click();
  await ui.diffWith("new listed-one.txt");

  await until("it counts as seen", async () => {
    if ((await state()).pending.length === 1) return true;
    await ui.pressInRow("Pending", "listed-two.txt", "Accept Proposed Change");
    return false;
  }, { everyMs: 1500 });
  assert.equal((await asked[1].answer).data.applied, true);
  assert.equal(listed[0].text(), "old\n");
  await ui.pressInRow("Pending", "listed-one.txt", "Reject Proposed Change…");
  await ui.answer("");
  assert.equal((await asked[0].answer).error.code, "USER_REJECTED");
});

scenario("a row that is drawn anew while it is pressed does nothing, whatever is in front, and says so", async () => {
  await propose(redrawn);
  for (const command of ["openReview", "reject", "acceptFile", "rejectFile", "openLanded", "undoLanded", "undoFrom", "undoSession", "restoreCheckpoint", "renameCheckpoint", "deleteCheckpoint"]) {
    await call("command", { id: `agentfs.ui.row.${command}` });
    await ui.saysInPassing("Try again.");
  }
  assert.equal((await state()).pending.length, 3);
  assert.deepEqual(
    redrawn.map((one) => one.text()),
    ["old\n", "old\n", "old\n"],
  );
});

const landed = file("views/landed.txt", "before\n");

scenario("what has landed is listed, and its diff can be opened", async () => {
  const asked = await agent("landed").readAndEdit(landed, "before", "after");
  await reviewWith("after");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.landing, "disk");
  await ui.tabsAre();

  await call("command", { id: "agentfs.ui.showPending" });
  await ui.viewRow("Landed", "landed.txt").click();

  const diff = await ui.requestedDiff("landed.txt (landed)", "after");
  assert.match(diff.original, /before/);
  assert.equal(await ui.titleButton("Accept").count(), 0, "it is not a review");
  assert.equal(landed.text(), "after\n");

  await ui.titleButton("Undo Change…").click();
  await ui.diffWith("before");
  await ui.pressTitle("Accept");
  await until("it is undone", () => landed.text() === "before\n");
  await ui.tab("landed.txt (landed)").click();
  await until("it is not offered again", async () => (await ui.titleButton("Undo Change…").count()) === 0);
});

const undone = file("views/undone.txt", "one\ntwo\nthree\n");

scenario("a change is undone from the view, also where the file moved on, and the undo is undone", async () => {
  const ada = agent("undone");
  const asked = await ada.readAndEdit(undone, "one", "1");
  await reviewWith("1");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.landing, "disk");
  undone.change("1\ntwo\nthree, by hand\n");
  await call("command", { id: "agentfs.ui.showPending" });

  await ui.pressInRow("Landed", "undone.txt", "Undo Change…");
  const diff = await ui.diffWith("one");
  assert.match(diff.original, /three, by hand/);
  assert.equal(undone.text(), "1\ntwo\nthree, by hand\n", "an undo is reviewed like any change");
  await ui.pressTitle("Accept");
  await until("it is undone", () => undone.text() === "one\ntwo\nthree, by hand\n");
  await until("two rows", async () => (await ui.viewRow("Landed", "undone.txt").count()) === 2);

  await ui.pressInRow("Landed", "undone.txt", "Undo Change…");
  await ui.diffWith("1");
  await ui.pressTitle("Accept");
  await until("the undo is undone", () => undone.text() === "1\ntwo\nthree, by hand\n");
  await ui.tabsAre();
});

const overlapping = file("views/overlapping.txt", "one\n");

scenario("an undo that overlaps with what came later is a conflict, and says so", async () => {
  const asked = await agent("overlapping").readAndEdit(overlapping, "one", "1");
  await reviewWith("1");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.landing, "disk");
  overlapping.change("1, by hand\n");
  await call("command", { id: "agentfs.ui.showPending" });

  await ui.pressInRow("Landed", "overlapping.txt", "Undo Change…");
  await ui.saysInPassing("'views/overlapping.txt' was changed on disk in the same lines");
  assert.equal(overlapping.text(), "1, by hand\n");
  assert.deepEqual((await state()).pending, []);
});

const guarded = file("views/.env");

scenario("a change of a file that no agent may read is listed in a new window and undone from there", async () => {
  const ada = agent("guarded");
  const made = ada.write(guarded, "KEY=1\n");
  await reviewWith("KEY=1");
  await ui.pressTitle("Accept");
  assert.equal((await made.answer).data.landing, "disk");
  const asked = ada.edit(guarded, "KEY=1", "KEY=2");
  await reviewWith("KEY=2");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.landing, "disk");

  await reloadWindow();
  await call("command", { id: "agentfs.ui.showPending" });
  await ui.viewRow("Landed", ".env").first().click();
  const diff = await ui.requestedDiff(".env (landed)", "KEY=2");
  assert.match(diff.original, /KEY=1/);

  await ui.pressInRow("Landed", ".env", "Undo Change…");
  await until("the undo is in front", async () => /KEY=2/.test((await ui.diffWith("KEY=1")).original));
  assert.equal(guarded.text(), "KEY=2\n", "an undo is reviewed like any change");
  await ui.pressTitle("Accept");
  await until("it is undone", () => guarded.text() === "KEY=1\n");
});

const allowed = file("views/allowed.txt", "before\n");

scenario("what was let through without a review is listed too, with its diff", async () => {
  await set("agentfs.approval.mode", "auto_edit");
  await until("changes are let through", async () => (await mode()) === "auto_edit");
  const answer = await (await agent("allowed").readAndEdit(allowed, "before", "after")).answer;
  assert.equal(answer.data.review.by, "mode");
  assert.equal(allowed.text(), "after\n");

  await call("command", { id: "agentfs.ui.showPending" });
  await ui.viewRow("Landed", "allowed.txt").filter({ hasText: "not reviewed" }).click();
  const diff = await ui.requestedDiff("allowed.txt (landed)", "after");
  assert.match(diff.original, /before/);
});

const awaited = file("views/awaited.txt", "before\n");
const mine = file("views/mine.txt", "");

scenario("a diff of what has landed that comes late leaves the keys to whoever types by then", async () => {
  await set("agentfs.approval.mode", "auto_edit");
  await until("changes are let through", async () => (await mode()) === "auto_edit");
  await (await agent("awaited").readAndEdit(awaited, "before", "after")).answer;
  await reloadWindow();
  await call("command", { id: "agentfs.ui.showPending" });
  await ui.viewRow("Landed", "awaited.txt").waitFor();
  await mine.open();
  const [pid] = servers();
  process.kill(pid, "SIGSTOP");
  try {
    await ui.viewRow("Landed", "awaited.txt").click();
    await ui.focusEditor();
    await ui.page.keyboard.type("what is typed");
  } finally {
    process.kill(pid, "SIGCONT");
  }
  await ui.offers("The diff of awaited.txt is ready.", "Show What Changed");
  await ui.page.keyboard.type(" and after");
  await until("all is in the own file", async () => (await mine.document()).text === "what is typed and after");
  await ui.noTab("awaited.txt");

  await ui.pressInMessage("The diff of awaited.txt is ready.", "Show What Changed");
  assert.match((await ui.diffWith("after")).original, /before/);
});

const unkept = file("views/unkept.txt", "before\n");

scenario("without a history a row offers its diff, and no undo", async () => {
  await set("agentfs.history.enabled", false);
  const asked = await agent("unkept").readAndEdit(unkept, "before", "after");
  await reviewWith("after");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.landing, "disk");

  await call("command", { id: "agentfs.ui.showPending" });
  const row = ui.viewRow("Landed", "unkept.txt").first();
  await row.hover();
  await row.getByRole("button", { name: "Open Diff" }).waitFor();
  assert.equal(await row.getByRole("button", { name: "Undo Change…" }).count(), 0);
});

const left = file("views/left.txt", "one\ntwo\n");
const saysOf = (name) => ui.viewRow("Landed", name).first().innerText();

scenario("the history says 'unsaved' of a change only while it waits in the editor", async () => {
  await left.open();
  await left.type("mine ");
  const asked = await agent("left").readAndEdit(left, "two", "2");
  await reviewWith("2");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.landing, "editor");
  await ui.saysInPassing("The change of left.txt is in the editor, but not saved.");
  await call("command", { id: "agentfs.ui.showPending" });
  await until("it waits", async () => /unsaved/.test(await saysOf("left.txt")));

  await ui.focusEditor();
  await ui.page.keyboard.press("Control+Z");
  await until("it was undone", async () => /reverted/.test(await saysOf("left.txt")));
  await ui.page.keyboard.press("Control+Shift+Z");
  await until("it waits again", async () => /unsaved/.test(await saysOf("left.txt")));
  await call("save", { path: left.path });
  await until("it is saved", async () => !/unsaved|reverted/.test(await saysOf("left.txt")));
});

const dropped = file("views/dropped.txt", "one\ntwo\n");

scenario("a change that is reverted is 'reverted' in the history", async () => {
  await dropped.open();
  await dropped.type("mine ");
  const asked = await agent("dropped").readAndEdit(dropped, "two", "2");
  await reviewWith("2");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.landing, "editor");
  await ui.saysInPassing("The change of dropped.txt is in the editor, but not saved.");
  await call("command", { id: "agentfs.ui.showPending" });
  await until("it waits", async () => /unsaved/.test(await saysOf("dropped.txt")));

  await ui.focusEditor();
  await call("command", { id: "workbench.action.files.revert" });
  await until("it is reverted", async () => /reverted/.test(await saysOf("dropped.txt")));
  await dropped.type("something else ");
  await until("it is typed", async () => (await dropped.document()).dirty);
  await call("save", { path: dropped.path });
  await until("saved", async () => !(await dropped.document()).dirty);
  assert.match(await saysOf("dropped.txt"), /reverted/);

  await reloadWindow();
  await call("command", { id: "agentfs.ui.showPending" });
  await until("nobody knows what became of it", async () => / · was unsaved/.test(await saysOf("dropped.txt")));

  await dropped.open();
  await dropped.type("mine ");
  const again = await agent("dropped").readAndEdit(dropped, "two", "2");
  await reviewWith("2");
  await ui.pressTitle("Accept");
  assert.equal((await again.answer).data.landing, "editor");
  await ui.saysInPassing("The change of dropped.txt is in the editor, but not saved.");
  await call("command", { id: "agentfs.ui.showPending" });
  await until("it waits", async () => / · unsaved/.test(await saysOf("dropped.txt")));
  await ui.focusEditor();
  await call("command", { id: "workbench.action.files.revert" });
  await until("it is reverted", async () => /reverted/.test(await saysOf("dropped.txt")));
  assert.match(await ui.viewRow("Landed", "dropped.txt").nth(1).innerText(), / · was unsaved/);
});

const [lost, found] = ["lost", "found"].map((name) => file(`views/${name}.txt`, "one\ntwo\n"));

/** The unsaved texts that VS Code brings back after a reload, each behind its URI. */
function backups() {
  const user = path.join(home, "user/User");
  const names = readdirSync(user, { recursive: true, encoding: "utf8" }).filter((name) => name.includes("Backups"));
  return names.map((name) => path.join(user, name)).filter((one) => statSync(one, { throwIfNoEntry: false })?.isFile()).map((one) => readFileSync(one, "utf8"));
}

scenario("what an earlier window left in the editor is 'reverted' in the history, or saved, if the files tell", async () => {
  await set("agentfs.save", "never");
  for (const one of [lost, found]) {
    await one.open();
    const asked = await agent(one.base).readAndEdit(one, "two", "2");
    await reviewWith("2");
    await ui.pressTitle("Accept");
    assert.equal((await asked.answer).data.landing, "editor");
  }
  await call("command", { id: "agentfs.ui.showPending" });
  for (const { base } of [lost, found]) await until("it waits", async () => / · unsaved/.test(await saysOf(base)));
  for (const { base } of [lost, found]) await until("VS Code has stored it", () => backups().some((text) => text.includes(base) && text.includes("\n2")));

  await reloadWindow();
  await call("command", { id: "agentfs.ui.showPending" });
  for (const { base } of [lost, found]) await until("VS Code has kept it", async () => / · was unsaved/.test(await saysOf(base)));
  await call("save", { path: found.path });
  await until("it is saved", async () => !/unsaved|reverted/.test(await saysOf("found.txt")));
  await found.type("more ");
  await call("save", { path: found.path });
  await until("more is saved", () => found.text().startsWith("more "));
  await lost.open();
  await call("command", { id: "workbench.action.files.revert" });
  await until("it is reverted", async () => / · reverted/.test(await saysOf("lost.txt")));
  assert.doesNotMatch(await saysOf("found.txt"), /unsaved|reverted/, "it stays saved");
  await found.open();
  await call("command", { id: "undo" });
  await call("save", { path: found.path });
  await until("more is gone", () => !found.text().startsWith("more "));

  await reloadWindow();
  await call("command", { id: "agentfs.ui.showPending" });
  await until("it is known at once", async () => / · reverted/.test(await saysOf("lost.txt")));
  assert.doesNotMatch(await saysOf("found.txt"), /unsaved|reverted/);
});

const kept = file("views/kept.txt", "before\n");
const counted = file("views/counted.txt", "1\n");

scenario("history outlives the window, and comes page by page", async () => {
  const asked = await agent("kept").readAndEdit(kept, "before", "after");
  await reviewWith("after");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.landing, "disk");
  await set("agentfs.approval.mode", "auto_edit");
  await until("changes are let through", async () => (await mode()) === "auto_edit");
  const ada = agent("counted");
  await ada.read(counted);
  for (let count = 1; count <= 60; count++) await ada.edit(counted, `${count}`, `${count + 1}`).answer;
  assert.equal(counted.text(), "61\n");

  await reloadWindow();

  await call("command", { id: "agentfs.ui.showPending" });
  await ui.viewRow("Landed", "counted.txt").first().waitFor();
  await call("command", { id: "agentfs.landed.focus" });
  await ui.untilRow("Landed", "Older Changes…", "End");
  await ui.viewRow("Landed", "Older Changes…").click();
  await call("command", { id: "agentfs.landed.focus" });
  await ui.untilRow("Landed", "kept.txt", "PageDown");
  await ui.viewRow("Landed", "kept.txt").click();
  const diff = await ui.requestedDiff("kept.txt (landed)", "after");
  assert.match(diff.original, /before/);
  assert.equal(kept.text(), "after\n");
});

const served = file("views/served.txt", "old\n");

scenario("a Python that does not fit: a message with a button that helps, and all is well once it is set", async () => {
  await set("agentfs.interpreter", "/nowhere/python3");
  await ui.offers("agentfs needs Python 3.11 or newer", "Choose Interpreter…");
  await ui.saysInPassing("agentfs needs Python 3.11 or newer");

  await set("agentfs.interpreter", null);

  const asked = await agent("served").readAndEdit(served, "old", "new");
  await reviewWith("new");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.applied, true);
  assert.equal(served.text(), "new\n");
});

const slippedIn = file("views/slipped-in.txt", "old\n");
const opened = file("views/opened.txt", "mine\n");

scenario("only the undo that the user asks for is opened, whatever session an agent says it has", async () => {
  const ada = agent("vscode-history");
  await ada.read(slippedIn);
  const undone = call("command", { id: "agentfs.ui.row.undoLanded", args: [{ id: "0000000000000000", agent: "Ada", tool: "edit", explanation: "" }] });
  const asked = ada.edit(slippedIn, "old", "new");
  await until("it waits", async () => (await state()).pending.length === 1);
  await undone;
  await ui.saysInPassing("0000000000000000");

  await opened.open();
  await ui.tabsAre("opened.txt");
  await asked.cancel();
  await call("close", { path: "all" });
});
