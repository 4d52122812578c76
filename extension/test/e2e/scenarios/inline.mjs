// The review in the file itself, as the style that the user chose: what it shows, what counts as seen, and how it ends.

import assert from "node:assert/strict";
import { renameSync } from "node:fs";

import { agent } from "../harness/agents.mjs";
import { file } from "../harness/files.mjs";
import { outsideAgent } from "../harness/outside.mjs";
import { KEY_MS, until } from "../harness/page.mjs";
import { acceptSeen, openReview, whileHostIsBusy } from "../harness/reviews.mjs";
import { call, caughtUp, LONGEST_MS, reloadWindow, state, ui } from "../harness/run.mjs";
import { killServer } from "../harness/server.mjs";
import { inWorkspace, set } from "../harness/settings.mjs";
import { scenario } from "../harness/suite.mjs";

/** Numbered lines, some of them others. */
const lines = (count, others = {}) => Array.from({ length: count }, (_, at) => others[at + 1] ?? `line ${at + 1}`).join("\n") + "\n";

/** Opens the review that waits, as a person does, until a comment in its file shows `text`. */
async function inlineWith(text) {
  await openReview();
  return ui.inlineWith(text);
}

/** Whether the file is as it was, in the editor and on disk. */
async function isUntouched(one, text) {
  const document = await one.document();
  return document !== undefined && !document.dirty && document.text === text && one.text() === text;
}

/** Presses a key until `holds`: what has only just been shown takes none. */
const pressUntil = (key, holds) =>
  until(`${key} counts`, async () => {
    if (await holds()) return true;
    await ui.page.keyboard.press(key);
    return false;
  }, { everyMs: 1500 });

const saysHunksLeft = (count) => ui.statusCounts(`Hunks left: ${count}. Accepted: 1`);

const nothingPending = async () => (await state()).pending.length === 0;

const upload = file("inline/upload.py", "import time\n\nTIMEOUT = 30\nRETRIES = 2\n\n\ndef upload():\n    time.sleep(TIMEOUT)\n");

scenario("in the file: nothing shows before the review is opened, then what is removed and added, and Accept lands that", async () => {
  await set("agentfs.review.style", "inline");
  const before = upload.text();
  await upload.open();
  await ui.focusEditor();
  const asked = await agent("look").readAndEdit(upload, "TIMEOUT = 30\nRETRIES = 2", "TIMEOUT = 60", { explanation: "Uploads take longer." });
  await ui.offers("upload.py", "Review");
  assert.deepEqual(await ui.inlineHunks(), []);

  const hunks = await inlineWith("+TIMEOUT = 60");

  assert.deepEqual(hunks, [{ head: "Hunk 1 of 1: +1 −2", body: "Uploads take longer.\n+TIMEOUT = 60" }]);
  assert.equal(await ui.removedLines(), 2);
  assert.ok(await isUntouched(upload, before));
  await ui.tabsAre("upload.py");
  await acceptSeen();
  assert.equal((await asked.answer).data.landing, "disk");
  assert.equal(upload.text(), before.replace("TIMEOUT = 30\nRETRIES = 2", "TIMEOUT = 60"));
  await ui.noInline();
  await ui.tabsAre("upload.py");
});

const toggled = file("inline/toggled.txt", lines(9));
const TOGGLE = "agentfs: Toggle Reviews in the File Itself";

scenario("in the file, by a command: what waits for the file in front is shown there, and as a diff after the command again", async () => {
  await set("agentfs.review.style", "diff");
  await toggled.open();
  await ui.focusEditor();
  const asked = await agent("toggled").readAndEdit(toggled, "line 5\n", "fifth\n");
  const [{ id }] = await until("it waits", async () => ((await state()).pending.length === 1 ? (await state()).pending : undefined));

  await ui.runCommand(TOGGLE);
  await ui.inlineWith("+fifth");
  await ui.statusBarSays("Reviews open in their files now, if these can show all.");
  assert.equal(await call("setting", { key: "agentfs.review.style" }), "inline");

  await ui.runCommand(TOGGLE);
  await ui.diffWith("fifth");
  await ui.noInline();
  await ui.clickLine("fifth");
  await ui.page.keyboard.type(", by hand");
  await ui.diffWith("fifth, by hand");
  await ui.runCommand(TOGGLE);
  await ui.statusBarSays("Reviews open in their files now, if these can show all.");
  await openReview();
  await ui.diffWith("fifth, by hand");
  assert.deepEqual((await state()).pending.map((one) => one.id), [id], "it is still the same proposal");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.review.decision, "amended");
  assert.equal(toggled.text(), lines(9, { 5: "fifth, by hand" }));
});

