// The user's own ways of saving stay as they are, and the agent is told what they changed.

import assert from "node:assert/strict";

import { agent } from "../harness/agents.mjs";
import { file } from "../harness/files.mjs";
import { until } from "../harness/page.mjs";
import { reviewWith } from "../harness/reviews.mjs";
import { call, state, ui } from "../harness/run.mjs";
import { set } from "../harness/settings.mjs";
import { scenario } from "../harness/suite.mjs";

const automatic = file("saving/auto.txt", "one\ntwo\n");

scenario("auto save on: the proposal is not saved by it, what was accepted is", async () => {
  await set("files.autoSave", "afterDelay");
  await set("files.autoSaveDelay", 50);
  await automatic.open();
  const asked = await agent("auto").readAndEdit(automatic, "two", "2");
  await reviewWith("2");
  await ui.clickLine("2");
  await ui.page.keyboard.type(" amended");
  await ui.diffWith("2 amended");
  await until("auto save has passed over the proposal", async () => !(await state()).tabs.some(({ dirty }) => dirty));
  assert.equal((await state()).pending.length, 1, "auto save decides nothing");
  assert.equal(automatic.text(), "one\ntwo\n");

  await ui.pressTitle("Accept");

  const answer = await asked.answer;
  assert.equal(answer.data.landing, "disk");
  assert.equal(answer.data.review.decision, "amended");
  assert.equal(automatic.text(), "one\n2 amended\n");
  await ui.tabsAre("auto.txt");
});

const focusSaved = file("saving/focus.txt", "one\ntwo\n");

scenario("auto save on focus change: leaving the review decides nothing", async () => {
  await set("files.autoSave", "onFocusChange");
  await focusSaved.open();
  const asked = await agent("focus").readAndEdit(focusSaved, "two", "2");
  await reviewWith("2");
  await ui.clickLine("2");
  await ui.page.keyboard.type("!");
  await ui.tab("focus.txt").first().click();
  await ui.focusEditor();
  assert.equal((await state()).pending.length, 1);
  assert.equal(focusSaved.text(), "one\ntwo\n");

  await reviewWith("2!");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.review.decision, "amended");
  assert.equal(focusSaved.text(), "one\n2!\n");
});

const formatted = file("saving/formatted.json", '{\n  "a": 1\n}');

scenario("format on save runs on what was accepted, and the agent sees what it made of it", async () => {
  await set("editor.formatOnSave", true);
  await formatted.open();
  const asked = await agent("format").readAndEdit(formatted, '"a": 1', '"a": 1,   "b":    2');
  await reviewWith('"b":    2');
  await ui.pressTitle("Accept");

  const answer = await asked.answer;
  const tidy = '{\n  "a": 1,\n  "b": 2\n}';
  assert.equal(answer.data.landing, "disk");
  assert.equal(formatted.text(), tidy);
  assert.match(answer.data.review.on_save, /^\+ {2}"b": 2$/m);
  const document = await formatted.document();
  assert.deepEqual([document.text, document.dirty], [tidy, false]);
  await ui.tabsAre("formatted.json");

  const next = await agent("format").edit(formatted, '"b": 2', '"b": 3');
  await reviewWith('"b": 3');
  await ui.pressTitle("Accept");
  assert.equal((await next.answer).data.landing, "disk", "the session knows the file as it was saved");
  assert.equal(formatted.text(), tidy.replace("2", "3"));
});

const text = "See [one][a] and [two][b].\n\n";
const [unsorted, sorted] = [`${text}[b]: /b\n[a]: /a\n`, `${text}[a]: /a\n[b]: /b\n`];
const acted = file("saving/actions.md", "nothing yet\n");

scenario("code actions on save run as the user set them, and the agent sees what they did", async () => {
  await set("editor.codeActionsOnSave", { "source.organizeLinkDefinitions": "explicit" });
  await acted.open();
  await agent("actions").read(acted);
  const asked = agent("actions").write(acted, unsorted);
  await reviewWith("[b]: /b");
  await ui.pressTitle("Accept");

  const answer = await asked.answer;
  assert.equal(answer.data.landing, "disk");
  assert.equal(acted.text(), sorted);
  assert.match(answer.data.review.on_save, /^[+-]\[[ab]\]: \/[ab]$/m);
  assert.equal((await acted.document()).dirty, false);
  await ui.tabsAre("actions.md");
});

