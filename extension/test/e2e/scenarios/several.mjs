// Several files in one proposal, shown in the multi-diff editor: one open with unsaved text, one closed, one new.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";

import { agent, batch } from "../harness/agents.mjs";
import { file } from "../harness/files.mjs";
import { until } from "../harness/page.mjs";
import { acceptDuring, openReview, takeDraft } from "../harness/reviews.mjs";
import { call, state, ui, workbench } from "../harness/run.mjs";
import { set } from "../harness/settings.mjs";
import { scenario } from "../harness/suite.mjs";

const OLD = ["old one\n", "old two\n", null];
const NEW = ["new one\n", "new two\n", "new three\n"];
const MINE = "my own line\n";

const trio = (name, [one, two, three] = ["one.txt", "two.txt", "three.txt"]) => [
  file(`several/${name}/${one}`, OLD[0]),
  file(`several/${name}/${two}`, OLD[1]),
  file(`several/${name}/made/${three}`),
];
const texts = (files) => files.map((one) => (existsSync(one.path) ? one.text() : null));

/**
 * What the first file holds in the editor, unsaved.
 * @param {ReturnType<typeof file>[]} files
 */
async function unsaved([first]) {
  const { text, dirty } = await first.document();
  return [text, dirty];
}

/**
 * Has the user type in the first file, and an agent propose a change of all three.
 * @param {string} name
 * @param {ReturnType<typeof file>[]} files
 * @param {any} [how] whether to open the first file; the rest are params of the batch
 */
async function propose(name, [one, two, three], { open = true, ...more } = {}) {
  if (open) {
    await one.open();
    await one.type(MINE);
  }
  const ada = agent(name);
  for (const each of [one, two]) await ada.read(each);
  const operations = [
    { tool: "edit", params: { path: one.name, old_string: OLD[0].trim(), new_string: NEW[0].trim() } },
    { tool: "write", params: { path: two.name, content: NEW[1] } },
    { tool: "write", params: { path: three.name, content: NEW[2] } },
  ];
  const asked = batch(name, operations, { explanation: "They belong together.", ...more });
  await openReview();
  await ui.severalWith("new two");
  return asked;
}

/** Whether the row of a file says that it was rejected. */
const isRejected = async (name) => /rejected; waits/.test(await ui.viewRow("Pending", name).first().getAttribute("aria-label"));

const accepted = trio("accepted");

scenario("several files: one editor, accepted all at once, each lands in its way", async () => {
  const asked = await propose("all", accepted);
  assert.deepEqual(await ui.severalNames(), ["one.txt", "two.txt", "three.txt"]);
  await ui.sees("“They belong together.”");
  await ui.sees("with your unsaved text");
  assert.deepEqual(texts(accepted), OLD, "nothing is written before the decision");

  await ui.pressTitle("Accept");

  const { status, data } = await asked.answer;
  assert.deepEqual([status, data.applied, data.landing], ["partial", false, "editor"]);
  assert.deepEqual(
    data.results.map(({ path, landing }) => [path.split("/").at(-1), landing]),
    [
      ["one.txt", "editor"],
      ["two.txt", "disk"],
      ["three.txt", "disk"],
    ],
  );
  assert.equal(data.review.decision, "accepted");
  assert.deepEqual(texts(accepted), [OLD[0], NEW[1], NEW[2]]);
  assert.deepEqual(await unsaved(accepted), [MINE + NEW[0], true], "the user's text is the user's to save");
  await ui.saysInPassing("The change of one.txt is in the editor, but not saved.");
  await ui.tabsAre("one.txt");
});

const refused = trio("refused");

scenario("several files: rejected all at once, with a reason", async () => {
  const asked = await propose("none", refused);
  await ui.titleButton("Reject").click();
  await ui.answer("None of them.");

  const { error, context } = await asked.answer;
  assert.deepEqual([error.code, context.review.feedback], ["USER_REJECTED", "None of them."]);
  assert.deepEqual(texts(refused), OLD);
  assert.deepEqual(await unsaved(refused), [MINE + OLD[0], true]);
  await ui.tabsAre("one.txt");
});

const each = trio("each");

