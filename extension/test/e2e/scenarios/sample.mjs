// The sample: an agent's turn on a scratch file, for users who have no agent yet.

import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { until, WorkbenchPage } from "../harness/page.mjs";
import { acceptDuring } from "../harness/reviews.mjs";
import { call, home, reloadWindow, state, ui, workbench } from "../harness/run.mjs";
import { mode } from "../harness/server.mjs";
import { set } from "../harness/settings.mjs";
import { scenario } from "../harness/suite.mjs";
import { inOwnWorkbench, makeHome, READY } from "../harness/workbench.mjs";

/** A turn has many decisions, and the machine may be busy with something else. */
const TURN_MS = 240_000;

const NAME = "agentfs-sample.md";
const scratch = path.join(home, "workspace", NAME);
const text = () => readFileSync(scratch, "utf8");

/** The proposal that waits, once it is another one than `before`. */
const proposed = (before) =>
  until("a proposal of the sample", async () => (await state()).pending.find(({ id }) => id !== before?.id));

/** Starts the sample as a person does; its first proposal. */
async function start(title = "agentfs: Try a Sample Proposal") {
  await ui.runCommand(title);
  await ui.coached("Accept the agent’s change (1 of 4)");
  return proposed();
}

/** Opens what waits, with the keys that the sample teaches. */
async function openByKeys(shown) {
  await ui.page.keyboard.press("Control+K");
  await ui.page.keyboard.press("a");
  await ui.requestedReview(shown);
}

/** Opens what waits, as a person does. */
async function open(shown) {
  await workbench.extension.openReview();
  await ui.diffWith(shown);
}

/** Presses until it decides: what has only just been shown takes no decision. */
async function decide({ id }, press) {
  const isPending = async () => (await state()).pending.some((one) => one.id === id);
  await until("it is decided", async () => !(await isPending()) || (await press().catch(() => {}), false), { everyMs: 450 });
}

const accept = (one) => decide(one, () => ui.titleButton("Accept").click({ timeout: 500 }));
const acceptByKeys = (one) => decide(one, () => ui.page.keyboard.press("Control+Enter"));

const rejectButton = () => ui.titleButton("Reject").click({ timeout: 500 });

async function reject({ id }, reason, press = rejectButton) {
  const question = ui.page.locator(".quick-input-widget:visible input");
  await until("the question", async () => (await question.count()) > 0 || (await press().catch(() => {}), false), { everyMs: 450 });
  await ui.answer(reason);
  await until("it is rejected", async () => !(await state()).pending.some((one) => one.id === id));
}

