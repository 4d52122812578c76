// Whoever types keeps the keys, whatever arrives.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { after } from "node:test";

import { agent, batch } from "../harness/agents.mjs";
import { connect } from "../harness/extension.mjs";
import { file } from "../harness/files.mjs";
import { KEY_MS, until } from "../harness/page.mjs";
import { pressUntilTaken, reviewWith, takeDraft } from "../harness/reviews.mjs";
import { call, caughtUp, home, reloadWindow, state, ui, workbench } from "../harness/run.mjs";
import { killServer, servers, whileHostStands } from "../harness/server.mjs";
import { set } from "../harness/settings.mjs";
import { scenario } from "../harness/suite.mjs";

/** So much is typed into each, and so many changes arrive meanwhile: `2000` and `50` for the whole of it. */
const CHARACTERS = Number(process.env.AGENTFS_TYPED ?? 200);
const ARRIVALS = Number(process.env.AGENTFS_ARRIVALS ?? 8);

const WORDS = "the quick brown fox jumps over the lazy dog ";
const TEXT = WORDS.repeat(Math.ceil(CHARACTERS / WORDS.length)).slice(0, CHARACTERS);

let other;
const plain = async () => (other ??= await connect(workbench.sockets.plain));
after(() => other?.close());

const mine = file("focus/mine.txt", "");
const named = file("focus/named.txt", "word\n");
const typedInTerminal = path.join(home, "typed-in-terminal.txt");

let asked;
const page = () => ui.page;
const valueOf = (selector) => page().locator(selector).first().inputValue();

/** Where people type: how they get there, what of it has arrived, and how they leave it. */
const OWNERS = {
  "an editor": {
    async enter() {
      await mine.open();
      await ui.focusEditor();
    },
    text: async () => (await mine.document()).text,
  },
  "the search box": {
    async enter() {
      await page().keyboard.press("Control+Shift+F");
      await page().locator(".search-view .search-container textarea:focus").waitFor();
    },
    text: () => valueOf(".search-view .search-container textarea"),
    leave: () => call("command", { id: "search.action.clearSearchResults" }),
  },
  "the terminal": {
    async enter() {
      await call("command", { id: "workbench.action.terminal.new" });
      await page().locator(".terminal.xterm.focus").waitFor();
      await page().keyboard.type(`stty -icanon; echo ready; cat > ${typedInTerminal}\n`);
      await until("the terminal to take keys", () => readFileSync(typedInTerminal, "utf8") === "");
    },
    text: () => readFileSync(typedInTerminal, "utf8"),
    leave: () => call("command", { id: "workbench.action.terminal.killAll" }),
  },
  "the message of a commit": {
    async enter() {
      await (await plain()).call("offerInputs");
      await page().keyboard.press("Control+Shift+G");
      await page().locator(".scm-editor .monaco-editor").first().click();
      await page().locator(".scm-editor .monaco-editor.focused").waitFor();
    },
    text: async () => (await plain()).call("commitMessage"),
  },
  "the chat": {
    async enter() {
      await call("command", { id: "workbench.action.chat.open" });
      await page().locator(".interactive-input-part .monaco-editor.focused").waitFor();
    },
    async text() {
      await page().context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page().keyboard.press("Control+A");
      await page().keyboard.press("Control+C");
      return page().evaluate(() => navigator.clipboard.readText());
    },
    async leave() {
      await page().keyboard.press("Control+A");
      await page().keyboard.press("Delete");
      await call("command", { id: "workbench.action.closeAuxiliaryBar" });
    },
  },
  "the new name of a symbol": {
    async enter() {
      await (await plain()).call("offerInputs");
      await named.open();
      await ui.focusEditor();
      await page().keyboard.press("Control+Home");
      await page().keyboard.press("F2");
      await page().locator(".rename-box input:focus").waitFor();
      await page().keyboard.press("Control+A");
    },
    text: () => valueOf(".rename-box input"),
    leave: () => page().keyboard.press("Escape"),
  },
  "the new name of a file": {
    async enter() {
      await named.open();
      await call("command", { id: "workbench.view.explorer" });
      await page().locator(".explorer-viewlet .monaco-list-row", { hasText: named.base }).click();
      await page().locator(".explorer-viewlet .monaco-list:focus .monaco-list-row.focused", { hasText: named.base }).waitFor();
      await page().keyboard.press("F2");
      await page().locator(".explorer-item-edited input:focus").waitFor();
      await page().keyboard.press("Control+A");
    },
    text: () => valueOf(".explorer-item-edited input"),
    leave: () => page().keyboard.press("Escape"),
  },
  "an input box": {
    async enter() {
      asked = (await plain()).call("ask", { title: "A question of another extension" });
      await page().locator(".quick-input-widget:visible input:focus").waitFor();
    },
    text: () => valueOf(".quick-input-widget input"),
    leave: async (typed) => assert.equal(await asked, typed, "Ctrl+Enter answers it"),
  },
};

/** Marks what has the keys, to be known again. */
const markFocus = () => page().evaluate(() => (window.agentfsFocus = document.activeElement).className);
const isFocusKept = () =>
  page().evaluate(() => document.activeElement === window.agentfsFocus && document.activeElement.isConnected);
const focusNow = () => page().evaluate(() => `${document.activeElement.tagName} ${document.activeElement.className}`);

const targets = Object.fromEntries(
  Object.keys(OWNERS).map((owner, index) => [
    owner,
    Array.from({ length: ARRIVALS }, (_, at) => [0, 1].map((part) => file(`focus/${index}/${at}-${part}.txt`, "old\n"))),
  ]),
);

