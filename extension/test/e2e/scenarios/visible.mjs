// What waits is visible wherever the user is: on files in the Explorer and on tabs, and after time in another program.

import assert from "node:assert/strict";

import { agent, batch } from "../harness/agents.mjs";
import { file } from "../harness/files.mjs";
import { until } from "../harness/page.mjs";
import { acceptSeen, reviewWith } from "../harness/reviews.mjs";
import { call, state, ui } from "../harness/run.mjs";
import { set } from "../harness/settings.mjs";
import { scenario } from "../harness/suite.mjs";

const pending = (count) => until(`${count} wait`, async () => (await state()).pending.length === count);

/** Opens a file, and the Explorer at its row. */
async function inExplorer(one) {
  await one.open();
  await call("command", { id: "workbench.files.action.showActiveFileInExplorer" });
  await ui.page.locator(`.explorer-folders-view .monaco-list-row[aria-label^="${one.base}"]`).waitFor();
}

const one = file("visible/marks/one.txt", "old\n");
const other = file("visible/marks/other.txt", "old\n");

scenario("a file with a pending change is marked in the Explorer and on its tab, as long as that waits", async () => {
  await inExplorer(one);
  const asked = await agent("one").readAndEdit(one, "old", "new", { agent: "Eve \u202e$(zap) [x](command:y)" });
  const meaning = "Pending change by Eve \\u{202e}$(zap) [x](command:y): +1 −1";
  for (const where of ["Explorer", "tab"]) await ui.marked(where, "one.txt", "P", meaning);
  await ui.marked("Explorer", "other.txt");
  await asked.cancel();
  for (const where of ["Explorer", "tab"]) await ui.marked(where, "one.txt");
});

const led = file("visible/marks/led.txt", "old\n");

scenario("a file with a pending change leads to its review: in its title, on its tab, in the Explorer, and in its list", async () => {
  await inExplorer(led);
  assert.equal(await ui.titleButton("Open Review").count(), 0);
  const asked = await agent("led").readAndEdit(led, "old", "new", { explanation: "It is newer." });
  await ui.titleButton("Open Review").click();
  await ui.diffWith("new");

  for (const place of [ui.tab("led.txt").first(), ui.page.locator('.explorer-folders-view .monaco-list-row[aria-label^="led.txt"]')]) {
    await ui.tab("led.txt").first().click();
    await ui.contextMenu(place, "Open Review");
    await ui.diffWith("new");
  }
  await ui.tab("led.txt").first().click();
  await until("it is in front", async () => (await state()).tabs.some(({ label, active }) => active && label === "led.txt"));
  await ui.focusEditor(); // the list would not survive that the focus moves there
  const listing = call("command", { id: "agentfs.ui.showFileChanges" });
  const row = await ui.requestedRow("Ada · +1 −1 · waits for your review");
  assert.match(await row.innerText(), /It is newer\./);
  await row.click();
  await ui.diffWith("new");
  await listing;

  await asked.cancel();
  await led.open();
  await until("it leads nowhere", async () => (await ui.titleButton("Open Review").count()) === 0);
});

const MEANING = "Pending change by Ada: +1 −1";

scenario("what is accepted is marked no more, nor is the rest if the setting says so", async () => {
  await inExplorer(one);
  const asked = await agent("accepted").readAndEdit(one, "old", "new");
  const rest = await agent("rest").readAndEdit(other, "old", "new");
  await pending(2);
  await ui.marked("Explorer", "other.txt", "P", MEANING);
  await set("agentfs.decorations.enabled", false);
  for (const name of ["one.txt", "other.txt"]) await ui.marked("Explorer", name);
  await set("agentfs.decorations.enabled", true);
  for (const name of ["one.txt", "other.txt"]) await ui.marked("Explorer", name, "P", MEANING);

  await rest.cancel();
  await reviewWith("new");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.review.decision, "accepted");
  await ui.marked("Explorer", "one.txt");
});

const waiting = Array.from({ length: 11 }, (_, at) => file(`visible/waiting/${at}.txt`, "old\n"));
const [lone, ...others] = waiting;
const EVE = "Eve \u202e$(zap) [x](command:y)";