const hunked = file("inline/hunked.txt", lines(60));

scenario("in the file, by keyboard alone: a closed file is opened, a hunk rejected, the others accepted, and the agent told", async () => {
  await set("agentfs.review.style", "inline");
  await agent("hunked").read(hunked);
  const asked = agent("hunked").write(hunked, lines(60, { 3: "third", 20: "twentieth", 50: "fiftieth" }));
  await ui.offers("hunked.txt", "Review");
  await ui.page.keyboard.press("Control+K");
  await ui.page.keyboard.press("a");
  await ui.inlineWith("+third");

  await pressUntil("Control+Alt+Enter", () => saysHunksLeft(2));
  await ui.inlineWith("+twentieth");
  await pressUntil("Control+Alt+Shift+Backspace", () => saysHunksLeft(1));
  await ui.inlineWith("+fiftieth");
  assert.ok(await isUntouched(hunked, lines(60)), "nothing lands before the last is decided");
  await ui.page.keyboard.press("Shift+Alt+F5");
  assert.deepEqual(await ui.inlineWith("+third"), [{ head: "Hunk 1 of 2: +1 −1 · ✓ accepted; waits for the others", body: "+third" }]);
  await ui.page.keyboard.press("Alt+F5");
  await ui.inlineWith("+fiftieth");
  await pressUntil("Control+Alt+Enter", nothingPending);

  const { data } = await asked.answer;
  assert.equal(data.review.decision, "amended");
  assert.match(data.review.amendments, /^-twentieth\n\+line 20$/m);
  assert.equal(hunked.text(), lines(60, { 3: "third", 50: "fiftieth" }));
  await ui.noInline();
});

const again = file("inline/again.txt", lines(9));

scenario("in the file: a key that is held, or pressed again, types nothing once it has decided", async () => {
  await set("agentfs.review.style", "inline");
  const asked = await agent("again").readAndEdit(again, "line 5\n", "fifth\n");
  await inlineWith("+fifth");
  const { keyboard } = ui.page;
  const hold = async () => {
    for (let left = 10; left > 0; left--) await keyboard.press("Control+Enter", { delay: KEY_MS });
  };
  await until("it is decided", async () => {
    await hold();
    return nothingPending();
  });
  await hold();
  assert.equal((await asked.answer).data.landing, "disk");
  await caughtUp();
  assert.ok(await isUntouched(again, lines(9, { 5: "fifth" })));

  const withdrawn = await agent("again").edit(again, "line 7\n", "seventh\n");
  await inlineWith("+seventh");
  await withdrawn.cancel();
  await keyboard.press("Control+Enter");
  await caughtUp();
  assert.ok(await isUntouched(again, lines(9, { 5: "fifth" })));
  await call("command", { id: "notifications.clearAll" });
});

const refused = file("inline/refused.txt", lines(9));

scenario("in the file: rejected with a reason, also by the button of the last hunk", async () => {
  await set("agentfs.review.style", "inline");
  const first = await agent("refused").readAndEdit(refused, "line 2\n", "second\n");
  await inlineWith("+second");
  await ui.titleButton("Reject").click();
  await ui.answer("Not this one.");
  assert.equal((await first.answer).context.review.feedback, "Not this one.");
  await ui.noInline();

  const second = await agent("refused").readAndEdit(refused, "line 8\n", "eighth\n");
  await inlineWith("+eighth");
  await until("the button counts", async () => {
    if (await ui.page.locator(".quick-input-widget:visible input").isVisible()) return true;
    await ui.pressInComment("+eighth", "Reject Hunk");
    return false;
  }, { everyMs: 1500 });
  await ui.answer("Nor this.");
  assert.equal((await second.answer).context.review.feedback, "Nor this.");
  await ui.noInline();
  assert.ok(await isUntouched(refused, lines(9)));
});

