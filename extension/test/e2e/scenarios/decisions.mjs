// What a person decides about a proposal, and what the agent hears of it.

import assert from "node:assert/strict";

import { agent } from "../harness/agents.mjs";
import { file } from "../harness/files.mjs";
import { until } from "../harness/page.mjs";
import { openReview, pressUntilTaken, reviewWith, takeDraft } from "../harness/reviews.mjs";
import { call, state, ui, workbench } from "../harness/run.mjs";
import { mode } from "../harness/server.mjs";
import { set } from "../harness/settings.mjs";
import { scenario } from "../harness/suite.mjs";

const lines = (count, changed = {}) =>
  Array.from({ length: count }, (_, index) => changed[index + 1] ?? `line ${index + 1}`).join("\n") + "\n";

const accepted = file("decisions/accept.py", "timeout = 30\nretries = 2\n");

scenario("accept: what was shown is what lands", async () => {
  const asked = await agent("accept").readAndEdit(accepted, "timeout = 30", "timeout = 60", {
    explanation: "The upload takes longer than 30 s.",
  });
  const diff = await reviewWith("timeout = 60");
  assert.match(diff.original, /timeout = 30/);
  await ui.sees("Ada");
  await ui.sees("The upload takes longer than 30 s.");
  assert.equal(accepted.text(), "timeout = 30\nretries = 2\n", "nothing is written before the decision");

  await ui.pressTitle("Accept");

  const answer = await asked.answer;
  assert.equal(answer.status, "success");
  assert.equal(answer.data.applied, true);
  assert.equal(answer.data.landing, "disk");
  assert.equal(answer.data.review.decision, "accepted");
  assert.equal(answer.data.review.by, "user");
  assert.equal(accepted.text(), "timeout = 60\nretries = 2\n");
  await ui.noTab("accept.py");
});

const rejected = file("decisions/reject.py", "answer = 42\n");

scenario("reject with a reason: the agent hears it, the file stays", async () => {
  const asked = await agent("reject").readAndEdit(rejected, "42", "41");
  await reviewWith("answer = 41");

  await ui.titleButton("Reject").click();
  await ui.answer("It is 42, as everybody knows.");

  const answer = await asked.answer;
  assert.equal(answer.status, "error");
  assert.equal(answer.error.code, "USER_REJECTED");
  assert.match(answer.text, /It is 42, as everybody knows\./);
  assert.equal(answer.context.review.feedback, "It is 42, as everybody knows.");
  assert.equal(rejected.text(), "answer = 42\n");
  await ui.noTab("reject.py");
  await ui.statusBarSays("Rejected reject.py. Ada has your reason.");

  await agent("reject").edit(rejected, "42", "43");
  await reviewWith("answer = 43");
  await ui.titleButton("Reject").click();
  await ui.answer("");
  await ui.statusBarSays("Rejected reject.py.");
});

const early = file("decisions/accept-early.py", "answer = 42\n");

scenario("accepted while the reason to reject it is asked for: it lands, and the rejection came too late", async () => {
  const asked = await agent("early").readAndEdit(early, "42", "41");
  await reviewWith("answer = 41");
  await ui.titleButton("Reject").click();
  await ui.page.locator(".quick-input-widget:visible input").waitFor();
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).status, "success");
  await ui.answer("It is 42.");
  await ui.saysInPassing("The change of accept-early.py ended before you rejected it. The agent did not receive your answer.");
  assert.equal(early.text(), "answer = 41\n");
});

const silent = file("decisions/reject-silently.py", "answer = 42\n");

scenario("reject without a reason; Escape rejects nothing", async () => {
  const asked = await agent("silent").readAndEdit(silent, "42", "41");
  await reviewWith("answer = 41");
  await ui.titleButton("Reject").click();
  await ui.escapeQuestion();
  assert.equal((await state()).pending.length, 1, "the proposal still waits");

  await ui.titleButton("Reject").click();
  await ui.answer("");

  const answer = await asked.answer;
  assert.equal(answer.error.code, "USER_REJECTED");
  assert.equal(answer.context.review.feedback, undefined);
  assert.equal(silent.text(), "answer = 42\n");
  await ui.noTab("reject-silently.py");
});

const gone = file("decisions/gone.txt", "old\n");