scenario("the tooltip of the status bar item lists the first ten that wait, as text, and counts the others", async () => {
  await agent("alone").readAndEdit(lone, "old", "new", { agent: EVE });
  await pending(1);
  const item = ui.statusItem("").first();
  const [said, ...listed] = await ui.tooltipOf(item);
  assert.match(said, /Pending changes: 1\.$/);
  assert.deepEqual(listed, ["Eve \\u{202e}$ (zap) [x] (command:y): 0.txt"]);

  for (const { name } of others) await agent("alone").read({ name });
  await batch("alone", others.slice(0, 2).map(({ name: path }) => ({ tool: "edit", params: { path, old_string: "old", new_string: "new" } })));
  await pending(2); // before the others
  for (const each of others.slice(2)) await agent(each.name).readAndEdit(each, "old", "new");
  await pending(10);
  const ten = (await ui.tooltipOf(item)).slice(1);
  assert.deepEqual([ten.length, ten[1], ten[9]], [10, "Ada: 1.txt, 2.txt", "Ada: 10.txt"]);

  const made = file("visible/waiting/made.txt");
  await agent("made").write(made, "new\n");
  await pending(11);
  assert.equal((await ui.tooltipOf(item)).at(-1), "and 1 more");
});

const beside = file("visible/folders/beside.txt", "old\n");
file("visible/folders/inner/there.txt", "old\n");

scenario("the folder of a file that an agent wants to create is marked", async () => {
  await inExplorer(beside);
  const made = file("visible/folders/inner/made.txt");
  const asked = agent("made").write(made, "new\n");
  await pending(1);
  await until("its folder is marked", async () => (await ui.mark("Explorer", "inner")).isColored);
  assert.equal((await ui.mark("Explorer", "beside.txt")).isColored, false);
  await asked.cancel();
  await until("it is marked no more", async () => !(await ui.mark("Explorer", "inner")).isColored);
});

const many = Array.from({ length: 300 }, (_, index) => file(`visible/many/${String(index).padStart(3, "0")}.txt`, "old\n"));

scenario("of hundreds of files that change together, each is marked", async () => {
  await inExplorer(many[many.length - 1]);
  const rows = ui.page.locator(".explorer-folders-view .monaco-list-row .monaco-icon-label", { hasText: /^\d{3}\.txt/ });
  const ada = agent("many");
  for (const each of many) await ada.read(each);
  const asked = batch("many", many.map(({ name: path }) => ({ tool: "edit", params: { path, old_string: "old", new_string: "new" } })));
  await pending(1);
  const badges = () => rows.evaluateAll((all) => all.map((label) => getComputedStyle(label, "::after").content));
  await until("each is marked", async () => (await badges()).every((badge) => badge === '"P"'));
  assert.ok((await badges()).length > 10);
  await asked.cancel();
  await until("none is marked", async () => (await badges()).every((badge) => badge !== '"P"'));
});

const counted = file("visible/counted.txt", "old\n");

scenario("the status bar shows the number of pending changes, unless the setting says otherwise", async () => {
  const asked = await agent("counted").readAndEdit(counted, "old", "new");
  await ui.statusItem("agentfs: 1").waitFor();
  await set("agentfs.statusBar.count", false);
  await until("the number is gone", async () => (await ui.statusItem(": 1").count()) === 0);
  assert.ok(await ui.statusSays("Pending changes: 1."), "who points at it still learns of it");
  await ui.statusItem("agentfs").click();
  await ui.diffWith("new");
  await asked.cancel();
});

const away = (name) => ["one", "two", "three"].map((number) => file(`visible/${name}/${number}.txt`, "old\n"));

/**
 * Has agents propose changes of these files, one after the other, while the user is in another program.
 * @param {string} session
 * @param {ReturnType<typeof file>[]} files
 * @param {(asked: any[]) => Promise<void>} [then] before the user is back
 */
async function proposeAway(session, files, then = async () => {}) {
  const before = (await state()).pending.length;
  const asked = [];
  await ui.inBackground(async () => {
    await until("the window is in the background", async () => !(await state()).focused);
    for (const [index, each] of files.entries()) {
      asked.push(await agent(`${session} ${each.base}`).readAndEdit(each, "old", `new ${each.base}`));
      await pending(before + index + 1);
    }
    await then(asked);
  });
  await until("the user is back", async () => (await state()).focused);
  return asked;
}

/** The notifications in the corner. */
const toasts = () => ui.page.locator(".notifications-toasts .notification-list-item-message").allInnerTexts();

const several = away("several");
const later = file("visible/several/later.txt", "old\n");