const typed = file("inline/typed.txt", lines(9));

scenario("in the file: what the user types meanwhile stays, and the change can be accepted again only without it", async () => {
  await set("agentfs.review.style", "inline");
  const asked = await agent("typed").readAndEdit(typed, "line 5\n", "fifth\n");
  await inlineWith("+fifth");
  await ui.page.keyboard.press("Control+Home");
  await ui.page.keyboard.type("mine ");
  await until("it says so", async () => (await ui.inlineHunks())[0]?.head === "⚠ Changed in the editor: cannot be accepted");
  await ui.titleButton("Show What Changed").waitFor();
  assert.equal(await ui.titleButton("Accept").count(), 0);
  await ui.page.keyboard.press("Control+Enter");
  await ui.saysInPassing("typed.txt changed after this change was proposed.");
  assert.equal((await typed.document()).text, `mine ${lines(9)}`);

  await until("all of it is undone", async () => {
    if ((await typed.document()).text === lines(9)) return true;
    await ui.page.keyboard.press("Control+Z");
    return false;
  });
  await until("it can be accepted", async () => (await ui.inlineHunks())[0]?.head === "Hunk 1 of 1: +1 −1");
  await acceptSeen();
  await asked.answer;
  assert.equal((await typed.document()).text, lines(9, { 5: "fifth" }));
  await call("save", { path: typed.path });
});

const closed = file("inline/closed.txt", lines(9));

scenario("in the file: closing it decides nothing; opening the file again is no review", async () => {
  await set("agentfs.review.style", "inline");
  const asked = await agent("closed").readAndEdit(closed, "line 5\n", "fifth\n");
  await inlineWith("+fifth");
  await ui.closeActiveTab();
  await ui.tabsAre();
  assert.equal((await state()).pending.length, 1);
  await closed.open();
  await ui.sees("line 5");
  await ui.noInline();
  assert.equal(await ui.titleButton("Accept").count(), 0);

  await inlineWith("+fifth");
  await asked.cancel();
  await assert.rejects(asked.answer, { code: -32800 });
  await ui.noInline();
  await ui.tabsAre("closed.txt");
});

const renamed = file("inline/renamed.txt", lines(9));

scenario("in the file: renaming it leaves the review to a diff, which is said", async () => {
  await set("agentfs.review.style", "inline");
  const asked = await agent("renamed").readAndEdit(renamed, "line 5\n", "fifth\n");
  await inlineWith("+fifth");
  const to = renamed.path.replace("renamed.txt", "moved.txt");
  await call("rename", { path: renamed.path, to });
  await ui.statusBarSays("renamed.txt was renamed. Open its review, which is a diff now.");
  await ui.noInline();
  assert.equal((await state()).pending.length, 1);
  await openReview();
  await ui.diffWith("fifth");
  renameSync(to, renamed.path);
  await asked.cancel();
  await assert.rejects(asked.answer, { code: -32800 });
});

const [under, above] = [file("inline/under.txt", lines(9)), file("inline/above.txt", "old\n")];

scenario("in the file: a click through a notification that has just gone decides no hunk", async () => {
  await set("agentfs.review.style", "inline");
  const asked = await agent("under").readAndEdit(under, "line 5\n", "fifth\n");
  await inlineWith("+fifth");
  await agent("above").readAndEdit(above, "old", "new");
  const button = ui.page.locator(".review-widget:visible .review-actions").getByRole("button", { name: "Reject Hunk" });
  const { x, y } = (await button.boundingBox()) ?? { x: 0, y: 0 };
  await until("it is said", () => ui.isSaid("above.txt"));
  await whileHostIsBusy(async () => {
    await ui.saysInPassing("above.txt");
    await ui.page.mouse.click(x + 5, y + 5);
  });
  await ui.statusBarSays("Press again: a notification has just gone.");
  assert.equal((await state()).pending.length, 2);
  await until("the button counts", async () => {
    if (await ui.page.locator(".quick-input-widget:visible input").isVisible()) return true;
    await ui.pressInComment("+fifth", "Reject Hunk");
    return false;
  }, { everyMs: 1500 });
  await ui.answer("Not this.");
  assert.equal((await asked.answer).context.review.feedback, "Not this.");
});

