// All that one agent has pending, looked through in one editor and accepted together.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";

import { agent, batch } from "../harness/agents.mjs";
import { file } from "../harness/files.mjs";
import { until } from "../harness/page.mjs";
import { reviewWith, takeDraft, whileHostIsBusy } from "../harness/reviews.mjs";
import { call, state, ui } from "../harness/run.mjs";
import { scenario } from "../harness/suite.mjs";

const ACCEPT = "Accept All from This Agent";

/**
 * Opens what the agent of the row with `name` has pending, with the mouse; again if the row was drawn anew meanwhile, or the
 * texts came too late: then a message says so instead.
 */
async function lookThrough(name, shown) {
  await call("command", { id: "agentfs.ui.showPending" });
  await until("they open", async () => {
    await ui.rowMenu("Pending", name, "Look Through All from This Agent");
    const isOpen = await ui.tab("All Pending Changes").waitFor({ timeout: 3000 }).then(() => true, () => false);
    if (!isOpen) await call("command", { id: "notifications.clearAll" });
    return isOpen;
  });
  await ui.severalWith(shown);
}

/** Presses the button in the title until the editor is closed: in its first moments it takes no decision. */
async function acceptAll() {
  await ui.titleButton(ACCEPT).waitFor();
  await until("it takes the press", async () => {
    if ((await ui.titleButton(ACCEPT).count()) === 0) return true;
    await ui.titleButton(ACCEPT).click({ timeout: 500 }); // it may be gone by now
    return false;
  }, { everyMs: 400 });
}

const two = (name) => ["one", "two"].map((each) => file(`look/${name}-${each}.txt`, `old ${each}\n`));

/** A proposal for each of the files. A menu of the list closes as another one comes. */
async function propose(files, more = {}) {
  const before = (await state()).pending.length;
  const asked = [];
  for (const one of files) asked.push(await agent(one.base).readAndEdit(one, "old", "new", more));
  await until("all wait", async () => (await state()).pending.length === before + files.length);
  return asked;
}

const together = two("together");
const made = file("look/made.txt");
const other = file("look/other.txt", "old\n");

scenario("all from one agent: looked through in one editor, accepted by one press; another agent's change waits", async () => {
  const asked = await propose(together);
  const several = batch("look-batch", [
    { tool: "write", params: { path: made.name, content: "", allow_empty: true } },
    { tool: "write", params: { path: "look/made-too.txt", content: "made too\n" } },
  ]);
  const bob = await agent("look-bob").readAndEdit(other, "old", "new", { agent: "Bob" });
  await until("all wait", async () => (await state()).pending.length === 4);

  await lookThrough("together-one.txt", "new one");
  await ui.tabsAre("All Pending Changes by Ada (4 files)");
  assert.deepEqual(await ui.severalNames(), ["together-one.txt", "together-two.txt", "made.txt", "made-too.txt"]);
  await ui.sees("new file · Ada");
  assert.equal(await ui.titleButton("Accept").count(), 0, "nothing accepts a part of it");
  await ui.enterFile("together-one.txt");
  const refused = ui.page.locator(".monaco-editor-overlaymessage", { hasText: "read-only" }).waitFor();
  await ui.page.keyboard.type("x");
  await refused;
  await acceptAll();

  for (const { answer } of [...asked, several]) assert.equal((await answer).data.applied, true);
  assert.deepEqual(together.map((one) => one.text()), ["new one\n", "new two\n"]);
  assert.ok(existsSync(made.path));
  assert.equal(other.text(), "old\n");
  assert.equal((await state()).pending.length, 1);
  await ui.tabsAre();
  await bob.cancel();
});

const amended = two("amended");

scenario("all from one agent: what was changed after the look is not accepted with the rest", async () => {
  const asked = await propose(amended);
  await lookThrough("amended-one.txt", "new one");
  await ui.viewRow("Pending", "amended-two.txt").click();
  await ui.diffWith("new two");
  await ui.clickLine("new two");
  await ui.page.keyboard.type(" of mine");
  await ui.diffWith("new two of mine");

  await ui.tab("All Pending Changes").click();
  await ui.severalWith("new two");
  await acceptAll();

  assert.equal((await asked[0].answer).data.applied, true);
  await ui.saysInPassing("Changes that are no longer as you saw them: 1.");
  assert.deepEqual(amended.map((one) => one.text()), ["new one\n", "old two\n"]);
  assert.equal((await state()).pending.length, 1);
  await asked[1].cancel();
  await ui.saysInPassing("It was kept as a draft.");
  assert.equal(await takeDraft("amended-two.txt"), "new two of mine\n");
});

