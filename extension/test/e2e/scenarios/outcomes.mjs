// What a person hears of a change after the decision, and what keeps a review true while it waits.

import assert from "node:assert/strict";
import { renameSync, rmSync } from "node:fs";
import path from "node:path";

import { agent, batch } from "../harness/agents.mjs";
import { file } from "../harness/files.mjs";
import { otherReviewer } from "../harness/outside.mjs";
import { until } from "../harness/page.mjs";
import { acceptDuring, openReview, reviewWith, takeDraft, whileHostIsBusy } from "../harness/reviews.mjs";
import { call, state, ui, workbench } from "../harness/run.mjs";
import { interpreter, servers } from "../harness/server.mjs";
import { set } from "../harness/settings.mjs";
import { scenario } from "../harness/suite.mjs";

const confirmed = file("outcomes/confirmed.txt", "old\n");

scenario("a change that landed is confirmed in the status bar, and undone from there", async () => {
  const asked = await agent("confirmed").readAndEdit(confirmed, "old", "new");
  await reviewWith("new");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.applied, true);

  await ui.page.locator(".statusbar-item", { hasText: "Changed confirmed.txt" }).click();

  await ui.diffWith("old");
  await ui.pressTitle("Accept");
  await until("it is undone", () => confirmed.text() === "old\n");
});

const twice = file("outcomes/twice.txt", "old\n");

scenario("a double click on Undo proposes one undo, and another click opens its review", async () => {
  const asked = await agent("twice").readAndEdit(twice, "old", "new");
  await reviewWith("new");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.applied, true);
  const undo = ui.page.locator(".statusbar-item", { hasText: "Changed twice.txt" });

  await undo.dblclick();

  await until("it waits", async () => (await state()).pending.length === 1);
  await undo.click();
  await ui.diffWith("old");
  await ui.pressTitle("Accept");
  await until("nothing waits", async () => (await state()).pending.length === 0);
  assert.equal(twice.text(), "old\n");
});

const dirty = file("outcomes/dirty.txt", "one\ntwo\n");

scenario("a change that waits unsaved says so, and offers to save", async () => {
  await dirty.open();
  await dirty.type("mine ");
  const asked = await agent("dirty").readAndEdit(dirty, "two", "2");
  await reviewWith("2");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.landing, "editor");

  await ui.pressInMessage("The change of dirty.txt is in the editor, but not saved.", "Save");

  await until("it is saved", () => dirty.text() === "mine one\n2\n");
  await until("it is no longer unsaved", async () => (await dirty.document()).dirty === false);
});

const dropped = ["closed", "reverted", "kept"].map((name) => file(`outcomes/dropped/${name}.txt`, "one\ntwo\n"));

scenario("Save, once what waits was closed or reverted without saving, says that it is gone", async () => {
  const [closed, reverted, kept] = dropped;
  for (const one of dropped) {
    await one.open();
    await one.type("mine ");
  }
  const asked = await proposePair("dropped", dropped);
  await openReview();
  await ui.severalWith("new");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.landing, "editor");
  const drop = { [closed.path]: "revertAndCloseActiveEditor", [reverted.path]: "files.revert" };
  for (const [uri, command] of Object.entries(drop)) {
    await dropped.find(({ path }) => path === uri).open();
    await call("command", { id: `workbench.action.${command}` });
  }
  await until("it is closed", async () => (await closed.document()) === undefined);
  await until("it is reverted", async () => (await reverted.document()).dirty === false);

  await ui.pressInMessage("is in the editor, but not saved.", "Save");

  await ui.saysInPassing("The change of closed.txt, reverted.txt was not saved. It was undone, or the file was closed");
  await until("the other one is saved", () => kept.text() === "new kept.txt\n");
  for (const one of [closed, reverted]) assert.equal(one.text(), "one\ntwo\n");
});

const undone = file("outcomes/undone.txt", "one\ntwo\n");

