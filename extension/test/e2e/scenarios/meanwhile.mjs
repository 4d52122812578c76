// What happens while a proposal waits: the file moves, the window goes, others come.

import assert from "node:assert/strict";
import path from "node:path";

import { agent } from "../harness/agents.mjs";
import { file } from "../harness/files.mjs";
import { until } from "../harness/page.mjs";
import { acceptDuring, openReview, pressUntilTaken, reviewWith } from "../harness/reviews.mjs";
import { call, reloadWindow, state, ui } from "../harness/run.mjs";
import { servers } from "../harness/server.mjs";
import { scenario } from "../harness/suite.mjs";

const onDisk = file("meanwhile/disk.txt", "one\ntwo\n");

scenario("changed on disk during the review: it says so, and the agent is asked for a new proposal", async () => {
  const asked = await agent("disk").readAndEdit(onDisk, "two", "2");
  await reviewWith("2");

  onDisk.change("one\ntwo\nthree by a build\n");
  await ui.sees("Changed on disk: cannot be accepted");
  await ui.titleButton("Ask the Agent to Redo").waitFor();
  assert.equal(await ui.titleButton("Accept").count(), 0);
  await ui.clickLine("2");
  await ui.page.keyboard.press("Control+Enter");
  await until("why nothing was accepted", () => ui.isSaid("Accepting it would be a conflict."));
  await call("command", { id: "notifications.clearAll" });
  await ui.pressTitle("Show What Changed");
  const changed = await ui.requestedDiff("disk.txt (changed since the proposal)", "three by a build");
  assert.doesNotMatch(changed.original, /three/);
  await ui.pressTitle("Back to the Review");
  await ui.requestedDiff("disk.txt (Ada)", "2");
  await ui.pressTitle("Show What Changed");
  await ui.requestedDiff("disk.txt (changed since the proposal)", "three by a build");
  await ui.clickLine("three by a build");
  await ui.page.keyboard.press("Control+Enter");
  await ui.requestedDiff("disk.txt (Ada)", "2");
  await ui.pressTitle("Ask the Agent to Redo");

  const answer = await asked.answer;
  assert.equal(answer.error.code, "USER_REJECTED");
  assert.match(answer.context.review.feedback, /^disk\.txt changed after you proposed this\. Read it again/);
  assert.equal(onDisk.text(), "one\ntwo\nthree by a build\n", "never overwritten");
  await ui.noTab("disk.txt (Ada)");
});

const restored = file("meanwhile/restored.txt", "one\ntwo\n");

scenario("a file is the same again by the time that the agent is to do its change again: the change still waits", async () => {
  const asked = await agent("restored").readAndEdit(restored, "two", "2");
  await reviewWith("2");
  restored.change("one\ntwo\nthree by a build\n");
  await ui.sees("Changed on disk: cannot be accepted");
  await ui.clickLine("2");
  await ui.page.keyboard.press("Control+Enter");
  await ui.offers("Accepting it would be a conflict.", "Ask the Agent to Redo");
  restored.change("one\ntwo\n");
  await ui.titleButton("Accept").waitFor();

  const redo = ui.page.locator(".notifications-toasts").getByRole("button", { name: "Ask the Agent to Redo" });
  await until("the press counts", async () => {
    if (await ui.isSaid("The text is the same again")) return true;
    await redo.click({ timeout: 500 }); // it may be gone by now
    return false;
  }, { everyMs: 1200 });
  await ui.saysInPassing("The text is the same again as when this change was proposed.");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.review.decision, "accepted");
});

const racing = file("meanwhile/racing.txt", "one\ntwo\n");

scenario("changed on disk as Accept is pressed, when the review does not say so yet: a conflict", async () => {
  const asked = await agent("racing").readAndEdit(racing, "two", "2");
  await reviewWith("2");

  await acceptDuring(() => racing.change("one\ntwo\nthree by a build\n"));

  const answer = await asked.answer;
  assert.equal(answer.error.code, "CONFLICT");
  assert.equal(answer.context.conflict.source, "disk");
  assert.equal(racing.text(), "one\ntwo\nthree by a build\n", "never overwritten");
  await ui.noTab("racing.txt");
  await ui.saysInPassing("racing.txt was not changed. 'meanwhile/racing.txt' was changed on disk");
});

const typed = file("meanwhile/typed.txt", "one\ntwo\n");