/** Every other one a batch of two files. */
async function arrive(one, two, session) {
  const ada = agent(session);
  for (const each of [one, two]) await ada.read(each);
  if (session.endsWith("1")) return ada.edit(one, "old", "new");
  const edit = ({ name: path }) => ({ tool: "edit", params: { path, old_string: "old", new_string: "new" } });
  return batch(session, [one, two].map(edit));
}

/** Types while changes arrive, and presses what sends a message, and accepts a review. */
async function typeThrough(owner, enter, text) {
  await enter();
  const tabs = await ui.tabNames();
  await markFocus();
  const arriving = (async () => {
    for (const [at, [one, two]] of targets[owner].entries()) {
      await arrive(one, two, `${owner} ${at} ${at % 2}`);
      if (at === 0) await until("it is offered", () => ui.isSaid("proposes to change"));
    }
  })();
  for (const piece of TEXT.match(/.{1,10}/g)) await page().keyboard.type(piece);
  await arriving;
  await until("all have come", async () => (await state()).pending.length === ARRIVALS);

  const kept = (await isFocusKept()) ? "kept" : await focusNow();
  const seen = await until("every character", async () => (await text()) === TEXT && TEXT).catch(text);
  await page().keyboard.press("Control+Enter");
  await call("ping");
  const landed = targets[owner].flat().filter((each) => each.text() !== "old\n").length;
  console.log(
    `${owner}: ${CHARACTERS} characters typed, ${CHARACTERS - seen.length} lost;`,
    `${ARRIVALS} changes came, ${landed} landed; focus: ${kept}`,
  );
  assert.equal(seen, TEXT);
  assert.equal(kept, "kept");
  assert.equal(landed, 0);
  assert.equal((await state()).pending.length, ARRIVALS, "nothing is decided");
  assert.deepEqual(await ui.tabNames(), tabs, "nothing is covered");
  await ui.statusItem(`: ${ARRIVALS}`).waitFor();
}

for (const [owner, { enter, text, leave }] of Object.entries(OWNERS)) {
  scenario(
    `whoever types into ${owner} loses no character, and accepts nothing, whatever arrives`,
    async () => {
      try {
        await typeThrough(owner, enter, text);
      } finally {
        await leave?.(TEXT);
      }
    },
    CHARACTERS > 500 ? 600_000 : undefined,
  );
}

const isOpen = async (name) => (await ui.tabNames()).some((tab) => tab.startsWith(name));

/**
 * Has an agent take its change back, and types until its review is closed and a little longer. All that was typed. Between
 * words there are pauses, as people make them, which a busy machine makes longer.
 */
async function typeWhileClosing(asked, name) {
  let typed = "";
  const type = async (text) => {
    await page().keyboard.type(text, { delay: KEY_MS });
    typed += text;
  };
  const cancelled = asked.cancel();
  while (await isOpen(name)) {
    await type("fox ");
    for (let answers = 0; answers < 5; answers += 1) await caughtUp();
  }
  await cancelled;
  await type("dog");
  return typed;
}

const withdrawn = Object.fromEntries(
  Object.keys(OWNERS).map((owner, index) => [owner, file(`focus/withdrawn-${index}.txt`, "old\n")]),
);

for (const [owner, { enter, text, leave }] of Object.entries(OWNERS)) {
  const target = withdrawn[owner];
  scenario(`whoever types into ${owner} loses no character while a review closes`, async () => {
    const edited = await agent(target.base).readAndEdit(target, "old", "new");
    await reviewWith("new");
    await ui.clickLine("new");
    await page().keyboard.type(" mine");
    await ui.diffWith("new mine");
    await enter();
    const before = owner === "an editor" ? await text() : "";
    await markFocus();
    const typed = await typeWhileClosing(edited, target.base);
    const isKept = await isFocusKept();
    await until("every character", async () => (await text()) === before + typed);
    assert.ok(isKept);
    await until("the user is told of the draft", () => ui.isSaid("It was kept as a draft."));
    await call("command", { id: "notifications.clearAll" });
    await page().keyboard.press("Control+Enter");
    await leave?.(typed);
    assert.equal(await takeDraft(target.base), "new mine\n");
  });
}

const covering = file("focus/covering.txt", "\n");

for (const where of ["beside another tab", "alone in its group"]) {
  const target = file(`focus/closing-${where.split(" ")[0]}.txt`, "old\n");
  scenario(`keys typed in a review that closes by itself go nowhere else: ${where}`, async () => {
    await set("diffEditor.useInlineViewWhenSpaceIsLimited", false);
    await set("diffEditor.wordWrap", "off"); // the sides are narrow
    await named.open();
    await call("open", { path: covering.path, viewColumn: 2 });
    const edited = await agent(where).readAndEdit(target, "old", "new");
    await reviewWith("new");
    if (where === "alone in its group") await call("close", { path: covering.path });
    await ui.clickLine("new");
    await page().keyboard.type(" mine"); // so that there is a draft, however soon the review closes
    await ui.diffWith("new mine");

    const typed = await typeWhileClosing(edited, target.base);
    await page().keyboard.press("Control+Enter");

    await ui.pressInMessage("It was kept as a draft.", "Show Draft");
    assert.ok(`new mine${typed}`.startsWith((await takeDraft(target.base)).trimEnd()));
    assert.equal((await named.document()).text, "word\n");
    assert.ok([undefined, "\n"].includes((await covering.document())?.text));
    assert.equal(target.text(), "old\n");
    await call("command", { id: "workbench.action.joinAllGroups" });
  });
}

const found = file("focus/found.txt", "fox dog\n");

const foundGroup = () => page().locator(".editor-group-container", { has: page().locator(".tab", { hasText: found.base }) });