scenario("Save of a change that the user has undone in the editor says so, and saves nothing else", async () => {
  await undone.open();
  await undone.type("mine ");
  const asked = await agent("undone").readAndEdit(undone, "two", "2");
  await reviewWith("2");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.landing, "editor");
  await undone.open();
  await call("command", { id: "undo" });
  await until("it is undone", async () => (await undone.document()).text === "mine one\ntwo\n");
  await ui.focusEditor();
  await ui.page.keyboard.type("more");
  await until("more is typed", async () => (await undone.document()).text.includes("more"));

  await ui.pressInMessage("The change of undone.txt is in the editor, but not saved.", "Save");

  await ui.saysInPassing("The change of undone.txt was not saved.");
  assert.equal(undone.text(), "one\ntwo\n");
});

scenario("Save says nothing of a change that the user saved before the file was closed", async () => {
  const [saved] = dropped;
  await saved.open();
  await saved.type("again ");
  const asked = await agent("saved").readAndEdit(saved, "two", "2");
  await reviewWith("2");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.landing, "editor");
  await saved.open();
  await call("command", { id: "workbench.action.files.save" });
  await until("it is saved", () => saved.text() === "again one\n2\n");
  await call("command", { id: "workbench.action.closeActiveEditor" });
  await until("it is closed", async () => (await saved.document()) === undefined);

  await ui.pressInMessage("is in the editor, but not saved.", "Save");
  await call("command", { id: "agentfs.ui.openReview" });
  await ui.saysInPassing("No changes are waiting");
});

const locked = file("outcomes/locked.txt", "one\ntwo\n");

scenario("a change of a file that is read-only in the editor says so too, and saves at the user's word", async () => {
  await set("files.readonlyInclude", { "**/locked.txt": true });
  await locked.open();
  const asked = await agent("locked").readAndEdit(locked, "two", "2");
  await reviewWith("2");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.landing, "editor");
  assert.equal(locked.text(), "one\ntwo\n");

  await ui.pressInMessage("The change of locked.txt is in the editor, but not saved.", "Save");

  await until("it is saved", () => locked.text() === "one\n2\n");
});

const pinned = file("outcomes/pinned.txt", "one\ntwo\n");
const own = file("outcomes/own.txt", "");

scenario("Save of a file that is read-only in the editor, if it comes late, leaves the keys to whoever types by then", async () => {
  await set("files.readonlyInclude", { "**/pinned.txt": true });
  await pinned.open();
  const asked = await agent("pinned").readAndEdit(pinned, "two", "2");
  await reviewWith("2");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.landing, "editor");
  await own.open();

  await whileHostIsBusy(async () => {
    await ui.pressInMessage("The change of pinned.txt is in the editor, but not saved.", "Save");
    await ui.focusEditor();
    await ui.page.keyboard.type("mine");
  });

  await ui.offers("The change of pinned.txt is in the editor, but not saved.", "Save");
  await ui.page.keyboard.type(" and after");
  await until("all is in the own file", async () => (await own.document()).text === "mine and after");
  assert.equal(pinned.text(), "one\ntwo\n");
  await ui.pressInMessage("The change of pinned.txt is in the editor, but not saved.", "Save");
  await until("it is saved", () => pinned.text() === "one\n2\n");
  assert.equal(own.text(), "");
});

const moved = file("outcomes/moved.md", "one\ntwo\n");

scenario("a conflict says what changed, and shows it as text, however such files open", async () => {
  await set("workbench.editorAssociations", { "*.md": "vscode.markdown.preview.editor" });
  const asked = await agent("moved").readAndEdit(moved, "two", "2");
  await reviewWith("2");
  await acceptDuring(() => moved.change("one by a build\ntwo\n"));
  assert.equal((await asked.answer).error.code, "CONFLICT");

  await ui.pressInMessage("moved.md was not changed. 'outcomes/moved.md' was changed on disk", "Show What Changed");

  const diff = await ui.requestedDiff("moved.md (changed", "one by a build");
  assert.match(diff.original, /^one$/m);
  await ui.tabsAre("moved.md (changed since the proposal)");
});

const front = file("outcomes/front.txt", "old\n");
const behind = file("outcomes/behind.txt", "old\n");
const behindOpen = file("outcomes/behind-open.txt", "old\n");