scenario("a change that its agent withdraws while a reason to reject it is typed: the user is told", async () => {
  const asked = await agent("hasty").readAndEdit(gone, "old", "new");
  await reviewWith("new");
  await ui.titleButton("Reject").click();
  await ui.page.locator(".quick-input-widget:visible input").fill("Because of");
  await asked.cancel();
  await until("it is gone", async () => (await state()).pending.length === 0);

  await ui.answer("Because of the licence");

  await ui.saysInPassing("The change of gone.txt ended before you rejected it. The agent did not receive your answer.");
});

const amended = file("decisions/amend.py", "colour = 'red'\n");

scenario("amend: what the person typed lands, and the agent is told", async () => {
  const asked = await agent("amend").readAndEdit(amended, "'red'", "'green'");
  await reviewWith("colour = 'green'");

  await ui.clickLine("colour = 'green'");
  await ui.page.keyboard.type("  # as grass");
  await ui.diffWith("# as grass");
  await ui.pressTitle("Accept");

  const answer = await asked.answer;
  assert.equal(answer.data.applied, true);
  assert.equal(answer.data.review.decision, "amended");
  assert.match(answer.data.review.amendments, /^\+colour = 'green' {2}# as grass$/m);
  assert.equal(amended.text(), "colour = 'green'  # as grass\n");
  await ui.noTab("amend.py");
});

const hunks = file("decisions/hunks.txt", lines(60));

scenario("one hunk of three taken back with its arrow", async () => {
  await agent("hunks").read(hunks);
  const three = { 5: "first change", 30: "second change", 55: "third change" };
  const asked = agent("hunks").write(hunks, lines(60, three));
  await reviewWith("first change");
  await ui.goToChange("second change");

  await ui.revertHunkAt("second change");

  await until("the second hunk is the old text again", async () => (await ui.diff()).modified.includes("line 30"));
  await ui.pressTitle("Accept");
  const answer = await asked.answer;
  assert.equal(answer.data.applied, true);
  assert.equal(answer.data.review.decision, "amended");
  assert.match(answer.data.review.amendments, /^\+line 30$/m);
  assert.equal(hunks.text(), lines(60, { 5: "first change", 55: "third change" }));
  await ui.noTab("hunks.txt");
});

const often = file("decisions/session.txt", "a 1\n");

scenario("accept for this session, and back to manual with a click", async () => {
  const ada = agent("session");
  const first = await ada.readAndEdit(often, "a 1", "a 2");
  await reviewWith("a 2");
  await ui.titleMenu("Accept and Allow for This Session");
  assert.equal((await first.answer).data.review.decision, "accepted");
  await ui.statusItem(": auto").waitFor();
  assert.equal(await ui.statusWarns(), true, "a loosened mode is shown in a warning color");

  const second = await ada.edit(often, "a 2", "a 3").answer;
  assert.equal(second.data.review.decision, "allowed");
  assert.equal(second.data.review.by, "mode");
  assert.equal(often.text(), "a 3\n");

  await ui.statusItem(": auto").click();
  await until("manual again", async () => (await mode()) === "manual");
  await ui.statusBarSays("You review every change again.");
  await ui.statusItem(": auto").waitFor({ state: "detached" });

  const third = ada.edit(often, "a 3", "a 4");
  await reviewWith("a 4");
  assert.equal(often.text(), "a 3\n", "asked again");
  await ui.pressTitle("Accept");
  assert.equal((await third.answer).data.review.decision, "accepted");
  assert.equal(often.text(), "a 4\n");
});

const cancelled = file("decisions/cancel.txt", "kept\n");

scenario("the agent takes its change back: the review goes away", async () => {
  const asked = await agent("cancel").readAndEdit(cancelled, "kept", "gone");
  await reviewWith("gone");

  await asked.cancel();

  await assert.rejects(asked.answer, { code: -32800 });
  await ui.noTab("cancel.txt");
  assert.deepEqual((await state()).pending, []);
  assert.equal(cancelled.text(), "kept\n");
});

const closed = file("decisions/closed-tab.txt", "still here\n");

scenario("closing the tab decides nothing: the proposal waits and can be opened again", async () => {
  const asked = await agent("closed-tab").readAndEdit(closed, "still here", "changed");
  await reviewWith("changed");

  await ui.closeActiveTab();
  await ui.noTab("closed-tab.txt");
  assert.equal((await state()).pending.length, 1);
  assert.equal(closed.text(), "still here\n");

  await reviewWith("changed");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.review.decision, "accepted");
  assert.equal(closed.text(), "changed\n");
});