/** A review alone in a group beside that file, with the cursor in it. */
async function besideFound(target) {
  await set("diffEditor.useInlineViewWhenSpaceIsLimited", false);
  await found.open();
  const edited = await agent(target.base).readAndEdit(target, "old", "new");
  await reviewWith("new");
  await call("command", { id: "workbench.action.moveEditorToNextGroup" });
  await ui.diffWith("new");
  await ui.clickLine("new");
  return edited;
}

/** How a review ends while the user is elsewhere; `begin` is what the user does first. */
const ENDINGS = {
  "is withdrawn": { end: (edited) => edited.cancel() },
  "ends with the server": { end: killServer },
  "was accepted": {
    async begin() {
      stopped = servers()[0];
      process.kill(stopped, "SIGSTOP");
      await page().keyboard.press("Control+Enter");
      await foundGroup().locator(".monaco-editor.focused").waitFor();
    },
    end: () => process.kill(stopped, "SIGCONT"),
  },
};
let stopped;

for (const [how, { begin, end }] of Object.entries(ENDINGS)) {
  const target = file(`focus/ending-${how.replaceAll(" ", "-")}.txt`, "old\n");
  scenario(`whoever searches in an editor goes on there when a review beside it closes that ${how}`, async () => {
    const edited = await besideFound(target);
    await begin?.();
    await foundGroup().locator(".view-line").first().click();
    await page().keyboard.press("Control+F");
    await foundGroup().locator(".find-widget textarea:focus").waitFor();
    await page().keyboard.type("fox");
    await markFocus();
    end(edited);
    await ui.tabsAre(found.base);
    assert.ok(await isFocusKept(), await focusNow());
    await page().keyboard.type(" dog");
    assert.equal(await valueOf(".find-widget textarea"), "fox dog");
    assert.equal((await found.document()).text, "fox dog\n");
    await page().keyboard.press("Escape");
    await call("command", { id: "notifications.clearAll" });
  });
}

const alone = file("focus/alone.txt", "old\n");

scenario("after a decision in a group of its own the keys are in the other group at once, and stay where the user goes", async () => {
  await besideFound(alone);
  await ENDINGS["was accepted"].begin();
  try {
    await page().locator(".editor.modified .view-line", { hasText: "new" }).first().click();
    await page().keyboard.press("Control+F");
    await page().locator(".editor.modified .find-widget textarea:focus").waitFor();
  } finally {
    process.kill(stopped, "SIGCONT");
  }
  await ui.tabsAre(found.base);
  await page().keyboard.type("fox");
  await caughtUp();
  assert.equal((await found.document()).text, "fox dog\n");
});

const shown = file("focus/shown.txt", "old\n");

scenario("the notification opens the review, which takes keys; after the decision they are back where they were", async () => {
  await mine.open();
  await ui.focusEditor();
  const edited = await agent("shown").readAndEdit(shown, "old", "new");
  await ui.pressInMessage("Ada proposes to change shown.txt.", "Review");
  await ui.diffWith("new");
  await ui.focused("modified");

  await pressUntilTaken("Control+Enter", "shown.txt");

  assert.equal((await edited.answer).data.review.decision, "accepted");
  await ui.tabsAre("mine.txt");
  await page().keyboard.type("and on");
  await until("what is typed goes into the editor", async () => (await mine.document()).text.endsWith("and on"));
});

const queue = ["one", "two", "three"].map((number) => file(`focus/queue-${number}.txt`, "old\n"));

scenario("what is typed on after a decision is in no next review, and a key that is held accepts none", async () => {
  const asked = [];
  for (const [at, one] of queue.entries()) asked.push(await agent(`queue-${at}`).readAndEdit(one, "old", `new ${at}`));
  await until("all have come", async () => (await state()).pending.length === 3);
  await reviewWith("new 0");
  await ui.clickLine("new 0");

  await Promise.all(Array.from({ length: 40 }, () => page().keyboard.press("Control+Enter")));
  await ui.diffWith("new 1");
  assert.equal((await asked[0].answer).data.review.decision, "accepted");
  assert.equal((await state()).pending.length, 2);

  await page().keyboard.type("my next sentence");
  assert.match((await ui.diff()).modified, /^new 1\s*$/);
  await ui.clickLine("new 1");
  await until("it can be typed in", async () => {
    await page().keyboard.type("!");
    return (await ui.diff()).modified.includes("!");
  });
  await pressUntilTaken("Control+Enter", "queue-two.txt");
  const { data } = await asked[1].answer;
  assert.equal(data.review.decision, "amended");
  assert.match(queue[1].text(), /^new 1!+\n$/);

  await ui.diffWith("new 2");
  await ui.focused("modified");
  await pressUntilTaken("Control+Enter", "queue-three.txt");
  assert.equal((await asked[2].answer).data.review.decision, "accepted");
  await ui.tabsAre();
});

const hurried = Array.from({ length: 20 }, (_, at) => file(`focus/hurried/${at}.txt`, "old\n"));

scenario("twenty proposals are accepted by twenty presses, each once the text takes decisions", async () => {
  for (const [at, one] of hurried.entries()) await agent(`hurried-${at}`).readAndEdit(one, "old", `new ${at}`);
  await until("all have come", async () => (await state()).pending.length === hurried.length);
  await reviewWith("new 0");
  await ui.focused("modified");
  for (const [at, one] of hurried.entries()) {
    await ui.diffWith(`new ${at}`);
    await until("it is no longer marked as one that has only just come", async () => !(await ui.isGuarded()));
    const isRefused = () => page().locator(".statusbar-item", { hasText: "Press again: this has only just come." }).count();
    let isPressed = false;
    await until(`${one.base} has landed`, async () => {
      if (one.text() === `new ${at}\n`) return true;
      if (isPressed && !(await isRefused())) return false; // one press is enough, unless it is refused in words: the mark was not drawn yet
      await page().keyboard.press("Control+Enter");
      isPressed = true;
      return false;
    }, { everyMs: 450 });
  }
  await ui.tabsAre();
});

