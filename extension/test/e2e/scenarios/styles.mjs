// VS Code's own Refactor Preview: as the style that the user chose, and for a client that can't review.

import assert from "node:assert/strict";
import { after } from "node:test";

import { agent } from "../harness/agents.mjs";
import { connect } from "../harness/extension.mjs";
import { file } from "../harness/files.mjs";
import { until } from "../harness/page.mjs";
import { acceptAfterPlain, pressUntilTaken, reviewWith, whileHostIsBusy } from "../harness/reviews.mjs";
import { state, ui, workbench } from "../harness/run.mjs";
import { inWorkspace, set } from "../harness/settings.mjs";
import { scenario } from "../harness/suite.mjs";

const mine = file("styles/mine.txt", "");
const previewed = file("styles/preview.txt", "one\ntwo\nthree\n");

scenario("the Refactor Preview style: ticked and applied, it lands", async () => {
  await set("agentfs.review.style", "refactorPreview");
  await previewed.open();
  await ui.focusEditor();
  const asked = await agent("preview").readAndEdit(previewed, "two", "2");
  await ui.offers("styles/preview.txt", "Review");
  await ui.statusItem(": 1").waitFor();
  assert.equal(await ui.preview.isVisible(), false, "it takes the keys: it comes when the user wants it");
  await ui.page.keyboard.press("Control+K");
  await ui.page.keyboard.press("a");
  await ui.preview.waitFor();
  assert.equal(
    (await state()).tabs.filter(({ uri }) => uri?.startsWith("agentfs")).length,
    0,
    "no diff of agentfs' own",
  );

  await ui.tickPreview();
  await ui.previewButton("Apply").click();

  const answer = await asked.answer;
  assert.equal(answer.data.review.decision, "accepted");
  assert.equal(answer.data.landing, "disk");
  assert.equal(previewed.text(), "one\n2\nthree\n");
  await ui.preview.waitFor({ state: "hidden" });
});

const discarded = file("styles/discard.txt", "one\ntwo\nthree\n");

scenario("the Refactor Preview style: discarded, the agent hears a no", async () => {
  await set("agentfs.review.style", "refactorPreview");
  const asked = await agent("discard").readAndEdit(discarded, "two", "2");
  await ui.pressInMessage("styles/discard.txt", "Review");
  await ui.preview.waitFor();
  await ui.previewButton("Discard").click();

  assert.equal((await asked.answer).error.code, "USER_REJECTED");
  assert.equal(discarded.text(), "one\ntwo\nthree\n");
  await ui.preview.waitFor({ state: "hidden" });
});

const next = file("styles/next.txt");

scenario("the Refactor Preview style: once a preview has ended, keys decide in the diff of a new file", async () => {
  await set("agentfs.review.style", "refactorPreview");
  await mine.open();
  const asked = await agent("before").readAndEdit(discarded, "two", "2");
  await ui.pressInMessage("styles/discard.txt", "Review");
  await ui.preview.waitFor();
  await ui.previewButton("Discard").click();
  assert.equal((await asked.answer).error.code, "USER_REJECTED");
  await ui.preview.waitFor({ state: "hidden" });

  const created = agent("next").write(next, "one\n");
  await ui.pressInMessage("next.txt", "Review");
  await ui.diffWith("one");
  await pressUntilTaken("Control+Enter", "next.txt");

  assert.equal((await created.answer).data.landing, "disk");
  assert.equal(next.text(), "one\n");
});

const late = file("styles/late.txt", "one\ntwo\nthree\n");

scenario("the Refactor Preview style: a preview that comes late leaves the keys to whoever types by then", async () => {
  await set("agentfs.review.style", "refactorPreview");
  await mine.open();
  const asked = await agent("late").readAndEdit(late, "two", "2");
  await ui.offers("styles/late.txt", "Review");

  await whileHostIsBusy(async () => {
    await ui.pressInMessage("styles/late.txt", "Review");
    await ui.focusEditor();
    await ui.page.keyboard.type("words");
  });

  await ui.offers("The review of late.txt is ready.", "Review");
  await ui.page.keyboard.type(" and more");
  await until("all is in the own file", async () => (await mine.document()).text === "words and more");
  assert.equal(await ui.preview.isVisible(), false);
  await whileHostIsBusy(async () => {
    await ui.pressInMessage("The review of late.txt is ready.", "Review");
    await ui.focusEditor();
    await ui.page.keyboard.press("Control+End");
    await ui.page.keyboard.type(", again");
  });
  await ui.offers("The review of late.txt is ready.", "Review");
  assert.equal(await ui.preview.isVisible(), false);
  await ui.pressInMessage("The review of late.txt is ready.", "Review");
  await ui.preview.waitFor();
  await ui.previewButton("Discard").click();
  assert.equal((await asked.answer).error.code, "USER_REJECTED");
  await ui.preview.waitFor({ state: "hidden" });
});