scenario("a file that changes before its review is first shown: the review says so from the start", async () => {
  await behindOpen.open();
  const first = await agent("front").readAndEdit(front, "old", "new front");
  const second = await agent("behind").readAndEdit(behind, "old", "new behind");
  const third = await agent("behind-open").readAndEdit(behindOpen, "old", "new open");
  await until("all are pending", async () => (await state()).pending.length === 3);
  await reviewWith("new front");
  behind.change("changed meanwhile\n");
  await behindOpen.type("mine ");

  await ui.pressTitle("Next Proposal");
  await ui.diffWith("new behind");
  await ui.sees("Changed on disk: cannot be accepted");
  await ui.pressTitle("Next Proposal");
  await ui.diffWith("new open");
  await ui.sees("Changed in the editor: cannot be accepted");
  for (const asked of [first, second, third]) await asked.cancel();
});

const renamed = file("outcomes/renamed.txt", "old\n");

scenario("the file is renamed during the review: the review says why it can't be accepted", async () => {
  const asked = await agent("renamed").readAndEdit(renamed, "old", "new");
  await reviewWith("new");

  await call("rename", { path: renamed.path, to: renamed.path.replace("renamed.txt", "other.txt") });

  await ui.sees("Renamed to other.txt: cannot be accepted");
  renameSync(renamed.path.replace("renamed.txt", "other.txt"), renamed.path);
  await until("and that it can be again", async () => !(await ui.frontText()).includes("cannot accept"));
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.applied, true);
  assert.equal(renamed.text(), "new\n");
});

const deleted = file("outcomes/deleted.txt", "old\n");

scenario("an open file is deleted on disk during the review, and restored: the review says so", async () => {
  await deleted.open();
  const asked = await agent("deleted").readAndEdit(deleted, "old", "new");
  await reviewWith("new");

  rmSync(deleted.path);
  await ui.sees("Deleted from disk: cannot be accepted");
  deleted.change("old\n");
  await until("and that it can be again", async () => !(await ui.frontText()).includes("cannot be accepted"));
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.applied, true);
  assert.equal(deleted.text(), "new\n");
});

const within = file("outcomes/folder/below/within.txt", "old\n");

scenario("the folder of the file is moved on disk during the review, and back: the review says so", async () => {
  const folder = path.dirname(path.dirname(within.path));
  const asked = await agent("within").readAndEdit(within, "old", "new");
  await reviewWith("new");

  renameSync(folder, `${folder}-moved`);
  await ui.sees("Deleted from disk: cannot be accepted");
  renameSync(`${folder}-moved`, folder);
  await until("and that it can be again", async () => !(await ui.frontText()).includes("cannot be accepted"));
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.applied, true);
  assert.equal(within.text(), "new\n");
});

const early = file("outcomes/early.txt", "old\n");

scenario("renamed before the review is opened, and again while it is open: the review says what the file is called", async () => {
  const called = (name) => early.path.replace("early.txt", name);
  const asked = await agent("early").readAndEdit(early, "old", "new");
  await until("it waits", async () => (await state()).pending.length === 1);
  await call("rename", { path: early.path, to: called("later.txt") });

  await reviewWith("new");
  await ui.sees("Renamed to later.txt: cannot be accepted");
  await call("rename", { path: called("later.txt"), to: called("last.txt") });
  await ui.sees("Renamed to last.txt: cannot be accepted");
  rmSync(called("last.txt"));
  await ui.sees("Deleted from disk: cannot be accepted");
  await asked.cancel();
});

const leftOpen = file("outcomes/left.txt", "one\ntwo\n");

scenario("the left side of a review takes no typing, though the file is open", async () => {
  await leftOpen.open();
  const asked = await agent("left").readAndEdit(leftOpen, "two", "2");
  await reviewWith("2");

  await ui.clickLine("one", "original");
  await ui.page.keyboard.type("slip");

  await ui.page.keyboard.press("Escape");
  assert.equal((await leftOpen.document()).text, "one\ntwo\n");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.landing, "disk");
  assert.equal(leftOpen.text(), "one\n2\n");
});