scenario("several files: decided one by one", async () => {
  const asked = await propose("each", each, { atomic: false });

  await ui.decideFile("one.txt", "Accept This File");
  await ui.decideFile("two.txt", "Reject This File");
  await ui.escapeQuestion();
  await call("command", { id: "agentfs.ui.showPending" });
  assert.equal(await isRejected("two.txt"), false, "nothing is decided by a question that was left");
  await ui.decideFile("two.txt", "Reject This File");
  assert.match(await ui.answer("Not this one."), /Reject two\.txt/);
  await ui.statusBarSays("two.txt is taken out of the change.");
  await until("its row says so", () => isRejected("two.txt"));
  await ui.viewRow("Pending", "two.txt").filter({ hasText: "rejected · +1 −1" }).waitFor();
  await ui.sees("rejected: “Not this one.”");
  assert.deepEqual(texts(each), OLD, "nothing lands before the last is decided");
  await ui.decideFile("three.txt", "Accept This File");

  const { status, data, text } = await asked.answer;
  assert.deepEqual([status, data.failed_items], ["partial", [1]]);
  assert.equal(data.results[1].error.code, "USER_REJECTED");
  assert.deepEqual([data.results[1].feedback, data.review.feedback], ["Not this one.", undefined]);
  assert.match(text, /two\.txt: The user rejected the change: “Not this one\.”/);
  assert.match(text, /two\.txt/);
  assert.deepEqual(texts(each), [OLD[0], OLD[1], NEW[2]]);
  assert.deepEqual(await unsaved(each), [MINE + NEW[0], true]);
  await ui.saysInPassing("The change of one.txt is in the editor, but not saved.");
  await ui.tabsAre("one.txt");
});

const reasoned = trio("reasoned");

scenario("several files: all rejected one by one, the agent gets each reason", async () => {
  const asked = await propose("reasoned", reasoned, { open: false, atomic: false });
  for (const [name, reason] of [["one.txt", "No."], ["two.txt", ""], ["three.txt", "Nor this."]]) {
    await ui.decideFile(name, "Reject This File");
    await ui.answer(reason);
  }
  const { error, context } = await asked.answer;
  const [one, , three] = reasoned.map(({ name }) => name);
  assert.deepEqual([error.code, context.review.feedback], ["USER_REJECTED", `${one}: No.; ${three}: Nor this.`]);
  assert.deepEqual(context.batch.map(({ feedback }) => feedback), ["No.", undefined, "Nor this."]);
  assert.deepEqual(texts(reasoned), OLD);
});

const frozen = trio("frozen");

scenario("several files: what is typed into one after it was accepted does not land with the last decision", async () => {
  const asked = await propose("frozen", frozen, { open: false, atomic: false });
  await ui.decideFile("two.txt", "Accept This File");
  await ui.clickLine("new two");
  await ui.page.keyboard.type(" later");
  await ui.severalWith("new two later");
  await ui.decideFile("one.txt", "Accept This File");
  await ui.decideFile("three.txt", "Accept This File");

  assert.equal((await asked.answer).data.review.decision, "accepted");
  assert.deepEqual(texts(frozen), NEW);
  await ui.saysInPassing("after you accepted it was not applied");
  assert.equal(await takeDraft("two.txt"), "new two later\n");
});

const whole = trio("whole");

scenario("several files that the agent wants all or none of: they are decided together", async () => {
  const asked = await propose("whole", whole);
  await ui.enterFile("two.txt");
  assert.equal(await ui.titleMenuHas("Accept This File"), false);
  assert.equal(await ui.titleMenuHas("Reject This File"), false);
  await ui.titleButton("Reject").click();
  await ui.escapeQuestion();
  assert.equal((await state()).pending.length, 1, "nothing is decided by a question that was left");

  await ui.titleButton("Reject").click();
  assert.match(await ui.answer("Not the second."), /Reject all 3 files: the agent requires all or none of them/);

  const { error, context } = await asked.answer;
  assert.deepEqual([error.code, context.review.feedback], ["USER_REJECTED", "Not the second."]);
  assert.deepEqual(texts(whole), OLD);
  assert.deepEqual(await unsaved(whole), [MINE + OLD[0], true]);
});

const [reverted, hunked] = [trio("reverted"), trio("hunked")];
const QUESTION = /The agent wants all 3 files changed, or none\. two\.txt is as it was before\./;