const draft = file("decisions/draft.txt", "old\n");

scenario("closing an amended review decides nothing either, and keeps what was typed", async () => {
  const asked = await agent("draft").readAndEdit(draft, "old", "new");
  await reviewWith("new");
  await ui.clickLine("new");
  await ui.page.keyboard.type(" and mine");
  await ui.diffWith("new and mine");
  await ui.closeActiveTab();
  await ui.answerDialog("Save");
  await ui.tabsAre();
  assert.equal((await state()).pending.length, 1);
  assert.equal(draft.text(), "old\n", "saving a draft is no decision");

  await reviewWith("new and mine");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.review.decision, "amended");
  assert.equal(draft.text(), "new and mine\n");
});

const byKeys = file("decisions/keys.txt", "hand\n");

scenario("to the review, accepted and on: with the keyboard alone", async () => {
  const asked = await agent("keys").readAndEdit(byKeys, "hand", "key");
  await reviewWith("key");

  await ui.page.keyboard.press("Control+K");
  await ui.page.keyboard.press("a");
  await ui.focused("modified");
  await pressUntilTaken("Control+Enter", "keys.txt");

  assert.equal((await asked.answer).data.review.decision, "accepted");
  assert.equal(byKeys.text(), "key\n");
  await ui.noTab("keys.txt");
});

const keyed = ["one", "two"].map((name) => file(`decisions/keyed-${name}.txt`, "old\n"));

scenario("next, previous, reject and accept for this session: with the keyboard alone", async () => {
  const ada = agent("keyed");
  const first = await ada.readAndEdit(keyed[0], "old", "new first");
  await reviewWith("new first");
  const second = await ada.readAndEdit(keyed[1], "old", "new second");
  await until("both are pending", async () => (await state()).pending.length === 2);
  await openReview();
  await ui.focused("modified");

  await ui.page.keyboard.press("Alt+.");
  await ui.diffWith("new second");
  await ui.focused("modified");
  await ui.page.keyboard.press("Alt+,");
  await ui.diffWith("new first");
  await ui.focused("modified");
  await until("the reason is asked for", async () => {
    if (await ui.page.locator(".quick-input-widget:visible input").count()) return true;
    await ui.page.keyboard.press("Control+Shift+Backspace");
    return false;
  }, { everyMs: 450 });
  await ui.answer("Not this one.");
  assert.equal((await first.answer).context.review.feedback, "Not this one.");
  await ui.diffWith("new second");
  await ui.focused("modified");
  await ui.page.keyboard.press("ArrowDown");
  await pressUntilTaken("Control+Shift+Alt+Enter", "keyed-two.txt");

  assert.equal((await second.answer).data.review.decision, "accepted");
  assert.deepEqual(
    keyed.map((one) => one.text()),
    ["old\n", "new second\n"],
  );
  await ui.statusItem(": auto").click();
  await until("manual again", async () => (await mode()) === "manual");
  await ui.tabsAre();
});

const inFront = file("decisions/in-front.txt", "front\n");
const unseen = file("decisions/unseen.txt", "old\n");

scenario("accept is about the review in front: with another file there it decides nothing, and says so", async () => {
  const asked = await agent("unseen").readAndEdit(unseen, "old", "new");
  await reviewWith("new");
  await inFront.open();
  await ui.focusEditor();
  await ui.page.keyboard.press("Control+Enter");
  await until("a word about it", async () => {
    await call("command", { id: "agentfs.ui.accept" }); // right behind a decision nothing is said
    return ui.isSaid("Open the review first");
  });
  await ui.saysInPassing("Open the review first");
  assert.equal((await state()).pending.length, 1);
  assert.equal(unseen.text(), "old\n");

  await reviewWith("new");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.applied, true);
  assert.equal(unseen.text(), "new\n");
});

const byPalette = file("decisions/palette.txt", "hand\n");

scenario("accept and reject from the command palette", async () => {
  const ada = agent("palette");
  const first = await ada.readAndEdit(byPalette, "hand", "palm");
  await reviewWith("palm");
  await ui.runCommand("agentfs: Reject Proposed Change");
  await ui.answer("no");
  assert.equal((await first.answer).error.code, "USER_REJECTED");

  const second = ada.edit(byPalette, "hand", "palm");
  await reviewWith("palm");
  await ui.runCommand("agentfs: Accept Proposed Change");
  assert.equal((await second.answer).data.review.decision, "accepted");
  assert.equal(byPalette.text(), "palm\n");
});

