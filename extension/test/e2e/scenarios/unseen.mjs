// What VS Code cuts off a long line, and what nobody has opened, is accepted by no accident.

import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

import { until } from "../harness/page.mjs";
import { agent, batch, call, file, home, openReview, reviewWith, scenario, set, state, ui } from "../harness/suite.mjs";

const LIMIT = "editor.stopRenderingLineAfter";
const SAID = "longer than what the editor shows of a line";

/** A line as minifiers write it, so long that the editor cuts it before `told`. */
const minified = (told) => `${"let a=1;".repeat(1375)}${told};${"let b=2;".repeat(125)}\n`;
const long = (name) => file(`unseen/${name}.txt`, `// first\n${minified("quiet()")}// last\n`);

/** Whether some row of the proposal is drawn that has `text`; the rows of long lines are many. */
const scrollsTo = (text) =>
  until(`a row with ${text}`, async () => {
    if ((await ui.diff()).modified.includes(text)) return true;
    await ui.page.keyboard.press("PageDown");
    return false;
  });

const alone = long("alone");

scenario("text behind the end of what is drawn of a line can't be accepted until it is shown", async () => {
  await set("diffEditor.wordWrap", "inherit");
  const asked = await agent("long").readAndEdit(alone, "quiet()", "steal(1)");
  await reviewWith("let a=1;");
  await ui.titleButton("Accept").click();
  await ui.offers(SAID, "Show Them");
  assert.equal((await state()).pending.length, 1, "nothing is decided");
  assert.doesNotMatch(alone.text(), /steal/);
  await ui.pressInMessage(SAID, "Show Them");
  await until("it is wrapped", async () => (await call("setting", { key: "diffEditor.wordWrap" })) === "on");
  await ui.focusEditor();
  await scrollsTo("steal(1)");
  await ui.titleButton("Accept").click();
  assert.equal((await asked.answer).data.review.decision, "accepted");
  assert.match(alone.text(), /steal\(1\)/);
});

const cut = file("unseen/cut.txt", `// first\n${"let a=1;".repeat(60)}quiet()\n`);

scenario("nor can what is cut by a limit that wrapping does not help against", async () => {
  // Any workspace may say so.
  const folder = path.join(home, "workspace/.vscode");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "settings.json"), JSON.stringify({ [LIMIT]: 40, "diffEditor.wordWrap": "off" }));
  const now = () => call("setting", { key: LIMIT });
  let asked;
  try {
    await until("the workspace's setting counts", async () => (await now()) === 40);
    asked = await agent("cut").readAndEdit(cut, "quiet()", "steal(1)");
    await reviewWith("let a=1;");
    assert.doesNotMatch((await ui.diff()).modified, /steal/);
    await ui.titleButton("Accept").click();
    await ui.saysInPassing(SAID);
    assert.equal((await state()).pending.length, 1, "nothing is decided");
  } finally {
    rmSync(folder, { recursive: true });
  }
  await until("it counts no more", async () => (await now()) !== 40);
  await asked.cancel();
});

const gone = long("gone");

scenario("of a long line that is taken away, all is to be shown, too", async () => {
  await set("diffEditor.wordWrap", "inherit");
  const asked = await agent("gone").readAndEdit(gone, minified("quiet()"), "");
  await reviewWith("// last");
  await ui.titleButton("Accept").click();
  await ui.offers(SAID, "Show Them");
  await call("command", { id: "notifications.clearAll" });
  assert.equal((await state()).pending.length, 1, "nothing is decided");
  await asked.cancel();
});

const untouched = long("untouched");

scenario("a long line that is not changed asks for nothing", async () => {
  const asked = await agent("untouched").readAndEdit(untouched, "// first", "// 1st");
  await reviewWith("// 1st");
  await ui.titleButton("Accept").click();
  assert.equal((await asked.answer).data.review.decision, "accepted");
});

const several = long("several");
const beside = file("unseen/beside.txt", "old\n");

scenario("of several files, one with a cut line can't be accepted until it is shown", async () => {
  await set("diffEditor.wordWrap", "inherit");
  const ada = agent("several");
  for (const one of [beside, several]) await ada.read(one);
  const edit = ({ name: path }, old_string, new_string) => ({ tool: "edit", params: { path, old_string, new_string } });
  const asked = batch("several", [edit(beside, "old", "new"), edit(several, "quiet()", "steal(1)")]);
  await openReview();
  await ui.severalWith("new");
  await ui.titleButton("Accept").click();
  await ui.pressInMessage(SAID, "Show Them");
  const shown = ui.page.locator(".editor-group-container.active .multiDiffEntry .editor.modified .view-line", { hasText: "steal(1)" });
  await ui.page.locator(".editor-group-container.active .multiDiffEntry .editor.modified .view-lines").last().hover();
  await until("it is in view", async () => {
    if ((await shown.count()) > 0) return true;
    await ui.page.mouse.wheel(0, 300);
    return false;
  });
  assert.equal((await state()).pending.length, 1, "nothing is decided");
  await ui.titleButton("Accept").click();
  assert.equal((await asked.answer).data.review.decision, "accepted");
});

