// Nobody approves what was not on the screen, and nothing comes to the screen between the keys.

import assert from "node:assert/strict";

import { agent, batch } from "../harness/agents.mjs";
import { file } from "../harness/files.mjs";
import { until } from "../harness/page.mjs";
import { acceptAfterPlain, openReview, reviewWith, whileHostIsBusy } from "../harness/reviews.mjs";
import { call, state, ui } from "../harness/run.mjs";
import { servers } from "../harness/server.mjs";
import { inWorkspace, set } from "../harness/settings.mjs";
import { scenario } from "../harness/suite.mjs";

const BLANKS = "diffEditor.ignoreTrimWhitespace";
const SAID = "whitespace changes at the beginning or end of lines";

// Of a language for which VS Code itself does not show every blank, as it does for Python.
const yaml = ["steps:", ...Array.from({ length: 200 }, (_, index) => `step ${index}`), "when: allowed", "    - grant"];
const indented = (name) => file(`shown/${name}.txt`, [...yaml, "end", ""].join("\n"));
const isOut = (file) => /^ {2}- grant$/m.test(file.text());

/** Waits until a line of the proposal is marked as changed. */
const marked = () => ui.page.locator(".editor-group-container.active .editor.modified .line-insert").first().waitFor();

const alone = indented("alone");

scenario("a change of blanks alone is marked in the review, as VS Code comes", async () => {
  const asked = await agent("blanks").readAndEdit(alone, "    - grant", "  - grant");
  await openReview();
  await marked();
  await ui.diffWith("  - grant");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.review.decision, "accepted");
  assert.ok(isOut(alone));
});

const among = indented("among");
const beside = file("shown/beside.txt", "old\n");

/** Has an agent propose a change that shows and, in another file far from any, one of blanks alone. */
async function proposeBlanks(session, ...files) {
  const ada = agent(session);
  for (const one of files) await ada.read(one);
  const edit = (file, old_string, new_string) => ({ tool: "edit", params: { path: file.name, old_string, new_string } });
  const asked = batch(session, [
    edit(files[0], "old", "new"),
    edit(files[1], "step 5\n", "step five\n"),
    edit(files[1], "    - grant", "  - grant"),
  ], { atomic: false });
  await openReview();
  await ui.severalWith("new");
  return asked;
}

scenario("a change of blanks alone is not folded away among several files", async () => {
  const asked = await proposeBlanks("among", beside, among);
  await ui.severalWith("- grant");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).status, "success");
  assert.ok(isOut(among));
});

const hidden = indented("hidden");

scenario("what the user has set not to be shown can't be accepted until it is shown", async () => {
  await set(BLANKS, true);
  const asked = await agent("hidden").readAndEdit(hidden, "    - grant", "  - grant");
  await reviewWith("steps:");
  const shown = await acceptAfterPlain(SAID, "- grant");
  assert.match(shown, /····- grant[^]*··- grant/);
  assert.equal((await asked.answer).data.review.decision, "accepted");
  assert.ok(isOut(hidden));
});

const visible = file("shown/visible.txt", "one\ntwo\nthree\n");

scenario("a change that shows is accepted whatever is set for blanks", async () => {
  await set(BLANKS, true);
  const asked = await agent("visible").readAndEdit(visible, "two", "2");
  await reviewWith("2");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.review.decision, "accepted");
});

const unseen = indented("unseen");
const seen = file("shown/seen.txt", "old\n");

scenario("of several files, one whose blanks are not shown can't be accepted alone or with the others", async () => {
  await set(BLANKS, true);
  const asked = await proposeBlanks("unseen", seen, unseen);
  await ui.decideFile("unseen.txt", "Accept This File");
  await ui.saysInPassing(SAID);
  assert.doesNotMatch(await ui.plainWith("unseen.txt"), /\bseen\.txt/);
  await acceptAfterPlain(SAID, "shown/seen.txt");
  assert.equal((await asked.answer).status, "success");
  assert.ok(isOut(unseen));
});

const large = file("shown/large.txt", ""); // for which VS Code has its diff at once
const LARGE = Array.from({ length: 1500 }, (_, index) => `line ${index} that nobody has seen${" or will".repeat(100)}\n`).join("");

scenario("what VS Code finds too large to show can't be accepted until it is shown", async () => {
  // Any workspace may say so.
  await inWorkspace({ "workbench.editorLargeFileConfirmation": 1 }, async () => {
    const ada = agent("large");
    await ada.read(large);
    const asked = ada.write(large, LARGE);
    await openReview();
    await ui.sees("very large");
    await ui.titleButton("Accept").click();
    await ui.pressInMessage("the editor does not show the proposal for large.txt", "Show It");
    await ui.diffWith("nobody has seen");
    assert.equal((await state()).pending.length, 1, "nothing is decided");
    assert.equal(large.text(), "");
    await ui.pressTitle("Accept");
    assert.equal((await asked.answer).data.review.decision, "accepted");
    assert.equal(large.text(), LARGE);
  });
});