const held = ["one", "two"].map((number) => file(`focus/held-${number}.txt`, "old\n"));

scenario("a review that took the place of another is marked until it takes a key, and one before is answered", async () => {
  const asked = [];
  for (const one of held) asked.push(await agent(one.base).readAndEdit(one, "old", `new ${one.base}`));
  await until("both wait", async () => (await state()).pending.length === 2);
  await reviewWith("new held-one.txt");
  await ui.clickLine("new held-one.txt");
  const marked = ui.guarded();
  await page().keyboard.press("Control+Enter");
  await marked;
  await page().keyboard.press("Control+Enter");
  await ui.statusBarSays("Press again: this has only just come.");
  assert.equal(held[1].text(), "old\n");
  await asked[1].cancel();
});

const elsewhere = ["one", "two"].map((number) => file(`focus/elsewhere-${number}.txt`, "old\n"));
const inBetween = file("focus/between.txt", "mine\n");

scenario("whoever has been in another editor since the last decision goes into the next review before a key decides", async () => {
  await inBetween.open();
  const asked = [];
  for (const one of elsewhere) asked.push(await agent(one.base).readAndEdit(one, "old", `new ${one.base}`));
  await until("both wait", async () => (await state()).pending.length === 2);
  await reviewWith("new elsewhere-one.txt");
  await ui.clickLine("new elsewhere-one.txt");
  await page().keyboard.press("Control+Enter");
  await ui.diffWith("new elsewhere-two.txt");
  await call("command", { id: "workbench.action.openEditorAtIndex", args: [0] });
  await ui.focusEditor();
  await ui.closeActiveTab();
  await ui.diffWith("new elsewhere-two.txt");
  await ui.focused("modified");
  await ui.pressUntilSaid("Control+Enter", "Click into the review before you use a key to decide.");
  assert.equal(elsewhere[1].text(), "old\n");
  await asked[1].cancel();
});

const pair = ["first", "second"].map((name) => file(`focus/pair-${name}.txt`, "old\n"));

scenario("whoever goes elsewhere right after accepting by key decides nothing more from there", async () => {
  for (const one of pair) await agent(one.base).readAndEdit(one, "old", "new");
  await until("both wait", async () => (await state()).pending.length === pair.length);
  await OWNERS["the search box"].enter();
  await reviewWith("new");
  await ui.clickLine("new");

  await page().keyboard.press("Control+Enter");
  await page().keyboard.press("Control+Shift+F");
  await page().keyboard.type(WORDS, { delay: 20 });
  await page().keyboard.press("Control+Enter");
  await until("one has landed", () => pair.some((one) => one.text() === "new\n"));
  await ui.runCommand("agentfs: Show Pending Changes");
  assert.equal((await state()).pending.length, 1);
  assert.equal(pair.filter((one) => one.text() === "old\n").length, 1);
  await call("command", { id: "notifications.clearAll" }); // where the key came into the next review, it was told so
  await OWNERS["the search box"].leave();
});

/** Accepts the review in front by its key, and goes on in the search box before the extension hears of that. */
async function acceptAndSearch() {
  await ui.clickLine("new");
  const blocked = call("block", { ms: 1000 });
  await page().keyboard.press("Control+Enter");
  await page().keyboard.press("Control+Shift+F");
  await page().locator(".search-view .search-container textarea:focus").waitFor();
  await page().keyboard.press("Control+A");
  await markFocus();
  await blocked;
  for (const word of WORDS.trim().split(" ")) {
    await page().keyboard.type(`${word} `);
    await call("ping");
  }
}

const left = ["first", "second"].map((name) => file(`focus/left-${name}.txt`, "old\n"));

scenario("whoever has gone elsewhere before the next review opens keeps the keys there", async () => {
  const asked = [];
  for (const one of left) asked.push(await agent(one.base).readAndEdit(one, "old", `new ${one.base}`));
  await until("both wait", async () => (await state()).pending.length === left.length);
  await OWNERS["the search box"].enter();
  await reviewWith("new left-first.txt");

  await acceptAndSearch();

  assert.equal((await asked[0].answer).data.review.decision, "accepted");
  await ui.diffWith("new left-second.txt");
  assert.ok(await isFocusKept());
  assert.equal(await OWNERS["the search box"].text(), WORDS);
  assert.equal((await state()).pending.length, 1);
  await OWNERS["the search box"].leave();
});

const grouped = ["first", "second"].map((name) => file(`focus/grouped-${name}.txt`, "old\n"));
const aside = file("focus/aside.txt", "mine\n");

scenario("a decision in the second of two groups gives the keys to the next review, then to the editor before", async () => {
  await aside.open();
  await call("command", { id: "workbench.action.splitEditorRight" });
  const asked = [];
  for (const one of grouped) asked.push(await agent(one.base).readAndEdit(one, "old", "new"));
  await until("both wait", async () => (await state()).pending.length === grouped.length);
  await call("command", { id: "agentfs.ui.openReview" });
  await ui.clickLine("new");
  await page().keyboard.press("Control+Enter");
  await asked[0].answer;
  await until("the next one is there", async () => (await ui.tabNames()).some((name) => name.startsWith("grouped-second")));
  await ui.focused("modified");
  await page().keyboard.press("ArrowDown");
  await pressUntilTaken("Control+Enter", "grouped-second");
  await page().locator(".editor-group-container.active .monaco-editor.focused").waitFor();
  await page().keyboard.type("on");
  await until("it is in the editor", async () => (await aside.document()).text.includes("on"));
  assert.equal(await page().locator(".editor-group-container").count(), 2);
  await call("command", { id: "workbench.action.joinAllGroups" });
});