scenario("typed in the file during the review: it says so, and the agent is asked for a new proposal", async () => {
  await typed.open();
  const asked = await agent("typed").readAndEdit(typed, "two", "2");
  await reviewWith("2");

  await ui.tab("typed.txt").first().click();
  await ui.focusEditor();
  await ui.page.keyboard.press("Control+Home");
  await ui.page.keyboard.type("mine ");
  const diff = await reviewWith("2");
  assert.match(diff.original, /^one$/m, "the left side is what the proposal changes");
  await ui.sees(/changed/i);
  await ui.pressTitle("Ask the Agent to Redo");

  assert.equal((await asked.answer).error.code, "USER_REJECTED");
  assert.equal(typed.text(), "one\ntwo\n");
  assert.equal((await typed.document()).text, "mine one\ntwo\n", "what was typed is untouched");
  await ui.tabsAre("typed.txt");
});

const ten = Array.from({ length: 10 }, (_, index) => file(`meanwhile/ten/${index}.txt`, `old ${index}\n`));

scenario("ten proposals at once: a list of ten, and one tab, for one after the other", async () => {
  const asked = await Promise.all(ten.map((one, index) => agent(`ten-${index}`).readAndEdit(one, "old", "new")));
  await until("ten are pending", async () => (await state()).pending.length === 10);
  await ui.statusItem(": 10").waitFor();
  await call("command", { id: "agentfs.ui.showPending" });
  for (const one of ten) await ui.viewRow("Pending", one.base).waitFor();
  assert.deepEqual(await ui.tabNames(), [], "none opens by itself");

  await openReview();
  for (const { files } of (await state()).pending) {
    const name = path.basename(files[0].path);
    await until(`${name} alone is open`, async () => (await ui.tabNames()).length < 2 && (await ui.tab(name).count()) === 1);
    await pressUntilTaken("Accept", name);
  }

  for (const [index, one] of ten.entries()) {
    assert.equal((await asked[index].answer).data.review.decision, "accepted");
    assert.equal(one.text(), `new ${index}\n`);
  }
  await until("the list of the pending is empty", async () => (await ui.viewRow("Pending", ".txt").count()) === 0);
  await call("command", { id: "agentfs.landed.focus" });
  for (const one of ten) {
    await ui.page.keyboard.press("Home"); // the list is longer than its view
    await ui.untilRow("Landed", one.base, "PageDown");
  }
});

const dropped = file("meanwhile/dropped.txt", "one\ntwo\n");

scenario("unsaved text is closed without a save during the review: it says so, and agents go on with the disk", async () => {
  await dropped.open();
  await dropped.type("mine ");
  const asked = await agent("dropped").readAndEdit(dropped, "two", "2");
  await reviewWith("2");
  await dropped.open();

  await ui.closeActiveTab();
  await ui.page.locator(".monaco-dialog-box").getByRole("button", { name: "Don't Save" }).click();

  await reviewWith("2");
  await ui.sees("Changed on disk: cannot be accepted");
  await ui.pressTitle("Ask the Agent to Redo");
  assert.equal((await asked.answer).error.code, "USER_REJECTED");
  const { data } = await agent("dropped").read(dropped);
  assert.deepEqual([data.content, data.source], ["one\ntwo\n", "disk"]);
});

const skipped = [file("meanwhile/first.txt", "old\n"), file("meanwhile/second.txt", "old\n")];

/** Wait until the extension host knows what the page shows: the next press counts from there. */
const inFront = (name) =>
  until(`${name} is in front, alone`, async () => {
    const { tabs } = await state();
    return tabs.length === 1 && tabs[0].active && tabs[0].label.startsWith(name);
  });

scenario("next and previous proposal", async () => {
  const first = await agent("next-1").readAndEdit(skipped[0], "old", "new first");
  await reviewWith("new first");
  const second = await agent("next-2").readAndEdit(skipped[1], "old", "new second");
  await until("both are pending", async () => (await state()).pending.length === 2);

  await ui.pressTitle("Next Proposal");
  await ui.requestedReview("new second");
  await inFront("second.txt");
  await ui.titleMenu("Previous Proposal");
  await ui.requestedReview("new first");
  await inFront("first.txt");
  await ui.pressTitle("Next Proposal");
  await ui.requestedReview("new second");
  await ui.pressTitle("Accept");
  assert.equal((await second.answer).data.applied, true);
  await ui.diffWith("new first");
  await pressUntilTaken("Accept", "first.txt");

  assert.equal((await first.answer).data.applied, true);
  assert.deepEqual(
    skipped.map((one) => one.text()),
    ["new first\n", "new second\n"],
  );
  await until("no tab is left", async () => (await ui.tabNames()).length === 0);
});