scenario("several files, all or none: Accept asks if one of them is as before, and decides nothing by itself", async () => {
  const asked = await propose("reverted", reverted, { open: false });
  await ui.sees("all files or none · “They belong together.”");
  await call("command", { id: "agentfs.ui.showPending" });
  await ui.viewRow("Pending", "3 files").filter({ hasText: "all files or none" }).waitFor();
  await ui.clickLine("new two");
  await ui.page.keyboard.press("Home");
  await ui.page.keyboard.press("Shift+End");
  await ui.page.keyboard.type("old two");
  await ui.severalWith("old two");

  await ui.pressTitle("Accept");
  assert.match(await ui.dialogText(), QUESTION);
  await ui.answerDialog("Go Back");
  assert.equal((await state()).pending.length, 1, "the review is as it was");
  assert.deepEqual(texts(reverted), OLD);

  await ui.pressTitle("Accept");
  assert.match(await ui.dialogText(), QUESTION);
  await ui.answerDialog("Reject All…");
  assert.match(await ui.answer("Not the second."), /Reject all 3 files: the agent requires all or none of them/);
  const { error, context } = await asked.answer;
  assert.deepEqual([error.code, context.review.feedback], ["USER_REJECTED", "Not the second."]);
  assert.deepEqual(texts(reverted), OLD);
});

scenario("several files, all or none: the last hunk of a file is rejected only after the question, and left as it was without an answer", async () => {
  const asked = await propose("hunked", hunked, { open: false });
  await ui.clickLine("new two");
  await until("a press counts, once the review has been in front for a moment", async () => {
    if (await ui.isAsked()) return true;
    await call("command", { id: "agentfs.ui.rejectHunk" });
    return false;
  }, { everyMs: 1500 });
  await ui.escapeQuestion();
  await ui.severalWith("new two");
  await ui.tab("3 files").click();
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.review.decision, "accepted", "the hunk is still part of the change");
  assert.deepEqual(texts(hunked), NEW);
});

const onlyHunk = file("several/only.txt", "old\n");

scenario("the only hunk of a change is rejected: the question comes first, and without an answer nothing is taken back", async () => {
  const asked = await agent("only").readAndEdit(onlyHunk, "old", "new");
  await openReview();
  await ui.diffWith("new");
  await ui.clickLine("new");
  const untilAsked = () =>
    until("the question", async () => {
      if (await ui.page.locator(".quick-input-widget:visible input").isVisible()) return true;
      await call("command", { id: "agentfs.ui.rejectHunk" });
      return false;
    }, { everyMs: 1500 });
  await untilAsked();
  await ui.escapeQuestion();
  await ui.diffWith("new");
  await untilAsked();
  await ui.answer("Keep it.");
  assert.equal((await asked.answer).context.review.feedback, "Keep it.");
  assert.equal(onlyHunk.text(), "old\n");
});

const nothing = file("several/nothing.txt", "old\n");

scenario("a review is accepted of which nothing is left: it is rejected, and the status bar says so", async () => {
  const ada = agent("nothing");
  const asked = await ada.readAndEdit(nothing, "old", "new");
  await openReview();
  await ui.diffWith("new");
  await ui.clickLine("new");
  await ui.page.keyboard.press("Home");
  await ui.page.keyboard.press("Shift+End");
  await ui.page.keyboard.type("old");
  await ui.diffWith("old");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).error.code, "USER_REJECTED");
  await ui.statusBarSays("Rejected: the text that you accepted does not change nothing.txt.");
  assert.equal(nothing.text(), "old\n");
});

const typed = trio("typed");

scenario("several files: one of them amended, all accepted", async () => {
  const asked = await propose("typed", typed, { open: false });
  await ui.clickLine("new two");
  await ui.page.keyboard.type(", amended");
  await ui.pressTitle("Accept");

  const { data } = await asked.answer;
  assert.equal(data.review.decision, "amended");
  assert.match(data.review.amendments, /^\+new two, amended$/m);
  assert.deepEqual(texts(typed), [NEW[0], "new two, amended\n", NEW[2]]);
  await ui.tabsAre();
});

const apart = trio("apart");

scenario("several files: a draft that VS Code opens in a tab of its own is decided there alone", async () => {
  const asked = await propose("apart", apart, { open: false, atomic: false });
  await ui.clickLine("new two");
  await ui.page.keyboard.type(", amended");
  await ui.tab("two.txt").click();
  await ui.sees("new two, amended");
  await ui.titleButton("Reject").click();
  await ui.answer("");
  await call("command", { id: "agentfs.ui.showPending" });
  await until("it is decided", () => isRejected("two.txt"));
  assert.equal((await state()).pending.length, 1, "the others wait");

  await ui.tab("3 files").click();
  await ui.pressTitle("Accept");

  const { data } = await asked.answer;
  assert.deepEqual(data.failed_items, [1], "accepting all is no word about what was rejected before");
  assert.deepEqual(texts(apart), [NEW[0], OLD[1], NEW[2]]);
  await ui.statusBarSays("Changed one.txt, three.txt, not two.txt");
  await ui.tabsAre();
});