const LINES = 4000;
const rewritten = (word) => Array.from({ length: LINES }, (_, index) => (index % 10 === 5 ? `same ${index}\n` : `${word} ${index}\n`)).join("");
const rewrites = ["rewrite", "further"].map((name) => file(`shown/${name}.txt`, rewritten("old")));

scenario("a rewrite for which VS Code stops comparing says so, alone and among several files", async () => {
  await set("diffEditor.maxComputationTime", 100);
  const ada = agent("rewrite");
  for (const one of rewrites) await ada.read(one);
  const said = "The diff algorithm was stopped early";
  const alone = ada.write(rewrites[0], rewritten("new"));
  await reviewWith("new 0");
  await ui.saysInPassing(said);
  await alone.cancel();
  await ui.tabsAre();

  const operations = rewrites.map(({ name: path }) => ({ tool: "write", params: { path, content: rewritten("new") } }));
  const both = batch("rewrite", operations);
  await openReview();
  await ui.severalWith("new 0");
  await ui.saysInPassing(said);
  await both.cancel();
});

const own = file("shown/own.txt", "");
const late = file("shown/late.txt", "old\n");
const TYPED = "what is typed meanwhile ".repeat(8);

for (const how of ["its notification", "the command"])
  scenario(`a review that was asked for by ${how}, and comes late, leaves the keys to whoever types by then`, async () => {
    await own.open();
    await ui.focusEditor();
    const before = (await own.document()).text;
    const asked = await agent(`late ${how}`).readAndEdit(late, "old", "new");
    await until("a proposal", async () => (await state()).pending.length > 0);
    const [pid] = servers();
    process.kill(pid, "SIGSTOP");
    try {
      if (how === "the command") void call("command", { id: "agentfs.ui.openReview" });
      else await ui.page.locator(".notifications-toasts").getByRole("button", { name: "Review", exact: true }).click();
      await ui.focusEditor();
      await ui.page.keyboard.press("Control+End");
      await ui.page.keyboard.type(TYPED);
    } finally {
      process.kill(pid, "SIGCONT");
    }
    await ui.offers("The review of late.txt is ready.", "Review");
    await ui.page.keyboard.type("and after");
    await until("all is in the own file", async () => (await own.document()).text === `${before}${TYPED}and after`);
    await ui.noTab("late.txt");

    await ui.pressInMessage("The review of late.txt is ready.", "Review");
    await ui.diffWith("new");
    await ui.focused("modified");
    await asked.cancel();
  });

const held = file("shown/held.txt", "old\n");

scenario("a review that is loaded, and opens late because the extension host is busy, leaves the keys to whoever types by then", async () => {
  await held.open();
  await own.open();
  const before = (await own.document()).text;
  const asked = await agent("held").readAndEdit(held, "old", "new");
  await reviewWith("new");
  await ui.closeActiveTab();
  await own.open();

  await whileHostIsBusy(async () => {
    await ui.statusItem(": 1").click();
    await ui.focusEditor();
    await ui.page.keyboard.press("Control+End");
    await ui.page.keyboard.type("words");
  });

  await ui.offers("The review of held.txt is ready.", "Review");
  await ui.page.keyboard.type(" and more");
  await until("all is in the own file", async () => (await own.document()).text === `${before}words and more`);
  await ui.noTab("held.txt +");
  await asked.cancel();
});

const searched = file("shown/searched.txt", "old\n");

scenario("a review that was asked for and comes after a moment leaves the keys to the search", async () => {
  const asked = await agent("searched").readAndEdit(searched, "old", "new");
  await until("a proposal", async () => (await state()).pending.length > 0);
  const [pid] = servers();
  process.kill(pid, "SIGSTOP");
  try {
    await ui.page.locator(".notifications-toasts").getByRole("button", { name: "Review", exact: true }).click();
    await ui.page.keyboard.press("Control+Shift+F");
    await ui.page.locator(".search-view .search-container .monaco-editor.focused, .search-view .search-container textarea:focus").first().waitFor();
    const since = Date.now();
    await until("a moment is over", () => Date.now() - since > 500);
  } finally {
    process.kill(pid, "SIGCONT");
  }
  await ui.offers("The review of searched.txt is ready.", "Review");
  await ui.noTab("searched.txt");
  await asked.cancel();
});

const separated = file("shown/separated.txt", "one\ntwo\n");

scenario("auto mode: a line separator is asked for, and brings no dialog of VS Code between the keys", async () => {
  await set("agentfs.approval.mode", "auto_edit");
  await ui.statusItem(": auto").waitFor();
  await separated.open();
  await ui.focusEditor();
  const asked = await agent("separated").readAndEdit(separated, "one", "one\u2028more");
  await until("a proposal", async () => (await state()).pending.length > 0);
  await ui.page.keyboard.type(TYPED);
  await until("all is in the file", async () => (await separated.document()).text.includes(TYPED));
  assert.equal(await ui.page.locator(".monaco-dialog-box").count(), 0);
  await asked.cancel();
});