const pair = ["one", "two"].map((name) => file(`outcomes/pair/${name}.txt`, `old ${name}\n`));

async function proposePair(session, files = pair) {
  for (const each of files) await agent(session).read(each);
  const operations = files.map(({ name, base }) => ({
    tool: "write",
    params: { path: name, content: `new ${base}\n` },
  }));
  return batch(session, operations, { atomic: false });
}

scenario("a tab for one file of several does not offer what it refuses", async () => {
  const asked = await proposePair("part");
  await openReview();
  await ui.severalWith("new two.txt");
  const [proposal] = (await state()).pending;
  await call("command", { id: "agentfs.ui.showPending" });
  await call("open", { path: `agentfs-proposal://${proposal.id}/${pair[0].name}` });
  await ui.titleButton("Accept").waitFor();
  assert.equal(await ui.titleMenuHas("Accept and Allow for This Session"), false);
  await asked.cancel();
});

const others = ["three", "four"].map((name) => file(`outcomes/others/${name}.txt`, `old ${name}\n`));

scenario("the buttons of a row are those of its own review", async () => {
  const asked = await proposePair("rows");
  await openReview();
  await ui.severalWith("new two.txt");
  const other = await proposePair("others", others);
  await until("both are pending", async () => (await state()).pending.length === 2);
  await call("command", { id: "agentfs.ui.showPending" });
  const offers = async (name) => {
    const row = ui.viewRow("Pending", name).first();
    await row.hover();
    return (await row.getByRole("button", { name: "Accept This File" }).count()) > 0;
  };
  await until("offered while its review is in front", () => offers("one.txt"));
  assert.equal(await offers("three.txt"), false);

  await ui.pressTitle("Next Proposal");
  await ui.severalWith("new four.txt");

  await until("offered for the other one now", () => offers("three.txt"));
  assert.equal(await offers("one.txt"), false);
  await asked.cancel();
  await other.cancel();
});

const late = file("outcomes/late.txt", "one\ntwo\n");
const undoneLate = file("outcomes/undone-late.txt", "one\ntwo\n");

scenario("an outcome that the server tells late is the one that counts", async () => {
  const [before] = servers();
  const relay = path.join(import.meta.dirname, "../harness/late_settled.py");
  await set("agentfs.interpreter", interpreter("late-python", `exec python3 ${relay} python3 "$@"`));
  await until("the server runs behind the relay", () => servers().length > 0 && !servers().includes(before));
  await late.open();
  await late.type("mine ");
  const asked = await until("it answers", () => agent("late").readAndEdit(late, "two", "2"));
  await openReview();
  await ui.diffWith("2");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.landing, "editor");

  await ui.saysInPassing("The change of late.txt is in the editor, but not saved.");
  await call("command", { id: "agentfs.ui.showPending" });
  assert.match(await ui.viewRow("Landed", "late.txt").innerText(), /unsaved/);

  await undoneLate.open();
  await undoneLate.type("mine ");
  const undone = await agent("undone-late").readAndEdit(undoneLate, "two", "2");
  await reviewWith("2");
  await ui.pressTitle("Accept");
  assert.equal((await undone.answer).data.landing, "editor");
  await undoneLate.open();
  await ui.focusEditor();
  await ui.page.keyboard.press("Control+Z");
  await until("it is undone", async () => (await undoneLate.document()).text === "mine one\ntwo\n");
  await until("the outcome is told", async () => (await state()).pending.length === 0);
  await ui.viewRow("Landed", "undone-late.txt").waitFor();
  assert.equal(await ui.isSaid("The change of undone-late.txt is in the editor"), false);
});

/** A change that the person has amended, of a server behind that relay, and another reviewer of it. */
async function amendedBehind(relay, target) {
  const [before] = servers();
  const script = path.join(import.meta.dirname, "../harness", relay);
  await set("agentfs.interpreter", interpreter(`${target.base}-python`, `exec python3 ${script} python3 "$@"`));
  await until("the server runs behind the relay", () => servers().length > 0 && !servers().includes(before));
  const asked = await until("it answers", () => agent(target.base).readAndEdit(target, "two", "2"));
  const other = await otherReviewer();
  await openReview();
  await ui.diffWith("2");
  await ui.clickLine("2");
  await ui.page.keyboard.type(" mine");
  await ui.diffWith("2 mine");
  return { asked, other };
}