const hidden = two("hidden");

scenario("all from one agent: what the editor may hide is shown first; the editor closes with the last change", async () => {
  const asked = await propose(hidden, { new_string: `${"x".repeat(60)}\u{200b}` });
  await lookThrough("hidden-one.txt", "xxx");
  await until("all of it is shown", async () => {
    await ui.titleButton(ACCEPT).click();
    return ui.isSaid("All of it is now shown beside the review.");
  }, { everyMs: 400 });
  assert.match(await ui.plainWith("200b"), /hidden-two/);
  assert.equal((await state()).pending.length, 2);
  await call("command", { id: "notifications.clearAll" });

  for (const each of asked) await each.cancel();
  await ui.noTab("All Pending Changes");
  await call("close", { path: "all" });
});

const stayed = two("stayed");
const searched = two("searched");
const beneath = file("look/beneath.txt", "mine\n");

scenario("all from one agent: who goes to the search after the press keeps the keys there; who stays gets them beneath", async () => {
  await beneath.open();
  await call("command", { id: "workbench.action.findInFiles" });
  const asked = await propose(searched);
  await lookThrough("searched-one.txt", "new one");
  const search = ui.page.locator(".search-view .search-container textarea:focus");
  await until("it takes the press", async () => {
    if ((await state()).pending.length === 0) return true;
    await whileHostIsBusy(async () => {
      await ui.titleButton(ACCEPT).click();
      await ui.page.keyboard.press("Control+Shift+F");
      await search.waitFor();
    });
    await until("what was pressed is heard of", async () => (await state()).pending.length === 0, { timeoutMs: 1500 }).catch(() => {});
    return false;
  });
  for (const { answer } of asked) assert.equal((await answer).data.applied, true);
  await ui.noTab("All Pending Changes");
  assert.equal(await search.count(), 1, "the search has the keys");
  assert.equal((await beneath.document()).text, "mine\n");

  await propose(stayed);
  await lookThrough("stayed-one.txt", "new one");
  await acceptAll();
  await ui.page.locator(".editor-group-container.active .editor-instance .monaco-editor.focused").waitFor();
  await call("close", { path: "all" });
  await call("command", { id: "agentfs.ui.showPending" });
});

for (const how of ["withdrawn by the agent", "accepted by the first click of a double click"]) {
  const covered = file(`look/covered-${how[0]}.txt`, "old\n");
  const covering = two(`covering-${how[0]}`);

  scenario(`all from one agent: the editor closes, ${how}; a click for its button accepts nothing beneath it`, async () => {
    const bob = await agent(`covered-${how}`).readAndEdit(covered, "old", "new by Bob", { agent: "Bob" });
    await reviewWith("new by Bob");
    const below = await ui.titleButton("Accept").boundingBox();
    const asked = await propose(covering);
    await lookThrough(covering[0].base, "new one");
    const above = await ui.titleButton(ACCEPT).boundingBox();
    const [from, to] = [Math.max(above.x, below.x), Math.min(above.x + above.width, below.x + below.width)];
    assert.ok(from < to, "one button is where the other was");
    const at = { x: (from + to) / 2, y: below.y + below.height / 2 };
    await ui.page.mouse.move(at.x, at.y);
    const isOpen = () =>
      ui.page.evaluate(({ x, y, text }) => document.elementFromPoint(x, y)?.textContent === text, { ...at, text: ACCEPT });

    // In the page, which a busy machine does not keep from clicking before the moment is over.
    const clicked = ui.page.evaluate(async ({ x, y }) => {
      for (;;) {
        const under = document.elementFromPoint(x, y);
        if (under instanceof HTMLElement && under.textContent === "Accept") return under.click();
        await new Promise(requestAnimationFrame);
      }
    }, at);
    if (how.startsWith("withdrawn")) for (const each of asked) void each.cancel();
    else {
      await until("it takes the press", async () => {
        if (!(await isOpen())) return true;
        await ui.page.mouse.click(at.x, at.y);
        return until("it closes", async () => !(await isOpen()), { timeoutMs: 1000, everyMs: 10 }).catch(() => false);
      });
    }
    await clicked;
    await ui.statusBarSays("Press again: this has only just come.");
    assert.equal(covered.text(), "old\n");

    await until("it is accepted", async () => {
      if (covered.text() === "new by Bob\n") return true;
      await ui.titleButton("Accept").click({ timeout: 500 }); // it may be gone by now
      return false;
    }, { everyMs: 1000 });
    assert.equal((await bob.answer).data.applied, true);
    await ui.tabsAre();
  });
}