const moved = trio("moved");

scenario("several files: one changes on disk meanwhile, and accepting changes none of them", async () => {
  const asked = await propose("moved", moved);
  await acceptDuring(() => moved[1].change("by a build\n"));

  assert.equal((await asked.answer).error.code, "CONFLICT");
  assert.deepEqual(texts(moved), [OLD[0], "by a build\n", null]);
  assert.deepEqual(await unsaved(moved), [MINE + OLD[0], true]);
  await ui.saysInPassing("was not changed");
  await ui.tabsAre("one.txt");
});

const undone = trio("undone", ["a.txt", "b.txt", "c.txt"]);

scenario("several files: what landed is one row of the view, and undone together from there", async () => {
  const asked = await propose("undone", undone);
  await ui.pressTitle("Accept");
  assert.deepEqual((await asked.answer).data.landing, "editor");
  assert.deepEqual(texts(undone), [OLD[0], NEW[1], NEW[2]]);
  await ui.saysInPassing("The change of a.txt is in the editor, but not saved.");
  await call("command", { id: "agentfs.ui.showPending" });

  await ui.pressInRow("Landed", "a.txt, b.txt, c.txt", "Undo Change…");
  await ui.severalWith("old two");
  assert.deepEqual(texts(undone), [OLD[0], NEW[1], NEW[2]], "an undo is reviewed like any change");
  await ui.pressTitle("Accept");

  await until("the closed files are as before", () => texts(undone).join() === OLD.join());
  await until("the open one too, what is typed aside", async () => (await unsaved(undone))[0] === MINE + OLD[0]);
  await until("no review is left", async () => (await state()).pending.length === 0);
  await ui.saysInPassing("The change of a.txt is in the editor, but not saved.");
  await ui.tabsAre("a.txt");
});

const partly = trio("partly");

scenario("several files: one changes on disk meanwhile, the others land, and only those are said to have changed", async () => {
  const asked = await propose("partly", partly, { open: false, atomic: false });
  partly[1].change("by a build\n");
  await ui.sees("Changed on disk");
  await ui.pressTitle("Accept");

  assert.deepEqual((await asked.answer).data.failed_items, [1]);
  assert.deepEqual(texts(partly), [NEW[0], "by a build\n", NEW[2]]);
  await ui.saysInPassing("two.txt was not changed.");
  await ui.statusBarSays("Changed one.txt, three.txt");
});

const counted = trio("counted");

scenario("several files: without a history, a row of the view counts what landed", async () => {
  await set("agentfs.history.enabled", false);
  const asked = await propose("counted", counted, { open: false, atomic: false });
  await ui.decideFile("one.txt", "Reject This File");
  await ui.answer("");
  await ui.clickLine("new two");
  await ui.page.keyboard.type("\nand more");
  await ui.pressTitle("Accept");
  await asked.answer;
  await call("command", { id: "agentfs.ui.showPending" });
  await ui.viewRow("Landed", "two.txt, three.txt").filter({ hasText: "+3 −1" }).waitFor();
});

const operated = file("several/operated.txt", "old\n");

scenario("several files: which of them are new or to be deleted is said beside them, also of empty ones", async () => {
  const ada = agent("operated");
  await ada.read(operated);
  const asked = batch("operated", [
    { tool: "edit", params: { path: operated.name, old_string: "old", new_string: "new" } },
    { tool: "write", params: { path: "several/empty.txt", content: "", allow_empty: true } },
  ]);
  await openReview();
  await ui.severalWith("new");
  await ui.sees("new file · Ada");
  await ui.pressTitle("Accept");
  const { data } = await asked.answer;
  assert.equal(data.failed_items?.length ?? 0, 0);

  const undo = workbench.extension.request("agentfs/undo", { session: "operated", agent: "Ada", change_id: data.change_id });
  await openReview();
  await ui.severalWith("old");
  await ui.sees("to be deleted · Ada");
  await ui.pressTitle("Accept");
  assert.equal((await undo.answer).status, "success");
});