const halves = ["first", "second", "third"].map((name) => file(`focus/halves-${name}.txt`, "old\n"));
const half = file("focus/half.txt", "mine\n");

/** Where the groups of editors are, and how large. */
const groups = () =>
  page().locator(".editor-group-container").evaluateAll((all) => all.map((one) => JSON.stringify(one.getBoundingClientRect())));

scenario("with split editors, too, whoever has gone elsewhere before the next review opens keeps the keys there", async () => {
  await set("diffEditor.useInlineViewWhenSpaceIsLimited", false);
  await set("diffEditor.wordWrap", "off"); // the sides are narrow
  await half.open();
  await call("command", { id: "workbench.action.splitEditorRight" });
  await call("command", { id: "workbench.action.increaseViewWidth" });
  const asked = [];
  for (const one of halves) asked.push(await agent(one.base).readAndEdit(one, "old", `new ${one.base}`));
  await until("all wait", async () => (await state()).pending.length === halves.length);
  try {
    await OWNERS["the search box"].enter();
    const layout = await groups();
    assert.equal(layout.length, 2);
    await reviewWith("new halves-first.txt");

    await acceptAndSearch();

    assert.equal((await asked[0].answer).data.review.decision, "accepted");
    await ui.diffWith("new halves-second.txt");
    assert.ok(await isFocusKept());
    assert.equal(await OWNERS["the search box"].text(), WORDS);
    assert.deepEqual(await groups(), layout);

    // Into the other group, before the extension hears of the decision.
    await ui.clickLine("new halves-second.txt");
    const blocked = call("block", { ms: 1000 });
    await page().keyboard.press("Control+Enter");
    await page().keyboard.press("Control+1");
    await page().locator(".editor-group-container.active .editor-instance .monaco-editor.focused").waitFor();
    await page().keyboard.press("Control+Home");
    await markFocus();
    await blocked;
    await page().keyboard.type(WORDS);
    assert.equal((await asked[1].answer).data.review.decision, "accepted");
    await until("all of it is in the editor", async () => (await half.document()).text === `${WORDS}mine\n`);
    assert.ok(await isFocusKept());
    assert.equal((await state()).pending.length, 1);
    assert.deepEqual(await groups(), layout);
  } finally {
    await call("command", { id: "workbench.action.joinAllGroups" });
    await OWNERS["the search box"].leave();
  }
});

const SPLITS = {
  three: ["splitEditorRight", "splitEditorDown"],
  four: ["splitEditorRight", "splitEditorDown", "focusLeftGroup", "splitEditorDown"],
};

for (const [count, splits] of Object.entries(SPLITS)) {
  const maximized = file(`focus/maximized-${count}.txt`, "old\n");
  scenario(`after a review in a group that was maximized, all ${count} groups have their sizes`, async () => {
    await set("diffEditor.useInlineViewWhenSpaceIsLimited", false);
    await half.open();
    for (const id of [...splits, "increaseViewWidth", "increaseViewHeight"])
      await call("command", { id: `workbench.action.${id}` });
    const layout = await groups();
    assert.equal(layout.length, splits.filter((id) => id.startsWith("split")).length + 1);
    try {
      await call("command", { id: "workbench.action.toggleMaximizeEditorGroup" });
      await until("it is maximized", async () => (await groups()).join() !== layout.join());
      const edited = await agent(maximized.base).readAndEdit(maximized, "old", "new");
      await reviewWith("new");
      assert.deepEqual(await groups(), layout);
      await ui.clickLine("new");
      await pressUntilTaken("Control+Enter", maximized.base);
      assert.equal((await edited.answer).data.review.decision, "accepted");
      assert.deepEqual(await groups(), layout);
    } finally {
      await call("command", { id: "workbench.action.joinAllGroups" });
    }
  });
}

const uncovered = file("focus/uncovered.txt", "old\n");

scenario("a review that is in front because another tab was closed takes no key before the user goes into it", async () => {
  const edited = await agent("uncovered").readAndEdit(uncovered, "old", "new");
  await reviewWith("new");
  await mine.open();
  await ui.focusEditor();
  await call("command", { id: "workbench.action.closeActiveEditor" });
  await ui.focused("modified");
  await page().keyboard.press("Control+Enter");
  await ui.saysInPassing("Click into the review before you use a key to decide.");
  await page().keyboard.press("Control+Shift+Backspace");
  await ui.saysInPassing("Click into the review before you use a key to decide.");
  assert.equal((await state()).pending.length, 1);

  await page().keyboard.press("ArrowDown");
  await page().keyboard.press("ArrowUp");
  await pressUntilTaken("Control+Enter", "uncovered.txt");
  assert.equal((await edited.answer).data.review.decision, "accepted");
});

const beside = file("focus/beside.txt", "old\n");

scenario("keys in the output, beside a review in front, decide nothing", async () => {
  await agent("beside").readAndEdit(beside, "old", "new");
  await reviewWith("new");
  await call("command", { id: "agentfs.ui.showOutput" });
  await page().locator(".output-view .monaco-editor .view-lines").first().click();
  await page().locator(".output-view .monaco-editor.focused").waitFor();
  await page().keyboard.press("Control+Enter");
  await page().keyboard.press("Control+Shift+Backspace");
  await call("ping");
  assert.equal(await page().locator(".quick-input-widget:visible").count(), 0);
  assert.equal((await state()).pending.length, 1);
  assert.equal(beside.text(), "old\n");
  await call("command", { id: "workbench.action.closePanel" });
});