const quick = ["one", "two", "three"].map((name) => file(`meanwhile/quick/${name}.txt`, "old\n"));

scenario("Next Proposal twice at once goes on by two", async () => {
  const asked = [];
  for (const one of quick) asked.push(await agent(one.base).readAndEdit(one, "old", `new ${one.base}`));
  await until("three are pending", async () => (await state()).pending.length === 3);
  await reviewWith("new one.txt");
  await inFront("one.txt");

  await Promise.all([1, 2].map(() => call("command", { id: "agentfs.ui.next" })));
  await ui.diffWith("new three.txt");
  await inFront("three.txt");
  for (const one of asked) await one.cancel();
});

const replaced = ["one", "two"].map((name) => file(`meanwhile/replaced-${name}.txt`, "old\n"));

scenario("an agent takes its change back just before Accept is pressed: that is no yes to another one", async () => {
  const first = await agent("replaced-1").readAndEdit(replaced[0], "old", "new first");
  await reviewWith("new first");
  const second = await agent("replaced-2").readAndEdit(replaced[1], "old", "new second");
  await until("both are pending", async () => (await state()).pending.length === 2);

  await first.cancel();
  await ui.tabsAre();
  await until("a word about it", async () => {
    await call("command", { id: "agentfs.ui.accept" }); // right behind a decision nothing is said
    return ui.isSaid("Open the review first");
  });

  await ui.saysInPassing("Open the review first");
  assert.equal((await state()).pending.length, 1, "the other one waits for a press of its own");
  assert.equal(replaced[1].text(), "old\n");
  await reviewWith("new second");
  await ui.pressTitle("Accept");
  assert.equal((await second.answer).data.review.decision, "accepted");
});

const reloaded = [file("meanwhile/reload-1.txt", "old\n"), file("meanwhile/reload-2.txt", "old\n")];

scenario("the window is reloaded with proposals pending: nothing lands, no stale tab", async () => {
  await reloaded[1].open();
  const asked = await Promise.all(
    reloaded.map((one, index) => agent(`reload-${index}`).readAndEdit(one, "old", "new")),
  );
  await until("both are pending", async () => (await state()).pending.length === 2);
  await reviewWith("new");

  await reloadWindow();

  for (const one of asked) await assert.rejects(one.answer, /went away|Canceled/);
  await ui.tabsAre("reload-2.txt");
  assert.deepEqual((await state()).pending, []);
  assert.deepEqual(
    reloaded.map((one) => one.text()),
    ["old\n", "old\n"],
  );

  const again = await agent("reload-again").readAndEdit(reloaded[0], "old", "new");
  await reviewWith("new");
  await ui.pressTitle("Accept");
  assert.equal((await again.answer).data.applied, true);
  assert.equal(reloaded[0].text(), "new\n");
});

const stale = file("meanwhile/stale.txt", "old\n");
const another = file("meanwhile/another.txt", "old\n");

scenario("the notification of a change that is gone says so, whatever else waits", async () => {
  const asked = await agent("stale").readAndEdit(stale, "old", "new");
  await ui.offers("Ada proposes to change stale.txt.", "Review");
  await asked.cancel();
  await until("it is gone", async () => (await state()).pending.length === 0);
  const other = await agent("other").readAndEdit(another, "old", "new");
  await until("another one waits", async () => (await state()).pending.length === 1);

  await ui.pressInMessage("Ada proposes to change stale.txt.", "Review");

  await ui.saysInPassing("This change is no longer waiting for your review.");
  await ui.tabsAre();
  await other.cancel();
});

const frozen = file("meanwhile/frozen.txt", "old\n");

scenario("a review that was accepted stays read-only while its change lands, whoever clicks into it", async () => {
  const asked = await agent("frozen").readAndEdit(frozen, "old", "new");
  await call("command", { id: "agentfs.ui.showPending" });
  await reviewWith("new");
  const [pid] = servers();
  process.kill(pid, "SIGSTOP");
  try {
    await ui.titleButton("Accept").click();
    await ui.viewRow("Pending", "frozen.txt").locator(".codicon-loading").waitFor({ state: "attached" });
    for (let press = 0; press < 20; press += 1) {
      await ui.clickLine("new");
      await ui.page.keyboard.type("x");
      await call("ping");
    }
    assert.match((await ui.diff()).modified, /^new\s*$/);
  } finally {
    process.kill(pid, "SIGCONT");
  }
  assert.equal((await asked.answer).data.review.decision, "accepted");
  assert.equal(frozen.text(), "new\n");
});