/** Closes the review in front; then the row's Accept lands it. */
async function acceptClosed(name) {
  await ui.closeActiveTab();
  const isLoaded = ({ uri }) => uri.startsWith("agentfs-proposal:") && uri.endsWith(name);
  await until("VS Code has forgotten its text", async () => !(await state()).documents.some(isLoaded));
  await call("command", { id: "agentfs.pending.focus" });
  await until("Accept in the row counts", async () => {
    if ((await state()).pending.length === 0) return true;
    await ui.pressInRow("Pending", name, "Accept");
    return false;
  }, { everyMs: 1500 });
}

const hunkIsGone = (key) => async () => {
  if (!(await ui.diff()).modified.includes("thirtieth")) return true;
  await ui.page.keyboard.press(key);
  return false;
};
const REJECT_HUNK = "Control+Alt+Shift+Backspace";

const fixed = file("decisions/fixed.lock", lines(60));

scenario("a rejected hunk of a file that a setting makes read-only stays rejected once its tab is closed", async () => {
  await set("files.readonlyInclude", { "**/*.lock": true });
  const ada = agent("fixed");
  await ada.read(fixed);
  const asked = await ada.write(fixed, lines(60, { 3: "third", 30: "thirtieth" }));
  await reviewWith("third");
  await ui.clickLine("thirtieth");
  await until("Reject Hunk counts", hunkIsGone(REJECT_HUNK), { everyMs: 1500 });
  await acceptClosed("fixed.lock");
  assert.equal((await asked.answer).data.review.decision, "amended");
  assert.equal(fixed.text(), lines(60, { 3: "third" }));
});

const [before, after] = ["before", "after"].map((name) => file(`decisions/${name}.txt`, lines(60)));

scenario("so does one that is rejected by key in the review that came next, before it takes typing", async () => {
  const ada = agent("next");
  for (const one of [before, after]) await ada.read(one);
  await ada.write(before, lines(60, { 3: "third" }));
  const asked = await ada.write(after, lines(60, { 30: "thirtieth", 33: "thirty-third" }));
  await reviewWith("third");
  await ui.clickLine("third");
  await ui.page.keyboard.press("Control+Enter");
  await ui.diffWith("thirty-third");
  await until("Reject Hunk counts", hunkIsGone(REJECT_HUNK), { everyMs: 1500 });
  await ui.clickLine("thirty-third");
  await until("it is seen", async () => !(await ui.isGuarded()));
  await acceptClosed("after.txt");
  assert.equal((await asked.answer).data.review.decision, "amended");
  assert.equal(after.text(), lines(60, { 33: "thirty-third" }));
});

const counted = file("decisions/counted.txt", lines(60));

scenario("a review of several hunks says which one comes next, and its title has buttons for it", async () => {
  const ada = agent("counted");
  await ada.read(counted);
  const change = { 3: "third", 20: "twentieth", 38: "thirty-eighth", 55: "fifty-fifth" };
  const asked = await ada.write(counted, lines(60, change));
  await reviewWith("third");
  await ui.clickLine("third");
  await ui.statusBarSays("Hunk 1 of 4");

  await ui.titleButton("Accept Hunk").dblclick();
  await ui.statusBarSays("Press again: this has only just come.");
  await ui.statusBarSays("Hunk 2 of 4 · accepted: 1");
  await ui.clickLine("twentieth");
  await ui.clickLine("line 19", "original");
  await ui.focused("original");
  await until("Reject Hunk counts", async () => {
    if (await ui.statusCounts("Hunks left: 2. Accepted: 1")) return true;
    await ui.titleButton("Reject Hunk").click();
    return false;
  }, { everyMs: 1500 });
  await ui.clickLine("line 37");
  await ui.page.keyboard.press("Control+z");
  await ui.statusBarSays("Hunk 2 of 4 · accepted: 1");
  await ui.clickLine("line 24");
  await ui.page.keyboard.type(", by hand");
  await ui.statusBarSays("Hunk 3 of 5 · accepted: 1");

  await asked.cancel();
  await ui.saysInPassing("It was kept as a draft.");
  await ui.noHunkCount();
  const single = await agent("counted").edit(counted, "line 7\n", "seven\n");
  await reviewWith("seven");
  await ui.noHunkCount();
  assert.equal(await ui.titleButton("Accept Hunk").count(), 0);
  await single.cancel();
  await takeDraft("counted.txt");
});