const hasty = file("focus/hasty.txt", "old\n");

scenario("a key that decides counts right after a click out of a view into the review, however busy the page is", async () => {
  const edited = await agent("hasty").readAndEdit(hasty, "old", "new");
  await reviewWith("new");
  await OWNERS["the search box"].enter();
  await page().locator(".editor.modified .view-line", { hasText: "new" }).hover();
  await ui.whileBusy(({ keyboard, mouse }) => [
    mouse.down(),
    mouse.up(),
    keyboard.down("Control"),
    keyboard.press("Enter"),
    keyboard.up("Control"),
  ]);
  assert.equal((await edited.answer).data.review.decision, "accepted");
});

const slow = file("focus/slow.txt", "old\n");

scenario("whoever goes elsewhere while a change lands keeps the keys there", async () => {
  await mine.open();
  const edited = await agent("slow").readAndEdit(slow, "old", "new");
  await reviewWith("new");
  await ui.clickLine("new");
  await page().keyboard.press("Control+Enter");
  await page().locator(".editor-group-container.active .tab.active", { hasText: "mine.txt" }).waitFor();
  await page().keyboard.press("Control+Shift+F");
  await page().locator(".search-view .search-container textarea:focus").waitFor();
  await markFocus();
  assert.equal((await edited.answer).data.review.decision, "accepted");
  await ui.tabsAre("mine.txt");
  assert.ok(await isFocusKept());
});

const beneath = file("focus/beneath.txt", "mine\n");
const onTop = ["file", "terminal", "own-terminal"].map((what) => file(`focus/on-top-of-${what}.txt`, "old\n"));

/** Decides with Ctrl+Enter, which is held on. */
async function acceptHolding() {
  const hold = async () => {
    for (let left = 10; left > 0; left--) await page().keyboard.press("Control+Enter", { delay: KEY_MS });
  };
  await until("it is decided", async () => {
    await hold();
    return (await state()).pending.length === 0;
  });
  await hold();
}

scenario("a key that is held, or pressed again, once it has decided types nothing into the file beneath", async () => {
  const asked = await agent("beneath").readAndEdit(onTop[0], "old", "new");
  await beneath.open();
  await ui.focusEditor();
  await reviewWith("new");
  await ui.clickLine("new");
  await acceptHolding();
  assert.equal((await asked.answer).data.landing, "disk");
  await until("the file is in front", async () => (await state()).tabs.some(({ label, active }) => active && label === beneath.base));
  await caughtUp();
  const { text, dirty } = await beneath.document();
  assert.deepEqual([text, dirty], ["mine\n", false]);
});

const IN_TERMINAL = {
  "": undefined,
  ", whatever commands the user lets skip the shell": ["-workbench.action.quickOpen"],
};

for (const [when, skipping] of Object.entries(IN_TERMINAL)) scenario(`nor does it run what is typed in the terminal beneath${when}`, async () => {
  if (skipping !== undefined) await set("terminal.integrated.commandsToSkipShell", skipping);
  const ranInTerminal = path.join(home, `ran-in-terminal-${skipping?.length ?? 0}.txt`);
  const onTerminal = onTop[skipping === undefined ? 1 : 2];
  await call("command", { id: "workbench.action.createTerminalEditor" });
  await page().locator(".terminal.xterm.focus").waitFor();
  await page().keyboard.type(`cat > '${ranInTerminal}'\n`);
  await until("the terminal to take keys", () => existsSync(ranInTerminal) && readFileSync(ranInTerminal, "utf8") === "");
  await page().keyboard.type("half");
  const asked = await agent(onTerminal.base).readAndEdit(onTerminal, "old", "new");
  await reviewWith("new");
  await ui.clickLine("new");
  await acceptHolding();
  assert.equal((await asked.answer).data.landing, "disk");
  await page().locator(".terminal.xterm.focus").waitFor();
  await page().keyboard.type(" of it");
  await until("the line is whole", async () => {
    await page().keyboard.press("Enter");
    return readFileSync(ranInTerminal, "utf8") !== "";
  });
  assert.match(readFileSync(ranInTerminal, "utf8"), /^half of it\n/);
  await call("command", { id: "workbench.action.terminal.killAll" });
});

const heldFile = file("focus/held-in-dialog.txt", "old\n");

scenario("a key that is held does not answer the question that it opened", async () => {
  await agent("held").readAndEdit(heldFile, "old", "new");
  await until("it waits", async () => (await state()).pending.length === 1);
  await page().keyboard.press("F1");
  await page().locator(".quick-input-widget input").fill(">agentfs: Accept All");
  await page().locator(".quick-input-list .monaco-list-row", { hasText: "Accept All" }).first().waitFor();

  await page().keyboard.down("Enter");
  for (let repeat = 0; repeat < 10; repeat += 1) {
    await page().locator(".monaco-dialog-box .monaco-button:focus").waitFor();
    await page().keyboard.down("Enter");
  }
  await page().keyboard.up("Enter");

  await ui.answerDialog("Cancel");
  assert.equal(heldFile.text(), "old\n");
  assert.equal((await state()).pending.length, 1);
});

/** Answers the box for a reason with Enter, which is held until the file `beneath` is in front, and the end of `meanwhile`. */
async function answerHolding(beneath, meanwhile = async () => {}) {
  await page().locator('.quick-input-widget:visible input[placeholder^="Reason (optional)"]').waitFor();
  await page().keyboard.type("no");
  let isHeld = true;
  const holding = (async () => {
    for (; isHeld; await page().waitForTimeout(KEY_MS / 2)) await page().keyboard.down("Enter"); // it repeats
  })();
  await until("the file is in front", async () => (await state()).tabs.some(({ label, active }) => active && label === beneath.base));
  await meanwhile();
  isHeld = false;
  await holding;
  await page().keyboard.up("Enter");
}