const NASTY = "[x](command:workbench.action.quit) <https://example.org> https://example.org $(check) <b>bold</b> <img src=x> &lt; ```` ``` | \\ `x` # *a* _b_ %00";
const nasty = file("inline/nasty.txt", lines(9));

scenario("in the file: neither the new text nor the reason is anything but text", async () => {
  await set("agentfs.review.style", "inline");
  const text = `\`\`\`\n${NASTY}\n# ${NASTY}\n\n</div></code>`;
  const asked = await agent("nasty").readAndEdit(nasty, "line 5\n", `${text}\n`, { explanation: NASTY, agent: "$(check) [x](command:y)" });
  const [{ body }] = await inlineWith("</div></code>");
  assert.equal(body, `${NASTY}\n${text.split("\n").map((line) => `+${line}`).join("\n")}`);
  const widget = ui.page.locator(".review-widget:visible .review-comment");
  assert.equal(await widget.locator("a[href], a[data-href], .codicon, img, b, h1, em").count(), 0);
  await acceptSeen();
  await asked.answer;
  assert.equal(nasty.text(), lines(9, { 5: text }));
});

/** A change that the file can't show completely, and why. */
const unclear = (name, before, now, why, text = lines(9)) => ({ one: file(`inline/${name}`, text), before, now, why });

const WIDE = "long ".repeat(40).trim();
const NARROW = `x = 1${" ".repeat(22)}; check()`;
const cases = [
  unclear("narrow.txt", NARROW, "x = 2", "Removed lines of narrow.txt may be longer than what the editor shows of a line.", lines(9, { 5: NARROW })),
  unclear("wide.txt", WIDE, "short", "Removed lines of wide.txt may be longer than what the editor shows of a line.", lines(9, { 5: WIDE })),
  unclear("unseen.txt", "line 5\n", "line\u200b5\n", "Changed lines of unseen.txt have characters that are invisible, reorder text, or take unusual room."),
  unclear("blank.txt", "line 5\n", "line 5  \n", "Changed lines of blank.txt differ in blanks that only a diff shows."),
  unclear("tall.txt", "line 5\n", lines(40), "The change of tall.txt is too large to be shown in the file."),
  unclear("last.txt", "two", "three", "last.txt is changed where the editor does not tell what is in view, such as in its last line.", "one\ntwo"),
];

const spoken = file("inline/spoken.md", lines(9, { 5: WIDE }));

scenario("the settings of the file's language count, too", async () => {
  await set("agentfs.review.style", "inline");
  await set("editor.wordWrap", "on");
  await inWorkspace({ "search.smartCase": true, "[markdown]": { "editor.wordWrap": "off" } }, async () => {
    const asked = await agent("spoken").readAndEdit(spoken, WIDE, "short");
    await openReview();
    await ui.tabsAre(`${spoken.base} (Ada)`);
    await ui.statusBarSays("Shown as a diff. Removed lines of spoken.md may be longer than what the editor shows of a line.");
    await asked.cancel();
    await assert.rejects(asked.answer, { code: -32800 });
  });
});

scenario("what may not be in sight in the file is shown as a diff, which says why", async () => {
  await set("agentfs.review.style", "inline");
  for (const { one, before, now, why } of cases) {
    const asked = await agent(one.base).readAndEdit(one, before, now);
    await openReview();
    await ui.tabsAre(`${one.base} (Ada)`);
    await ui.statusBarSays(`Shown as a diff. ${why}`);
    assert.deepEqual(await ui.inlineHunks(), []);
    await asked.cancel();
    await assert.rejects(asked.answer, { code: -32800 });
    await ui.tabsAre();
  }
});

const SIXTY = "sixty ".repeat(10).trim();
const halved = file("inline/halved.txt", lines(9, { 5: SIXTY }));