const hunked = file("decisions/by-hunk.txt", lines(40));

scenario("hunk by hunk with the keyboard: one answer tells the agent which were rejected", async () => {
  const ada = agent("hunks");
  await ada.read(hunked);
  const asked = workbench.extension.request("agentfs/write", {
    session: "hunks", agent: "Ada", path: hunked.name, content: lines(40, { 3: "third", 20: "twentieth", 38: "last but two" }),
  });
  await reviewWith("third");
  await ui.clickLine("third");
  await ui.statusBarSays("Hunk 1 of 3");

  await ui.page.keyboard.press("Control+Alt+Enter");
  await ui.statusBarSays("Hunk 2 of 3 · accepted: 1");
  await ui.sees("✓ accepted; hunks left: 2");
  await ui.page.keyboard.press("Control+Alt+Shift+Backspace");
  await ui.statusBarSays("Hunk 2 of 2 · accepted: 1");
  assert.equal(hunked.text(), lines(40), "nothing lands before the last is decided");
  await ui.diffWith("last but two");
  await until("the last one counts", async () => {
    if ((await state()).pending.length === 0) return true;
    await ui.page.keyboard.press("Control+Alt+Enter");
    return false;
  }, { everyMs: 1500 });

  const { data } = await asked.answer;
  assert.equal(data.review.decision, "amended");
  assert.match(data.review.amendments, /^-twentieth\n\+line 20$/m);
  assert.equal(hunked.text(), lines(40, { 3: "third", 38: "last but two" }));
  await ui.tabsAre();
});

const scrolledAway = file("decisions/scrolled-away.txt", lines(200));

scenario("a hunk from which the user has scrolled away is shown first, and only the next press decides it", async () => {
  await agent("scrolled-away").read(scrolledAway);
  const asked = await agent("scrolled-away").write(scrolledAway, lines(200, { 3: "third", 190: "last but ten" }));
  await reviewWith("third");
  await ui.clickLine("third");
  await ui.statusBarSays("Hunk 1 of 2");
  await until("the last hunk is in view", async () => {
    if ((await ui.diff()).modified.includes("last but ten")) return true;
    await ui.page.mouse.wheel(0, 2000);
    return false;
  });
  assert.equal((await ui.diff()).modified.includes("third"), false);

  await ui.titleButton("Accept Hunk").click();
  await ui.statusBarSays("Hunks not in view so far: 1. Look, then press again.");
  await ui.diffWith("third");
  await ui.statusBarSays("Hunk 1 of 2");
  await until("Accept Hunk counts", async () => {
    if (await ui.statusCounts("Hunks left: 1. Accepted: 1")) return true;
    await ui.titleButton("Accept Hunk").click();
    return false;
  }, { everyMs: 1500 });
  await asked.cancel();
});

const refusedHunks = file("decisions/refused-hunks.txt", lines(9));

scenario("hunk by hunk: with the last one rejected, the change is rejected, with a reason", async () => {
  await agent("refused-hunks").read(refusedHunks);
  const asked = workbench.extension.request("agentfs/write", {
    session: "refused-hunks", agent: "Ada", path: refusedHunks.name, content: lines(9, { 2: "second", 8: "eighth" }),
  });
  await reviewWith("second");
  await ui.clickLine("second");
  for (let each = 0; each < 2; each++) await ui.page.keyboard.press("Control+Alt+Shift+Backspace");
  await ui.statusBarSays("Press again: this has only just come.");
  await until("the last one counts", async () => {
    if (await ui.page.locator(".quick-input-widget:visible input").isVisible()) return true;
    await ui.page.keyboard.press("Control+Alt+Shift+Backspace");
    return false;
  }, { everyMs: 1500 });
  await ui.answer("Neither of them.");
  const { error, context } = await asked.answer;
  assert.deepEqual([error.code, context.review.feedback], ["USER_REJECTED", "Neither of them."]);
  assert.equal(refusedHunks.text(), lines(9));
});