const [first, second] = ["first", "second"].map((name) => file(`several/${name}.txt`, `old ${name}\n`));

scenario("of several files one does not land: it is said, and only the other is said to wait unsaved", async () => {
  for (const each of [first, second]) await each.open();
  await first.type("mine ");
  for (const each of [first, second]) await agent("failed").read(each);
  const operations = [first, second].map(({ name: path }) => ({ tool: "edit", params: { path, old_string: "old", new_string: "new" } }));
  const asked = batch("failed", operations, { atomic: false });
  await openReview();
  await ui.severalWith("new second");
  await second.type("typed ");
  await ui.pressTitle("Accept");

  assert.deepEqual((await asked.answer).data.failed_items, [1]);
  await ui.saysInPassing("second.txt was not changed.");
  await ui.saysInPassing("The change of first.txt is in the editor, but not saved.");
});

const kept = trio("kept", ["kept.txt", "two.txt", "three.txt"]);
const clicked = file("several/kept/clicked.txt", "clicked\n");

scenario("several files: the tab stays when the user looks at a file in the Explorer, and no file is shown as renamed", async () => {
  await clicked.open();
  await call("command", { id: "workbench.files.action.showActiveFileInExplorer" });
  await call("close", { path: clicked.name });
  const asked = await propose("kept", kept);
  const states = ui.page.locator(".multiDiffEntry .header .status");
  assert.deepEqual(await states.allInnerTexts(), ["", "", ""], "neither that nor an old name stands beside a name");

  await ui.page.locator(".explorer-folders-view .monaco-list-row", { hasText: "clicked.txt" }).click();
  await until("the file is shown", async () => (await state()).tabs.some(({ label, active }) => active && label === "clicked.txt"));
  assert.deepEqual(await ui.tabNames(), ["kept.txt", "Changes by Ada (3 files)", "clicked.txt"]);
  await ui.tab("3 files").click();
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.review.decision, "accepted");
  await ui.saysInPassing("The change of kept.txt is in the editor, but not saved.");
});

const [tall, low] = [file("several/again/tall.txt"), file("several/again/low.txt", OLD[1])];

scenario("several files: opened again it is the same tab, and the row of a file shows that file", async () => {
  await agent("again").read(low);
  const asked = batch("again", [
    { tool: "write", params: { path: tall.name, content: "many lines\n".repeat(200) } },
    { tool: "write", params: { path: low.name, content: NEW[1] } },
  ]);
  await openReview();
  await ui.severalWith("many lines");
  const reviews = async () => (await state()).tabs.filter(({ label }) => label.startsWith("Changes by")).length;
  await call("command", { id: "agentfs.ui.showPending" });
  await ui.viewRow("Pending", "low.txt").click();
  await ui.severalWith("new two");
  await ui.viewRow("Pending", "tall.txt").click();
  await ui.severalWith("many lines");
  await ui.viewRow("Pending", "2 files").click();
  assert.equal(await reviews(), 1);

  await call("command", { id: "workbench.action.newGroupRight" });
  await call("command", { id: "agentfs.ui.openReview" });
  await ui.severalWith("many lines");
  assert.equal(await reviews(), 1, "also if another group was active");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.review.decision, "accepted");
  await ui.tabsAre();
});

const scrolled = trio("scrolled");

scenario("several files: one that is scrolled out of view is not decided, and the status bar says why", async () => {
  const lines = (word) => Array.from({ length: 60 }, (_, at) => `${word} ${at}\n`).join("");
  const asked = batch("scrolled", scrolled.map((one) => ({ tool: "write", params: { path: one.name.replace(".txt", "-new.txt"), content: lines(one.base) } })), { atomic: false });
  await openReview();
  await ui.severalWith("one.txt 1");
  await ui.enterFile("one-new.txt");
  const first = ui.page.locator(".editor-group-container.active .multiDiffEntry .editor.modified .view-line", { hasText: "one.txt" });
  await until("it is out of view", async () => {
    await ui.page.mouse.wheel(0, 600);
    return (await first.first().boundingBox())?.y < -1000; // VS Code puts away what it does not draw
  });

  await ui.titleMenu("Accept This File");
  await ui.statusBarSays("This file is not in view. Click into it, then press again.");
  assert.equal(await ui.isSaid("Open the review first"), false);
  await asked.cancel();
});