const own = file("saving/own.json", '{\n  "a": 1\n}');
const organized = file("saving/own.md", "nothing yet\n");

scenario("what agentfs.onAccept.codeActions names runs before the save, and the agent sees what it did", async () => {
  await set("agentfs.onAccept.codeActions", ["source.organizeLinkDefinitions", "format"]);
  await own.open();
  const asked = await agent("own").readAndEdit(own, '"a": 1', '"a": 1,   "b":    2');
  await reviewWith('"b":    2');
  await ui.pressTitle("Accept");
  const answer = await asked.answer;
  assert.deepEqual([answer.data.landing, answer.data.review.decision], ["disk", "accepted"]);
  assert.equal(own.text(), '{\n  "a": 1,\n  "b": 2\n}');
  assert.match(answer.data.review.on_save, /^\+ {2}"b": 2$/m);

  await organized.open();
  await agent("own").read(organized);
  const written = agent("own").write(organized, unsorted);
  await reviewWith("[b]: /b");
  await ui.pressTitle("Accept");
  assert.match((await written.answer).data.review.on_save, /^[+-]\[[ab]\]: \/[ab]$/m);
  assert.equal(organized.text(), sorted);
});

const cell = { cell_type: "code", execution_count: null, metadata: {}, outputs: [], source: ["one = 1"] };
const notebook = { cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 };
const book = file("saving/book.ipynb", `${JSON.stringify(notebook, null, 1)}\n`);

/** Opens a notebook, and types into its cell. */
async function typeInNotebook({ base }) {
  await ui.page.keyboard.press("Control+P");
  const input = ui.page.locator(".quick-input-widget input");
  await input.fill(base);
  await ui.page.locator(".quick-input-list .monaco-list-row", { hasText: base }).first().waitFor();
  await ui.page.keyboard.press("Enter");
  await ui.page.locator(".notebookOverlay .view-line").first().click();
  await ui.page.keyboard.press("End");
  await ui.page.keyboard.type(" # mine");
  await until("it is unsaved", async () => (await state()).tabs.some(({ dirty }) => dirty));
}

scenario("a notebook with unsaved changes: accepting says so, and once it is saved the agent is asked for a new proposal", async () => {
  const before = book.text();
  await typeInNotebook(book);
  const asked = await agent("book").readAndEdit(book, "one = 1", "one = 2");
  await reviewWith("one = 2");

  await ui.pressTitle("Accept");

  await ui.saysInPassing("book.ipynb has unsaved changes");
  assert.equal((await state()).pending.length, 1);
  assert.equal(book.text(), before);
  await call("load", { path: book.path }); // its text has nothing of what is unsaved
  await ui.pressTitle("Accept");
  await ui.saysInPassing("book.ipynb has unsaved changes");
  assert.equal(book.text(), before);
  await ui.tab("book.ipynb").first().click();
  await ui.page.locator(".notebookOverlay .view-line").first().click();
  await ui.page.keyboard.press("Control+S");
  await until("it is saved", () => book.text().includes("# mine"));
  await reviewWith("one = 2");
  await ui.pressTitle("Ask the Agent to Redo");
  assert.equal((await asked.answer).error.code, "USER_REJECTED");
  assert.ok(book.text().includes("# mine"), "what was typed is kept");
});

const through = file("saving/through.ipynb", `${JSON.stringify(notebook, null, 1)}\n`);

scenario("a notebook with unsaved changes: a change of it is reviewed in auto mode, too, until it is saved", async () => {
  await set("agentfs.approval.mode", "auto_edit");
  const before = through.text();
  await typeInNotebook(through);
  const asked = await agent("through").readAndEdit(through, "one = 1", "one = 2");
  await reviewWith("one = 2");
  await ui.pressTitle("Accept");
  await ui.saysInPassing("through.ipynb has unsaved changes");
  assert.equal(through.text(), before);

  await ui.tab("through.ipynb").first().click();
  await ui.page.locator(".notebookOverlay .view-line").first().click();
  await ui.page.keyboard.press("Control+S");
  await until("it is saved", () => through.text().includes("# mine"));
  await reviewWith("one = 2");
  await ui.pressTitle("Ask the Agent to Redo");
  assert.equal((await asked.answer).error.code, "USER_REJECTED");
  const again = await agent("again").readAndEdit(through, "one = 1", "one = 2");
  assert.equal((await again.answer).data.review.by, "mode");
  assert.ok(through.text().includes("one = 2 # mine"));
});