const elsewhere = file("outcomes/elsewhere.txt", "one\ntwo\n");

scenario("what another reviewer has accepted is not said to be unchanged when Accept comes too late, and what was typed is kept", async () => {
  const { asked, other } = await amendedBehind("late_settled.py", elsewhere);
  try {
    await other.accept();
    assert.equal((await asked.answer).data.applied, true);
    await ui.titleButton("Accept").click();

    await until("why", () => ui.isSaid("Another reviewer has decided on this proposal."));
    assert.equal(await ui.isSaid("was not changed"), false);
    assert.equal(elsewhere.text(), "one\n2\n");
    await ui.saysInPassing("Another reviewer has decided on this proposal.");
    await until("the review is over", async () => (await state()).pending.length === 0);
    await ui.saysInPassing("What you typed into the proposal for elsewhere.txt was not applied. It was kept as a draft.");
    assert.equal(await takeDraft("elsewhere.txt"), "one\n2 mine\n");
  } finally {
    await other.stop();
  }
});

const together = file("outcomes/together.txt", "one\ntwo\n");

scenario("what another reviewer accepts as Accept is pressed is not taken for what was typed, which is kept", async () => {
  const { asked, other } = await amendedBehind("slow_settle.py", together);
  try {
    await ui.pressTitle("Accept");
    await other.accept();
    assert.equal((await asked.answer).data.review.decision, "accepted");

    await ui.saysInPassing("What you typed into the proposal for together.txt was not applied. It was kept as a draft.");
    await ui.saysInPassing("Another reviewer has decided on this proposal.");
    assert.equal(together.text(), "one\n2\n");
    assert.equal(await takeDraft("together.txt"), "one\n2 mine\n");
  } finally {
    await other.stop();
  }
});

const twoHunks = file("outcomes/twoHunks.txt", "one\n\n\n\n\n\nseven\n");
const [onDisk, inEditor] = ["onDisk", "inEditor"].map((name) => file(`outcomes/${name}.txt`, `old ${name}\n`));

scenario("the status bar offers no undo of an earlier change once the last one waits unsaved, and says what was undone, until the next decision", async () => {
  const ada = agent("last");
  const first = await ada.readAndEdit(onDisk, "old", "new");
  await reviewWith("new onDisk");
  await ui.pressTitle("Accept");
  assert.equal((await first.answer).data.landing, "disk");
  const last = ui.page.locator('.statusbar-item[id$="agentfs.landed"]');
  await last.filter({ hasText: "Changed onDisk.txt · Undo" }).waitFor();

  await inEditor.open();
  await inEditor.type("mine ");
  const second = await ada.readAndEdit(inEditor, "old", "new");
  await reviewWith("new inEditor");
  await ui.pressTitle("Accept");
  assert.equal((await second.answer).data.landing, "editor");
  await ui.saysInPassing("The change of inEditor.txt is in the editor, but not saved.");
  assert.equal(await last.count(), 0, "a click on it would undo the other");

  const undo = workbench.extension.request("agentfs/undo", { session: "last", agent: "Ada", change_id: (await first.answer).data.change_id });
  await reviewWith("old onDisk");
  await ui.pressTitle("Accept");
  assert.equal((await undo.answer).status, "success");
  await ui.statusBarSays("Undone: onDisk.txt");

  await ada.read(twoHunks);
  const third = ada.write(twoHunks, "1\n\n\n\n\n\n7\n");
  await reviewWith("7");
  await ui.clickLine("7");
  assert.equal(await last.count(), 1);
  await ui.pressTitle("Reject Hunk");
  await ui.diffWith("seven");
  assert.equal(await last.count(), 0, "nor does it speak of that once a hunk is decided");
  await third.cancel();
});