scenario("a removed line that another group of editors leaves no room for is shown as a diff", async () => {
  await set("agentfs.review.style", "inline");
  const asked = await agent("halved").readAndEdit(halved, SIXTY, "short");
  await inlineWith("+short");
  await call("command", { id: "workbench.action.splitEditorRight" });
  await until("there are two groups", async () => (await ui.tabNames()).length === 2);
  await until("Accept leads to the diff", async () => {
    if ((await ui.tabNames()).includes("halved.txt (Ada)")) return true;
    await ui.titleButton("Accept").click({ timeout: 500 });
    return false;
  }, { everyMs: 450 });
  await ui.statusBarSays("Shown as a diff. Removed lines of halved.txt may be longer than what the editor shows of a line.");
  assert.equal(halved.text(), lines(9, { 5: SIXTY }));
  await asked.cancel();
});

const long = file("inline/long.txt", lines(9));

scenario("a new line of any length is wrapped within its comment, also in a narrow window", async () => {
  await set("agentfs.review.style", "inline");
  const now = "word_".repeat(60);
  const asked = await agent("long").readAndEdit(long, "line 5\n", `${now}\n`);
  await inlineWith(`+${now}`);
  const { page } = ui;
  for (const width of [640, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    const body = page.locator(".review-widget:visible .comment-body");
    await until("it fits", () => body.evaluate((element) => element.clientWidth > 0 && element.scrollWidth <= element.clientWidth && element.scrollHeight <= element.clientHeight));
    const bottom = (locator) => locator.evaluate((element) => element.getBoundingClientRect().bottom);
    await until("it is within its comment", async () => (await bottom(body)) <= (await bottom(page.locator(".review-widget:visible"))));
  }
  await acceptSeen();
  await asked.answer;
});

const aside = file("inline/aside.txt", `alpha\nimportant_check()\n${"w".repeat(3000)}\n${lines(9)}`);

scenario("in the file: the review of an editor that is scrolled to the right shows the beginning of the removed lines", async () => {
  await set("agentfs.review.style", "inline");
  await aside.open();
  await ui.page.locator(".editor-group-container.active .view-line", { hasText: "www" }).click();
  await ui.page.keyboard.press("End");
  const left = (text) => ui.page.locator(".editor-group-container.active .view-line", { hasText: text }).locator("span span").first()
    .evaluate((span) => span.getBoundingClientRect().left);
  await until("it is scrolled to the right", async () => (await left("important_check")) < 0);
  const asked = await agent("aside").readAndEdit(aside, "important_check()", "pass");
  await inlineWith("+pass");
  await until("the removed line begins in view", async () => (await left("important_check")) > 0);
  await acceptSeen();
  await asked.answer;
});

const low = file("inline/low.txt", lines(60));

scenario("in the file: what is in the lower part of the editor, which notifications may cover, counts once it was gone to", async () => {
  await set("agentfs.review.style", "inline");
  await low.open();
  const asked = await agent("low").readAndEdit(low, "line 24\n", "low\n");
  await inlineWith("+low");
  const { height } = ui.page.viewportSize() ?? { height: 0 };
  const bottom = () => ui.page.locator(".review-widget:visible").evaluate((widget) => widget.getBoundingClientRect().bottom);
  await until("it is above the notifications", async () => (await bottom()) < 0.7 * height);
  await asked.cancel();
  await assert.rejects(asked.answer, { code: -32800 });

  await agent("low").read(low);
  const both = await agent("low").write(low, lines(60, { 3: "high", 22: "low" }));
  await inlineWith("+high");
  await inlineWith("+low");
  await until("Accept leads to the other one", async () => {
    if ((await ui.page.locator(".statusbar-item", { hasText: "Ln 22, Col 1" }).count()) > 0) return true;
    await ui.titleButton("Accept").click();
    return false;
  }, { everyMs: 1500 });
  await ui.statusBarSays("Hunks not in view so far: 1. Look, then press again.");
  assert.equal(low.text(), lines(60));
  await acceptSeen();
  await both.answer;
});

const left = ["first", "second"].map((each) => file(`inline/left-${each}.txt`, lines(30)));

scenario("in the file: who goes to another editor as the review opens has not seen it, and is offered it", async () => {
  await set("agentfs.review.style", "inline");
  for (const one of left) await one.open();
  await agent("left").read(left[0]);
  const asked = agent("left").write(left[0], lines(30, { 20: "unseen" }));
  await until("it waits", async () => (await state()).pending.length === 1);
  let pauseMs = 0;
  await until("the second is opened while the first opens", async () => {
    await call("close", { path: "all" });
    for (const one of left) await one.open();
    await ui.focusEditor();
    await ui.page.keyboard.press("Control+k");
    await ui.page.keyboard.press("a");
    await ui.page.waitForTimeout((pauseMs = (pauseMs + 7) % 70));
    await ui.page.keyboard.press("Control+PageDown");
    await ui.page.waitForTimeout(500);
    return ui.isSaid("The review of left-first.txt is ready.");
  });

  await ui.tab("left-first.txt").click();
  await ui.focusEditor();
  assert.equal(await ui.titleButton("Accept").count(), 0);
  await ui.pressInMessage("The review of left-first.txt is ready.", "Review");
  await ui.inlineWith("+unseen");
  await acceptSeen();
  assert.equal((await asked.answer).data.review.decision, "accepted");
});

const created = file("inline/created.txt");

scenario("a new file is shown as a diff, and the change in a file that waits then does not open by itself", async () => {
  await set("agentfs.review.style", "inline");
  const asked = agent("created").write(created, "one\ntwo\n");
  await openReview();
  await ui.diffWith("two");
  const waiting = await agent("waits").readAndEdit(long, "line 2\n", "second\n");
  await until("both are pending", async () => (await state()).pending.length === 2);
  await ui.pressTitle("Accept");
  await asked.answer;
  await ui.tabsAre();
  assert.equal((await state()).pending.length, 1);
  await waiting.cancel();
});

const far = file("inline/far.txt", lines(200));

scenario("in the file: Accept counts once every hunk has been in view; a press before leads to the next", async () => {
  await set("agentfs.review.style", "inline");
  await agent("far").read(far);
  const asked = agent("far").write(far, lines(200, { 10: "tenth", 100: "hundredth", 190: "last" }));
  await inlineWith("+tenth");
  for (const { text, left } of [{ text: "+hundredth", left: 2 }, { text: "+last", left: 1 }]) {
    await until(`Accept leads to ${text}`, async () => {
      if ((await ui.inlineHunks()).some(({ body }) => body.includes(text))) return true;
      await ui.titleButton("Accept").click();
      return false;
    }, { everyMs: 1500 });
    await ui.statusBarSays(`Hunks not in view so far: ${left}. Look, then press again.`);
    assert.equal((await state()).pending.length, 1);
  }
  await acceptSeen();
  await asked.answer;
  assert.equal(far.text(), lines(200, { 10: "tenth", 100: "hundredth", 190: "last" }));
});

const IN_FILE = "Nothing decided. Accept this in the editor of its file.";
const uncommented = file("inline/uncommented.txt", lines(60));

scenario("in the file: while comments are turned off, nothing counts as seen", async () => {
  await set("agentfs.review.style", "inline");
  await uncommented.open();
  await call("command", { id: "workbench.action.toggleCommenting" });
  await agent("uncommented").read(uncommented);
  const tall = (word) => Array.from({ length: 18 }, (_, at) => `${word} ${at}`).join("\n");
  const asked = agent("uncommented").write(uncommented, lines(60, { 5: tall("first"), 16: tall("second") }));
  await openReview();
  await ui.tabsAre("uncommented.txt");
  await call("command", { id: "agentfs.ui.showPending" });
  await until("Accept in the row is answered", async () => {
    await ui.pressInRow("Pending", "uncommented.txt", "Accept Proposed Change");
    return ui.page.locator(".statusbar-item", { hasText: IN_FILE }).first().waitFor({ timeout: 500 }).then(() => true);
  });
  await ui.page.locator(".statusbar-item", { hasText: IN_FILE }).first().waitFor({ state: "detached" }); // longer than a moment
  assert.equal(await ui.titleButton("Accept").count(), 0);
  assert.equal((await state()).pending.length, 1);
  await call("command", { id: "workbench.action.toggleCommenting" });
  await ui.inlineWith("+first 17");
  await until("Accept leads to the other hunk", async () => {
    if ((await ui.inlineHunks()).some(({ body }) => body.includes("+second 17"))) return true;
    await ui.titleButton("Accept").click();
    return false;
  }, { everyMs: 1500 });
  assert.equal(uncommented.text(), lines(60));
  await asked.cancel();
});

const peekedAt = file("inline/peeked.md", lines(200, { 1: "[x](peeked.md#part)", 150: "# Part" }));

scenario("in the file: a peek shows no comments, so nothing counts as seen there", async () => {
  await set("agentfs.review.style", "inline");
  await agent("peek").read(peekedAt);
  const asked = agent("peek").write(peekedAt, lines(200, { 1: "[x](peeked.md#part)", 4: "fourth", 150: "# Part", 152: "unseen" }));
  await inlineWith("+fourth");
  const preview = ui.page.locator(".peekview-widget .preview .view-line", { hasText: "152" });
  await until("a peek, once VS Code's Markdown extension has started", async () => {
    await ui.page.keyboard.press("Control+Home");
    for (let left = "[x](peeked.md#p".length; left > 0; left--) await ui.page.keyboard.press("ArrowRight");
    await call("command", { id: "editor.action.peekDefinition" });
    return (await preview.count()) > 0;
  }, { everyMs: 500 });
  await preview.first().click();
  await ui.page.locator(".peekview-widget .preview .monaco-editor.focused").waitFor();
  const since = Date.now();
  await until("a moment is over", () => Date.now() - since > 1500);
  await ui.page.keyboard.press("Escape");
  await ui.page.locator(".peekview-widget").waitFor({ state: "detached" });

  await until("Accept leads to what is unseen", async () => {
    if ((await ui.inlineHunks()).some(({ body }) => body.includes("+unseen"))) return true;
    await ui.titleButton("Accept").click();
    return false;
  }, { everyMs: 1500 });
  assert.equal((await state()).pending.length, 1);
  await acceptSeen();
  assert.equal((await asked.answer).data.applied, true);
});

const dark = file("inline/dark.txt", lines(9));

scenario("in the file: a setting that hides text, though only for a while, leaves the review to a diff", async () => {
  await set("agentfs.review.style", "inline");
  const asked = await agent("dark").readAndEdit(dark, "line 5\n", "unseen\n");
  await inlineWith("+unseen");
  const before = await call("settings", { key: "comments.maxHeight", value: true });
  await call("settings", { key: "comments.maxHeight", value: before });
  await until("Accept leads to a diff", async () => {
    if ((await ui.tabNames()).includes("dark.txt (Ada)")) return true;
    await ui.titleButton("Accept").click();
    return false;
  }, { everyMs: 1500 });
  assert.equal((await state()).pending.length, 1);
  await asked.cancel();
});

const steady = file("inline/steady.txt", lines(200));

scenario("in the file: a change that is withdrawn does not move what is on the screen", async () => {
  await set("agentfs.review.style", "inline");
  await agent("steady").read(steady);
  const asked = agent("steady").write(steady, lines(200, { 10: "tenth", 20: "twentieth", 150: "late" }));
  await inlineWith("+tenth");
  await ui.page.keyboard.press("Control+G");
  await ui.answer(":100");
  const line = ui.page.locator(".view-line", { hasText: /^line.100$/ });
  await line.waitFor();
  const top = async () => (await line.boundingBox()).y;
  let before = await top();
  await until("it stands still", async () => {
    const last = before;
    before = await top();
    return last === before;
  }, { everyMs: 300 });
  await asked.cancel();
  await ui.noInline();
  const LINE = 19;
  await until("it stands where it was", async () => Math.abs((await top()) - before) < LINE);
});

const hidden = file("inline/hidden.txt", lines(60));

scenario("in the file: collapsed comments are opened before they count, and without comments the review is a diff", async () => {
  await set("agentfs.review.style", "inline");
  await agent("hidden").read(hidden);
  const asked = agent("hidden").write(hidden, lines(60, { 3: "third", 55: "last" }));
  await inlineWith("+third");
  await call("command", { id: "workbench.action.collapseAllComments" });
  await until("they are collapsed", async () => (await ui.inlineHunks()).length === 0);
  await ui.page.keyboard.press("Control+End");
  await until("its end is in view", async () => /line 60/.test(await ui.frontText()));
  await pressUntil("Control+Enter", async () => (await ui.inlineHunks()).length > 0);
  assert.equal((await state()).pending.length, 1);

  await call("command", { id: "workbench.action.toggleCommenting" });
  try {
    await until("there are no comments", async () => (await ui.inlineHunks()).length === 0);
    await call("command", { id: "agentfs.ui.showPending" });
    await ui.pressInRow("Pending", "hidden.txt", "Accept");
    await ui.statusBarSays(IN_FILE);
    await ui.focusEditor();
    assert.equal(await ui.titleButton("Accept").count(), 0);
    await ui.page.keyboard.press("Control+Enter");
    await ui.tabsAre("hidden.txt", "hidden.txt (Ada)");
    await ui.statusBarSays("Shown as a diff. Comments in editors, which show the new lines, are turned off.");
    assert.equal((await hidden.document()).text, lines(60));
    assert.equal((await state()).pending.length, 1);
  } finally {
    await call("command", { id: "workbench.action.toggleCommenting" });
  }
  await asked.cancel();
});

const asDiff = file("inline/as-diff.txt", lines(9));

scenario("in the file: Show as Diff leads to the diff, without the hunks that were rejected", async () => {
  await set("agentfs.review.style", "inline");
  await agent("as-diff").read(asDiff);
  const asked = agent("as-diff").write(asDiff, lines(9, { 2: "second", 6: "sixth" }));
  await inlineWith("+sixth");
  await ui.pressInComment("+second", "Reject Hunk");
  await until("it is gone", async () => (await ui.inlineHunks()).length === 1);
  await ui.titleMenu("Show as Diff");
  const { modified } = await ui.diffWith("sixth");
  assert.doesNotMatch(modified, /second/);
  await ui.tabsAre("as-diff.txt", "as-diff.txt (Ada)");
  await acceptSeen();
  assert.equal((await asked.answer).data.review.decision, "amended");
  assert.equal(asDiff.text(), lines(9, { 6: "sixth" }));
});

const top = file("inline/top.txt", lines(5));

scenario("in the file: what is inserted at its beginning and end, or only removed, is shown there", async () => {
  await set("agentfs.review.style", "inline");
  await agent("top").read(top);
  const asked = agent("top").write(top, `first\n${lines(5).replace("line 3\n", "")}appended\n`);
  const hunks = await inlineWith("+appended");
  assert.deepEqual(hunks.map(({ body }) => body), ["+first\n+line 1", "The marked lines are removed.", "+appended"]);
  await acceptSeen();
  await asked.answer;
  assert.equal(top.text(), "first\nline 1\nline 2\nline 4\nline 5\nappended\n");
});

const lost = file("inline/lost.txt", lines(9));

scenario("in the file: a crash of the server removes the review", async () => {
  await set("agentfs.review.style", "inline");
  const asked = await agent("lost").readAndEdit(lost, "line 5\n", "fifth\n");
  await inlineWith("+fifth");
  killServer();
  await ui.noInline();
  await asked.answer.catch(() => {});
  assert.ok(await isUntouched(lost, lines(9)));
  await call("command", { id: "notifications.clearAll" });
});

const reloaded = file("inline/reloaded.txt", "one\ntwo\nthree\n");

scenario("in the file: a reload of the window removes the review, and the change still waits", async () => {
  await set("agentfs.review.style", "inline");
  const ada = await outsideAgent("Ada");
  let edited;
  // The agent waits 30 s for the window, which a machine that is busy with something else can take for a reload.
  await until("it is proposed anew", async () => {
    let isOver = false;
    await ada.call("read", { path: reloaded.path });
    edited = ada.call("edit", { path: reloaded.path, old_string: "two", new_string: "2" }).finally(() => (isOver = true));
    await inlineWith("+2");
    await reloadWindow();
    await until("it is proposed anew or over", async () => isOver || (await state()).pending.length === 1);
    return !isOver;
  }, { timeoutMs: 240_000 });
  await ui.sees("two");
  await ui.noInline();
  await inlineWith("+2");
  await acceptSeen();
  assert.match(await edited, /^Updated/);
  assert.equal(reloaded.text(), "one\n2\nthree\n");
  await ada.stop();
}, 2 * LONGEST_MS + 60_000);