scenario("what came while the user was away is summarized on the return, and no change twice", async () => {
  const [, , third] = several;
  const asked = await proposeAway("several", several.slice(0, 2), async (asked) => {
    await until("the first is announced", async () => (await toasts()).includes("Ada proposes to change one.txt."));
    await until("another announcement could come", moment(10_500));
    asked.push(await agent("third").readAndEdit(third, "old", "new"));
    await pending(3);
    await until("a moment is over", moment());
    assert.deepEqual(await toasts(), ["Ada proposes to change one.txt."], "it stays until the user is back, and says enough");
  });
  const summary = "While you were away, 3 changes came that wait for your review. The first: visible/several/one.txt +1 −1: Ada";
  await ui.saysInPassing(summary);
  await call("command", { id: "notifications.clearAll" });

  asked.push(...(await proposeAway("later", [later])));
  await ui.offers("Ada proposes to change later.txt.", "Review");
  await until("a moment is over", moment());
  assert.deepEqual(await toasts(), ["Ada proposes to change later.txt."]);
  for (const each of asked) await each.cancel();
});

/** Becomes true after that time: by then any summary would have come. */
function moment(ms = 1500) {
  const since = Date.now();
  return () => Date.now() - since > ms;
}

const [opened, next, bobs, last] = ["opened", "next", "bobs", "last"].map((name) => file(`visible/told/${name}.txt`, "old\n"));

scenario("a change is announced by its agent and file once the one before was reviewed, and several by their agents", async () => {
  const first = await agent("told").readAndEdit(opened, "old", "new");
  await ui.offers("Ada proposes to change opened.txt.", "Review");
  await reviewWith("new"); // by the key, not the notification
  await acceptSeen();
  assert.equal((await first.answer).data.review.decision, "accepted");
  const asked = [await agent("told").readAndEdit(next, "old", "new next")];
  await ui.offers("Ada proposes to change next.txt.", "Review");

  await until("another announcement could come", moment(10_500));
  asked.push(await agent("told Bob").readAndEdit(bobs, "old", "new of Bob", { agent: "Bob [x](command:y)" }));
  await ui.offers("Ada, Bob [x] (command:y): 2 changes wait.", "Review");
  await until("another announcement could come", moment(10_500));
  asked.push(await agent("told last").readAndEdit(last, "old", "new last"));
  await ui.offers("Ada, Bob [x] (command:y): 3 changes wait.", "Review");
  await asked[0].cancel();
  await pending(2);
  await ui.pressInMessage("3 changes wait.", "Review");
  await ui.diffWith("new of Bob");
  await asked[1].cancel();
  await asked[2].cancel();
  await pending(0);
  await call("command", { id: "notifications.clearAll" });
});

const pressed = away("pressed");

scenario("the button of the summary opens the first change that it names", async () => {
  const earlier = await agent("earlier").readAndEdit(counted, "old", "new");
  await pending(1);
  const asked = await proposeAway("pressed", pressed);
  await ui.pressInMessage("While you were away, 3 changes came", "Review");
  await ui.diffWith("new one.txt");
  for (const each of [earlier, ...asked]) await each.cancel();
});

const ended = away("ended");

scenario("what was withdrawn meanwhile is not in the summary", async () => {
  const asked = await proposeAway("ended", ended, async ([one]) => {
    await one.cancel();
    await pending(2);
  });
  await ui.offers("While you were away, 2 changes came that wait for your review. The first: visible/ended/two.txt", "Review");
  for (const each of asked) await each.cancel();
});

const [alone] = away("alone");

scenario("a single change that came meanwhile is offered once", async () => {
  const asked = await proposeAway("alone", [alone], async () => {
    await ui.offers("Ada proposes to change one.txt.", "Review");
  });
  await until("a moment is over", moment());
  assert.deepEqual(await toasts(), ["Ada proposes to change one.txt."]);
  await ui.pressInMessage("Ada proposes to change one.txt.", "Review");
  await ui.diffWith("new one.txt");
  for (const each of asked) await each.cancel();
});

const [silent, silenced] = away("silent");

scenario("no summary comes if the setting says so", async () => {
  await set("agentfs.notifications.onReturn", false);
  const asked = await proposeAway("silent", [silent, silenced]);
  await call("command", { id: "notifications.clearAll" });
  await until("a moment is over", moment());
  assert.deepEqual(await toasts(), []);
  for (const each of asked) await each.cancel();
});