const trio = [1, 2, 3].map((number) => file(`unseen/all-${number}.txt`, "old\n"));

scenario("Accept All names what was not opened, and leaves that to wait unless it is asked for", async () => {
  const asked = [];
  for (const one of trio) asked.push(await agent(one.base).readAndEdit(one, "old", `new ${one.base}`));
  await until("all wait", async () => (await state()).pending.length === trio.length);
  await reviewWith("new all-1.txt");
  await call("command", { id: "agentfs.ui.showPending" });

  await ui.pressInView("Pending", /^Accept All/);
  const said = await ui.dialogText();
  assert.match(said, /You have not seen 2 of the 3 pending changes\.[^]*all-2\.txt[^]*all-3\.txt/);
  assert.doesNotMatch(said, /all-1\.txt/);
  assert.equal(await ui.page.locator(".monaco-dialog-box .monaco-button:focus").innerText(), "Accept the Other 1");
  await ui.answerDialog("Accept the Other 1");

  assert.equal((await asked[0].answer).data.review.decision, "accepted");
  await until("two wait on", async () => (await state()).pending.length === 2);
  assert.deepEqual(trio.map((one) => one.text()), ["new all-1.txt\n", "old\n", "old\n"]);

  await ui.pressInView("Pending", /^Accept All/);
  await ui.answerDialog("Accept All 2");
  for (const one of asked) assert.equal((await one.answer).data.review.decision, "accepted");
});

const pair = [1, 2].map((number) => file(`unseen/none-${number}.txt`, "old\n"));

scenario("Accept All of changes that nobody has opened opens one of them first", async () => {
  for (const one of pair) await agent(one.base).readAndEdit(one, "old", `new ${one.base}`);
  await until("both wait", async () => (await state()).pending.length === pair.length);
  await call("command", { id: "agentfs.ui.showPending" });
  await ui.pressInView("Pending", /^Accept All/);
  assert.equal(await ui.page.locator(".monaco-dialog-box .monaco-button:focus").innerText(), "Review");
  await ui.answerDialog("Review");
  await ui.diffWith("new none-1.txt");
  assert.equal((await state()).pending.length, 2);
});

const seen = [1, 2].map((number) => file(`unseen/seen-${number}.txt`, "old\n"));

scenario("Accept All of changes that were all opened asks once", async () => {
  const asked = [];
  for (const one of seen) asked.push(await agent(one.base).readAndEdit(one, "old", `new ${one.base}`));
  await until("both wait", async () => (await state()).pending.length === seen.length);
  await reviewWith("new seen-1.txt");
  await call("command", { id: "agentfs.ui.next" });
  await ui.diffWith("new seen-2.txt");
  await call("command", { id: "agentfs.ui.showPending" });
  await ui.pressInView("Pending", /^Accept All/);
  assert.match(await ui.dialogText(), /Accept all pending changes \(2\)\?/);
  await ui.answerDialog("Accept All");
  for (const one of asked) assert.equal((await one.answer).data.review.decision, "accepted");
});

const hidden = long("hidden");

scenario("Accept All does not take an opened change for seen whose lines are cut", async () => {
  await set("diffEditor.wordWrap", "inherit");
  const asked = await agent("hidden").readAndEdit(hidden, "quiet()", "steal(1)");
  await reviewWith("let a=1;");
  await call("command", { id: "agentfs.ui.showPending" });
  await ui.pressInView("Pending", /^Accept All/);
  assert.match(await ui.dialogText(), /You have not seen 1 of the 1 pending changes\./);
  await ui.answerDialog("Cancel");
  assert.equal((await state()).pending.length, 1);
  await asked.cancel();
});

const HIDDEN_CHARACTERS = {
  "editor.renderControlCharacters": file("unseen/reordered.ini", "check();\n"),
  "editor.unicodeHighlight.invisibleCharacters": file("unseen/invisible.ini", "check();\n"),
};

for (const [setting, one] of Object.entries(HIDDEN_CHARACTERS))
  scenario(`characters that ${setting} hides can't be accepted until they are shown`, async () => {
    await set(setting, false);
    const hidden = setting.includes("Control") ? "/*\u202e } \u2066if (isAdmin)\u2069 */" : "\u200b";
    const asked = await agent(one.base).readAndEdit(one, "check();", `${hidden}steal();`);
    await reviewWith("steal");
    await ui.titleButton("Accept").click();
    await ui.pressInMessage(`which the setting ${setting} hides`, "Show Them");
    await until("they are shown", async () => (await call("setting", { key: setting })) === true);
    assert.equal((await state()).pending.length, 1, "nothing is decided");
    await ui.titleButton("Accept").click();
    assert.equal((await asked.answer).data.review.decision, "accepted");
  });