const withdrawn = file("styles/withdrawn.txt", "one\ntwo\n");

scenario("the Refactor Preview style: withdrawn before it was opened, it waits no more, and can't land", async () => {
  await set("agentfs.review.style", "refactorPreview");
  await withdrawn.open();
  const first = await agent("withdrawn").readAndEdit(withdrawn, "two\n", "two\n2\n");
  await ui.offers("styles/withdrawn.txt", "Review");
  await ui.statusBarSays("agentfs: 1");

  await first.cancel();

  await assert.rejects(first.answer, { code: -32800 });
  await ui.statusBarSays("agentfs");
  await ui.pressInMessage("styles/withdrawn.txt", "Review");
  await ui.saysInPassing("This change is no longer waiting for your review.");

  const second = await agent("withdrawn").readAndEdit(withdrawn, "two\n", "two\n2\n");
  await ui.pressInMessage("styles/withdrawn.txt", "Review");
  await ui.preview.waitFor();
  await ui.tickPreview();
  await ui.previewButton("Apply").click();
  assert.equal((await second.answer).data.review.decision, "accepted");
  assert.equal(withdrawn.text(), "one\ntwo\n2\n");
  await ui.preview.waitFor({ state: "hidden" });
  await ui.statusBarSays("agentfs");
});

const moved = file("styles/moved.txt", "one\ntwo\nthree\n");

scenario("the Refactor Preview style: a closed file that changed while it waited is a conflict", async () => {
  await set("agentfs.review.style", "refactorPreview");
  const asked = await agent("moved").readAndEdit(moved, "two", "2");
  await ui.offers("styles/moved.txt", "Review");
  moved.change("zero\none\ntwo\nthree\n");

  await ui.pressInMessage("styles/moved.txt", "Review");

  await ui.saysInPassing("moved.txt was not changed. It changed after this change was proposed.");
  const answer = await asked.answer;
  assert.equal(answer.error.code, "CONFLICT");
  assert.equal(answer.context.conflict.source, "disk");
  assert.equal(moved.text(), "zero\none\ntwo\nthree\n");
  assert.equal(await moved.document(), undefined);
  await ui.statusBarSays("agentfs");
});

const created = file("styles/created.txt");

scenario("the Refactor Preview style: a new file, which it can't show, has a diff, and nobody's keys", async () => {
  await set("agentfs.review.style", "refactorPreview");
  await mine.open();
  await ui.focusEditor();
  const asked = agent("created").write(created, "one\ntwo\n");
  await ui.offers("created.txt", "Review");
  await ui.page.keyboard.type("my own words");
  await until("they are where they were typed", async () => (await mine.document())?.text === "my own words");
  await ui.tabsAre("mine.txt");

  await inWorkspace({ "editor.fontSize": 6 }, async () => {
    await reviewWith("two");
    await acceptAfterPlain("Settings of this workspace", "two");
  });

  const { data } = await asked.answer;
  assert.deepEqual([data.review.rung, data.review.decision], ["review", "accepted"]);
  assert.equal(created.text(), "one\ntwo\n");
});

const plainly = file("styles/plain.txt", "one\ntwo\nthree\n");
let plain;
after(() => plain?.close());

scenario(
  "a client without reviews of its own: the workbench's preview asks, and says where the change is",
  async () => {
    plain = await connect(workbench.sockets.plain);
    const asked = await agent("plain", () => plain).readAndEdit(plainly, "two", "2");
    await ui.preview.waitFor();
    assert.equal((await state()).pending.length, 0, "the extension has no part in it");

    await ui.tickPreview();
    await ui.previewButton("Apply").click();

    const answer = await asked.answer;
    assert.equal(answer.data.review?.rung, "preview", answer.text);
    assert.equal(answer.data.review.decision, "accepted");
    assert.equal(answer.status, "partial");
    assert.equal(answer.data.landing, "editor", "the workbench applies and does not save");
    assert.equal(plainly.text(), "one\ntwo\nthree\n");
    await until("the change waits in the editor", async () => (await plainly.document())?.text === "one\n2\nthree\n");
    await ui.preview.waitFor({ state: "hidden" });
    await ui.tabsAre("plain.txt"); // the workbench opens a tab for it a moment later
  },
);

const refusedPlainly = file("styles/plain-no.txt", "one\ntwo\nthree\n");

scenario("a client without reviews of its own: discarding is a no", async () => {
  plain ??= await connect(workbench.sockets.plain);
  const asked = await agent("plain-no", () => plain).readAndEdit(refusedPlainly, "two", "2");
  await ui.preview.waitFor();
  await ui.previewButton("Discard").click();

  const answer = await asked.answer;
  assert.equal(answer.error.code, "USER_REJECTED");
  assert.equal(refusedPlainly.text(), "one\ntwo\nthree\n");
  assert.equal(await refusedPlainly.document(), undefined);
  await ui.preview.waitFor({ state: "hidden" });
});