const twice = [file("focus/enter-twice.txt", "old\n"), file("focus/enter-beneath.txt", "mine\n")];

scenario("a second Enter in the box for a reason, and one that is held, type nothing into the file beneath", async () => {
  const asked = await agent("twice").readAndEdit(twice[0], "old", "new");
  await twice[1].open();
  await ui.focusEditor();
  await reviewWith("new");
  await ui.titleButton("Reject").click();
  await answerHolding(twice[1]);
  await page().keyboard.press("Enter");
  await caughtUp();
  assert.match((await asked.answer).text, /no/);
  const { text, dirty } = await twice[1].document();
  assert.deepEqual([text, dirty], ["mine\n", false]);

  await ui.focusEditor();
  await until("Enter counts again, though pressed twice a second", async () => {
    await page().keyboard.press("Enter");
    return (await twice[1].document()).dirty;
  }, { timeoutMs: 20_000, everyMs: 400 });
});

const onwards = [file("focus/enter-onwards.txt", "old\n"), file("focus/enter-in-text.txt", "mine\n")];

scenario("Enter that is typed in a text just after the box for a reason was answered is not lost", async () => {
  const asked = await agent("onwards").readAndEdit(onwards[0], "old", "new");
  await onwards[1].open();
  await ui.focusEditor();
  await page().keyboard.press("Control+End");
  await reviewWith("new");
  await ui.titleButton("Reject").click();
  await answerHolding(onwards[1], () => ui.focusEditor());
  // Digits: VS Code offers no words for them, which Enter would take.
  for (const key of ["1", "2", "Enter", "3", "4"]) await page().keyboard.press(key, { delay: KEY_MS / 2 });
  await asked.answer;
  await until("all of it is there", async () => /^(mine\n)?12\n34/.test((await onwards[1].document()).text));
});

const heldReason = file("focus/held-in-box.txt", "old\n");

scenario("a key that is held does not reject with an empty reason in the box that it opened", async () => {
  await agent("held-reason").readAndEdit(heldReason, "old", "new");
  await reviewWith("new");
  await ui.clickLine("new");
  await page().keyboard.type(" and mine");
  for (const command of ["agentfs: Reject Proposed Change", "agentfs: Reject All"]) {
    await page().keyboard.press("F1");
    await page().locator(".quick-input-widget input").fill(`>${command}`);
    await page().locator(".quick-input-list .monaco-list-row", { hasText: command }).first().waitFor();

    await page().keyboard.down("Enter");
    const box = page().locator('.quick-input-widget:visible input[placeholder^="Reason (optional)"]');
    await box.waitFor();
    for (const end = Date.now() + 1500; Date.now() < end;) {
      await page().keyboard.down("Enter");
      await call("ping");
    }
    await page().keyboard.up("Enter");

    assert.ok(await box.isVisible());
    assert.equal((await state()).pending.length, 1);
    await ui.escapeQuestion();
  }
  await ui.diffWith("new and mine");
  await ui.titleButton("Reject").click();
  await ui.answer("");
  await until("it is over", async () => (await state()).pending.length === 0);
});

const questioned = file("focus/questioned.txt", "old\n");
const writing = file("focus/writing.txt", "");

const QUESTIONS = [
  { question: "Reject questioned.txt", press: () => ui.pressInRow("Pending", "questioned.txt", /^Reject/), leave: () => ui.escapeQuestion() },
  { question: "Reject all pending changes (1)", press: () => ui.pressInView("Pending", /^Reject All/), leave: () => ui.escapeQuestion() },
  { question: "Accept All", press: () => ui.pressInView("Pending", /^Accept All/), leave: () => ui.answerDialog("Cancel") },
  { question: "Connect an Agent", press: () => ui.runCommand("agentfs: Connect an Agent…"), leave: () => ui.escapeQuestion() },
];

for (const { question, press, leave } of QUESTIONS)
  scenario(`a question that comes late leaves the keys to whoever types by then: ${question}`, async () => {
    await reloadWindow(); // VS Code asks the extension host before it runs a command for the first time
    const asked = await until("it answers", () => agent(question).readAndEdit(questioned, "old", "new").catch(() => undefined));
    await writing.open();
    await call("command", { id: "agentfs.ui.showPending" });
    await ui.viewRow("Pending", "questioned.txt").waitFor();
    const before = (await writing.document()).text;

    await whileHostStands(async () => {
      await press();
      await ui.focusEditor();
      await page().keyboard.press("Control+End");
      await page().keyboard.type(WORDS);
    });

    const said = `Nothing was decided because the question came too late: ${question}`;
    await ui.offers(said, "Ask Again");
    await page().keyboard.type(WORDS);
    await until("all is in the editor", async () => (await writing.document()).text === before + WORDS + WORDS);
    await whileHostStands(async () => {
      await ui.pressInMessage(said, "Ask Again");
      await ui.focusEditor();
      await page().keyboard.press("Control+End");
      await page().keyboard.type(WORDS);
    });
    await ui.offers(said, "Ask Again");
    await page().keyboard.type(WORDS);
    await until("all is in the editor again", async () => (await writing.document()).text === before + WORDS.repeat(4));
    await ui.pressInMessage(said, "Ask Again");
    await leave();
    assert.equal((await state()).pending.length, 1);
    await asked.cancel();
    await call("command", { id: "workbench.action.files.revert" });
  });

const inZen = file("focus/in-zen.txt", "old\n");
const behind = file("focus/behind.txt", "");