/** Deletes the file, as the last message offers, and checks that nothing is left. */
async function removeAfter(said, name = NAME) {
  await ui.pressInMessage(said, "Delete File…");
  assert.match(await ui.requestedDialog(), /# Uploads/, "the text that goes is shown");
  await ui.answerDialog("Delete");
  await until("it is gone", () => !existsSync(path.join(home, "workspace", name)));
}

/** A scenario that leaves no sample under way, and no file of it. */
function sampleScenario(name, body) {
  const played = async () => {
    try {
      await body();
    } finally {
      await call("command", { id: "notifications.showList" });
      await ui.endCoach();
      await call("command", { id: "notifications.hideList" });
      for (const left of ["", "-2", "-3"]) rmSync(scratch.replace(".md", `${left}.md`), { force: true });
    }
  };
  scenario(name, played, TURN_MS);
}

sampleScenario("the whole turn: a change is accepted, amended, rejected with a reason, and undone, by keys", async () => {
  const first = await start();
  assert.equal(first.agent, "Sample Agent");
  await openByKeys("Hello!");
  assert.match(text(), /^Helo!/m, "nothing is written before");
  await acceptByKeys(first);

  await ui.coached("Amend the next one (2 of 4)");
  await ui.coached("The last change is in the file.");
  assert.match(text(), /^Hello!/m);
  const second = await proposed(first);
  await openByKeys("60 seconds");
  await ui.clickLine("60 seconds");
  await ui.page.keyboard.type(" at most");
  await ui.diffWith("60 seconds at most");
  await acceptByKeys(second);

  await ui.coached("Reject the next one (3 of 4)");
  await ui.coached("the agent knows what you changed.");
  assert.match(text(), /60 seconds at most/);
  const third = await proposed(second);
  await openByKeys("Retries");
  await reject(third, "Passwords matter.", () => ui.page.keyboard.press("Control+Shift+Backspace"));

  await ui.coached("The agent proposes something else");
  await ui.coached("the agent has your reason.");
  assert.match(text(), /^Do not upload files with passwords\.$/m);
  const fourth = await proposed(third);
  assert.match(fourth.explanation, /“Passwords matter\.”/);
  await openByKeys("everybody can read them");
  await acceptByKeys(fourth);

  await ui.coached("Undo a change (4 of 4)");
  const before = text();
  await ui.statusItem("").first().click();
  await ui.pressInRow("Landed", NAME, "Undo Change…");
  const undo = await proposed(fourth);
  await ui.requestedReview("passwords.");
  assert.equal(text(), before, "an undo is reviewed, too");
  await acceptByKeys(undo);

  await until("it is over", () => ui.isSaid("The change is undone. That was the sample."));
  assert.match(text(), /^Do not upload files with passwords\.$/m);
  const { changes } = (await workbench.extension.request("agentfs/history", { path: NAME }).answer).data;
  assert.deepEqual(
    changes.map(({ tool, agent, decision }) => [tool, agent, decision]),
    [
      ["undo", "Undo", "accepted"],
      ["edit", "Sample Agent", "accepted"],
      ["edit", "Sample Agent", "amended"],
      ["edit", "Sample Agent", "accepted"],
    ],
  );
  await removeAfter("That was the sample.");
});

sampleScenario("other decisions: what was tried already is not asked for again, and nothing has to land", async () => {
  const first = await start();
  await open("Hello!");
  await reject(first, "Too long.");
  const second = await proposed(first);
  await ui.coached("The agent proposes something else");
  await open("Hi!");
  await ui.clickLine("Hi!");
  await ui.page.keyboard.type(" Welcome.");
  await ui.diffWith("Welcome.");
  await accept(second);

  await ui.coached("Undo a change (4 of 4)");
  assert.match(text(), /^Hi!.*Welcome\.$/m);
  await ui.statusItem("").first().click();
  await ui.pressInRow("Landed", NAME, "Undo Change…");
  const undo = await proposed(second);
  await ui.requestedReview("Helo!");
  await reject(undo, "");
  assert.match(text(), /^Hi!.*Welcome\.$/m, "the undo was rejected");
  await removeAfter("That was the sample.");

  let last = await start();
  for (const shown of ["Hello!", "Hi!", "60 seconds", "45 seconds"]) {
    await open(shown);
    await reject(last, "");
    if (shown !== "45 seconds") last = await proposed(last);
  }
  await until("it is over, without an undo", () => ui.isSaid("You gave no reason, so the agent has to guess. That was the sample."));
  assert.match(text(), /^Helo!/m);
  await removeAfter("That was the sample.");
});

sampleScenario("started again, it shows what waits; stopped, it withdraws that, and leaves no file of the user's changed", async () => {
  writeFileSync(scratch, "mine\n");
  const first = await start();
  const second = path.join(home, "workspace", "agentfs-sample-2.md");
  await call("close", { path: "all" });

  await ui.runCommand("agentfs: Try a Sample Proposal");
  await ui.requestedReview("Hello!");
  assert.deepEqual((await state()).pending.map(({ id }) => id), [first.id]);
  assert.ok(!existsSync(path.join(home, "workspace", "agentfs-sample-3.md")));

  await ui.stopCoach();
  await until("it is withdrawn", async () => (await state()).pending.length === 0);
  await until("it says so", () => ui.isSaid("You stopped the sample. agentfs-sample-2.md is still in the folder."));
  await removeAfter("You stopped the sample.", path.basename(second));
  assert.equal(text(), "mine\n");
});

sampleScenario("it ends with the server, and a window that was reloaded offers to remove its file", async () => {
  await start();
  await call("command", { id: "agentfs.ui.restart" });
  await removeAfter("The sample ended because the agentfs server stopped.");

  await start();
  await reloadWindow();
  await removeAfter("The sample is over.");
});

sampleScenario("in a narrow window the status bar repeats what to do, and tooltips show all of it, and of a refusal", async () => {
  await ui.page.setViewportSize({ width: 640, height: 800 });
  try {
    const first = await start();
    await call("command", { id: "notifications.hideToasts" });
    const item = ui.page.locator(".statusbar-item", { hasText: "Sample: Accept the agent’s change (1 of 4): press Ctrl+Enter" });
    // VS Code may put an item of its own in this place just now.
    await until("its tooltip", async () => /^Sample: .* Cancel ends the sample\.$/.test((await ui.tooltipOf(item)).join(" ")));

    await call("command", { id: "agentfs.ui.showPending" });
    const whole = ui.page.locator(".part.sidebar .pane .message", { hasText: "Sample: Accept the agent’s change (1 of 4)" });
    assert.match(await whole.innerText(), /Ctrl\+K A opens it from anywhere\.$/, "the view has room for all of it");

    await workbench.extension.openReview();
    await ui.tab(NAME).waitFor();
    await call("command", { id: "agentfs.ui.inline.acceptHunk" }); // as if pressed in a comment that has gone
    const refusal = ui.page.locator('.statusbar-item[id$="agentfs.message"]');
    await refusal.filter({ hasText: /^\s*(Press again|No hunk was decided)/ }).waitFor();
    const said = (await refusal.innerText()).trim();
    assert.deepEqual(await ui.tooltipOf(refusal), [said]);
    assert.deepEqual((await state()).pending.map(({ id }) => id), [first.id]);
    await call("command", { id: "notifications.showList" });
    await ui.endCoach();
    await whole.waitFor({ state: "hidden" });
    await ui.page.locator(".notification-list-item", { hasText: "You stopped the sample." }).waitFor();
    await call("command", { id: "notifications.clearAll" });
  } finally {
    await ui.page.setViewportSize({ width: 1280, height: 800 });
  }
});

sampleScenario("a session whose changes the user allows is left, and the sample says how to end that", async () => {
  const first = await start();
  await open("Hello!");
  await ui.titleMenu("Accept and Allow for This Session");
  await ui.coached("You allowed all later changes of that session");
  await proposed(first);
  assert.match(text(), /30 seconds/, "the next one waits");
  await ui.statusItem(": auto").click();
  await ui.stopCoach();
  await removeAfter("You stopped the sample.");
});

sampleScenario("the file changes in the meantime: nothing is overwritten, and the agent proposes its change again", async () => {
  const first = await start();
  await open("Hello!");
  await acceptDuring(() => writeFileSync(scratch, `${text()}\nmine\n`));
  await ui.saysInPassing("agentfs-sample.md was not changed.");
  await ui.coached("nothing was overwritten");
  const again = await proposed(first);
  await open("Hello!");
  await accept(again);
  await ui.coached("2 of 4");
  assert.match(text(), /^Hello!.*mine$/ms);
  await ui.stopCoach();
  await ui.pressInMessage("You stopped the sample.", "Delete File…");
  assert.match(await ui.requestedDialog(), /mine/, "what the user wrote is shown, too");
  await ui.answerDialog("Cancel");
  assert.match(text(), /mine/);
});

sampleScenario("where nothing is reviewed, or not in diffs, it says why it shows nothing", async () => {
  await set("agentfs.approval.mode", "auto_edit");
  await until("changes are let through", async () => (await mode()) === "auto_edit");
  await ui.runCommand("agentfs: Try a Sample Proposal");
  await ui.pressInMessage("the sample has nothing to show", "Review Every Change Again");
  await ui.coached("1 of 4");
  assert.equal(await mode(), "manual");
  await ui.stopCoach();
  await removeAfter("You stopped the sample.");

  await set("agentfs.review.style", "refactorPreview");
  await ui.runCommand("agentfs: Try a Sample Proposal");
  await ui.saysInPassing("The sample shows reviews in the diff editor.");
  assert.ok(!existsSync(scratch));
});

/** In a workbench of its own. */
function ownScenario(name, how, body) {
  test(name, { timeout: 240_000 }, async () => {
    const own = await makeHome();
    await inOwnWorkbench(name, own, how, (opened) => body(opened, new WorkbenchPage(opened.page), own));
  });
}

/** What the walkthrough in front says of its steps, and whether a title is cut off. */
const steps = (page) =>
  page.locator(".getting-started-step").evaluateAll((all) =>
    all.map((step) => {
      const title = step.querySelector(".step-title");
      return {
        title: title.textContent,
        done: step.querySelector(".codicon-getting-started-step-checked") !== null,
        cut: title.scrollWidth > title.clientWidth || title.scrollHeight > title.clientHeight,
      };
    }),
  );

ownScenario(
  "after the installation it says once where to begin; the walkthrough's steps tick when they are done, and no title is cut off",
  { settings: { "workbench.tips.enabled": true } },
  async ({ page, extension }, own, folder) => {
    const file = path.join(folder, "workspace", NAME);
    await own.pressInMessage("agentfs shows you the changes of AI agents", "Try a Sample Proposal");
    await own.coached("1 of 4");
    const pending = async () => (await extension.call("state")).pending[0];
    const [first] = [await until("it waits", pending)];
    await extension.openReview();
    await own.diffWith("Hello!");
    await until("it is decided", async () => {
      if ((await pending())?.id !== first.id) return true;
      await own.titleButton("Accept").click({ timeout: 500 });
      return false;
    }, { everyMs: 450 });
    await own.coached("2 of 4");
    assert.match(readFileSync(file, "utf8"), /^Hello!/m);

    const walkthrough = () => extension.call("command", { id: "workbench.action.openWalkthrough", args: ["agentfs.agentfs#start", false] });
    const done = async () => (await steps(page)).filter((step) => step.done).map(({ title }) => title);
    const review = "Review a change as a diff";
    const server = "The server starts automatically";
    await walkthrough();
    await until("what was done before is ticked", async () => (await done()).join() === [review, server].join());
    await extension.call("command", { id: "agentfs.ui.showPending" });
    await until("the view, too", async () => (await done()).join() === [review, "Pending and landed changes", server].join());
    await extension.call("command", { id: "workbench.action.closeSidebar" });
    for (const width of [1700, 1280, 640]) {
      await page.setViewportSize({ width, height: 800 });
      const shown = await steps(page);
      assert.equal(shown.length, 6);
      assert.deepEqual(shown.filter(({ cut }) => cut), [], `no title is cut off at ${width} px`);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await own.stopCoach();
    await own.saysInPassing("You stopped the sample.");
    assert.equal((await done()).includes("Try a sample proposal"), false, "a sample that was stopped is not done");

    const gone = page.waitForEvent("domcontentloaded");
    await own.runCommand("Developer: Reload Window");
    await gone;
    await page.waitForSelector(READY);
    extension.close();
    await own.statusItem("").first().waitFor();
    await until("the extension runs", async () => own.statusSays("You review changes from agents."));
    assert.equal(await own.isSaid("agentfs shows you the changes"), false, "it was said once");
  },
);

ownScenario("in Restricted Mode the sample is reviewed like every change", { trusted: false }, async ({ extension }, own, folder) => {
  await own.runCommand("agentfs: Try a Sample Proposal");
  await own.coached("1 of 4");
  await extension.openReview();
  await own.diffWith("Hello!");
  await own.stopCoach();
  await own.offers("You stopped the sample.", "Delete File…");
  assert.match(readFileSync(path.join(folder, "workspace", NAME), "utf8"), /^Helo!/m);
});

ownScenario("without a folder the sample offers to open one", { opened: null }, async (_, own) => {
  await own.runCommand("agentfs: Try a Sample Proposal");
  await own.offers("Open a folder for the sample first", "Open Folder");
});