scenario("in Zen Mode a review takes the keys, and after the decision they are back in the editor behind it", async () => {
  await behind.open();
  await ui.focusEditor();
  const edited = await agent("in-zen").readAndEdit(inZen, "old", "new");
  await call("command", { id: "workbench.action.toggleZenMode" });
  try {
    await reviewWith("new");
    await ui.focused("modified");
    await pressUntilTaken("Control+Enter", "in-zen.txt");
    assert.equal((await edited.answer).data.review.decision, "accepted");
    await until("its tab is closed", async () => (await state()).tabs.length === 1);
    await page().keyboard.type("and on");
    await until("what is typed goes into the editor", async () => (await behind.document()).text.endsWith("and on"));
  } finally {
    await call("command", { id: "workbench.action.toggleZenMode" });
  }
});

const last = file("focus/last.txt", "old\n");
const returned = file("focus/returned.txt", "");

scenario("whoever has gone elsewhere before the last review closes keeps the keys there", async () => {
  await returned.open();
  const edited = await agent("last").readAndEdit(last, "old", "new last");
  await OWNERS["the search box"].enter();
  await reviewWith("new last");

  await acceptAndSearch();

  assert.equal((await edited.answer).data.review.decision, "accepted");
  await ui.tabsAre("returned.txt");
  assert.ok(await isFocusKept());
  assert.equal(await OWNERS["the search box"].text(), WORDS);
  assert.equal((await returned.document()).text, "");
  await OWNERS["the search box"].leave();
});

const typedOn = file("focus/typed-on.txt", "old\n");
const goesOn = file("focus/goes-on.txt", "");

scenario("whoever types on through the last decision loses no key between the review and the editor behind it", async () => {
  await goesOn.open();
  const edited = await agent("typed-on").readAndEdit(typedOn, "old", "new");
  await reviewWith("new");
  await ui.clickLine("new");
  await page().evaluate(() => {
    window.agentfsLost = "";
    const note = ({ key, target }) => (window.agentfsLost += target === document.body ? key : "");
    window.addEventListener("keydown", note, { capture: true });
  });

  await ui.acceptAndType("....");
  await until("the review is left", async () => {
    await page().keyboard.type("....");
    return (await goesOn.document()).text !== "";
  }, { everyMs: 0 });
  await page().keyboard.type(WORDS);

  assert.equal((await edited.answer).data.review.decision, "accepted");
  assert.equal(await page().evaluate(() => window.agentfsLost), "");
  await until("all that followed is in the editor", async () => (await goesOn.document()).text.endsWith(WORDS));
  await ui.saysInPassing("after you accepted it was not applied");
  await takeDraft(typedOn.base);
});

const early = file("focus/early.txt", "old\n");

scenario("a key that is pressed before anybody can have seen a review does not decide about it", async () => {
  const asked = await agent("early").readAndEdit(early, "old", "new");
  await until("a proposal waits", async () => (await state()).pending.length > 0);
  await call("runAndThen", { id: "agentfs.ui.openReview", then: "agentfs.ui.accept", args: ["key"] });
  await ui.statusBarSays("Press again: this has only just come.");
  await ui.diffWith("new");
  assert.equal((await state()).pending.length, 1);
  assert.equal(early.text(), "old\n");
  await asked.cancel();
});

const peeked = file("focus/peeked.md", "# Part\n\n[x](peeked.md#part)\n\nold\n");

scenario("keys in a peek within a review do not decide about it", async () => {
  const asked = await agent("peeked").readAndEdit(peeked, "old", "new");
  await reviewWith("new");
  await ui.clickLine("[x]");
  for (let left = 0; left < 3; left++) await page().keyboard.press("ArrowLeft");
  await until("a peek, once VS Code's Markdown extension has started", async () => {
    await call("command", { id: "editor.action.goToReferences" });
    return (await page().locator(".peekview-widget .preview .view-line").count()) > 0;
  }, { everyMs: 500 });
  await page().locator(".peekview-widget .preview .view-line", { hasText: "[x]" }).first().click();
  await page().locator(".peekview-widget .preview .monaco-editor.focused").waitFor();

  await page().keyboard.press("Control+Enter");

  const proposal = () => state().then(({ documents }) => documents.find(({ uri }) => uri.startsWith("agentfs-proposal:") && uri.endsWith("peeked.md")));
  await until("the peek has the key, and inserts a line", async () => (await proposal()).text === "# Part\n\n[x](peeked.md#part)\n\n\nnew\n");
  assert.equal((await state()).pending.length, 1);
  await asked.cancel();
  await ui.saysInPassing("It was kept as a draft.");
  await takeDraft("peeked.md");
});

const commented = file("focus/commented.txt", "old\n");

scenario("keys in a comment of another extension, within a review, do not decide about it", async () => {
  await call("takeComments");
  const asked = await agent("commented").readAndEdit(commented, "old", "new");
  await reviewWith("new");
  await ui.clickLine("new");
  const comment = page().locator(".review-widget .monaco-editor.focused");
  await until("the comment", async () => {
    await call("command", { id: "workbench.action.addComment" });
    return comment.isVisible();
  });
  await page().keyboard.type("why is that?", { delay: KEY_MS });

  for (const key of ["Control+Enter", "Control+Alt+Enter", "Control+Shift+Backspace", "Control+Alt+Shift+Backspace", "Control+Alt+Shift+Enter"])
    await page().keyboard.press(key);
  await page().keyboard.type("!", { delay: KEY_MS });

  await until("the comment to have that key", async () => (await comment.innerText()).includes("!"));
  assert.equal((await state()).pending.length, 1);
  assert.equal(commented.text(), "old\n");
  assert.equal(await ui.page.locator(".quick-input-widget:visible").count(), 0);
  await call("takeNoComments");
  await asked.cancel();
});
