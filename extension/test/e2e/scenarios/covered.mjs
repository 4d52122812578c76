// Notifications lie over the editor: what they cover does not count as seen. Nor does what is right of an editor's edge.

import assert from "node:assert/strict";

import { agent } from "../harness/agents.mjs";
import { file } from "../harness/files.mjs";
import { until } from "../harness/page.mjs";
import { acceptSeen, acceptShows, openReview, reviewWith } from "../harness/reviews.mjs";
import { call, state, ui } from "../harness/run.mjs";
import { set } from "../harness/settings.mjs";
import { scenario } from "../harness/suite.mjs";

/** Numbered lines, some of them others. */
const lines = (count, others = {}) => Array.from({ length: count }, (_, at) => others[at + 1] ?? `line ${at + 1}`).join("\n") + "\n";

const secrets = [1, 2, 3].map((number) => file(`covered/secret-${number}/.env`, "KEY=1\n"));
const toasts = () => ui.page.locator(".notifications-toasts .notification-list-item");

async function propose(one, now) {
  await agent(one.base).read(one);
  const asked = agent(one.base).write(one, now);
  await until("it waits", async () => (await state()).pending.length === 1);
  return asked;
}

/** Agents ask three questions, which stand in the corner. */
async function askThree(one) {
  for (const [at, secret] of secrets.entries()) void agent(`${one.base}-${at}`).read(secret).catch(() => {});
  await until("three notifications stand", async () => (await toasts().count()) === 3);
}

/** Whether the last line with this text, in an editor or comment, is beneath a notification. */
const isBeneath = (text) =>
  ui.page.locator(`:is(.view-line, .comment-body code):visible`, { hasText: text }).last().evaluate((line) => {
    const range = document.createRange();
    range.selectNodeContents(line);
    const { right, bottom } = [...range.getClientRects()].at(-1) ?? line.getBoundingClientRect();
    return document.elementFromPoint(right - 4, bottom - 4)?.closest(".notifications-toasts") !== null;
  });

const diffed = file("covered/diffed.txt", lines(30));

scenario("changed lines of a diff beneath notifications can't be accepted until these have gone", async () => {
  const asked = await propose(diffed, lines(30, { 2: "harmless", 27: "", 28: "", 29: "a line of so many letters that it ends beneath them" }));
  await reviewWith("harmless");
  await askThree(diffed);
  await until("it is covered", () => isBeneath("beneath them"));
  await ui.titleButton("Accept").click();
  await ui.statusBarSays("Press again: a notification covered lines.");
  await until("nothing covers it", async () => (await toasts().count()) === 0);
  assert.equal(diffed.text(), lines(30));
  await acceptSeen();
  assert.equal((await asked.answer).data.review.decision, "accepted");
});

const foreign = file("covered/foreign.txt", lines(60));

scenario("nor by a key what is beneath a notification of another extension", async () => {
  const asked = await propose(foreign, lines(60, { 2: "harmless", 33: "a line of so many letters", 34: "that they end beneath it", 35: "all of them, each of these" }));
  await reviewWith("harmless");
  await ui.clickLine("harmless");
  await call("notify", { text: "Another extension says something. It takes its time, and some room: these are the lines." });
  await until("it is there", async () => (await toasts().count()) === 1);
  await ui.page.keyboard.press("Control+Enter");
  await ui.statusBarSays("Press again: a notification covered lines.");
  await until("nothing covers it", async () => (await toasts().count()) === 0);
  assert.equal(foreign.text(), lines(60));
  await until("the key counts", async () => {
    if ((await state()).pending.length === 0) return true;
    await ui.page.keyboard.press("Control+Enter");
    return false;
  }, { everyMs: 1200 });
  assert.equal((await asked.answer).data.review.decision, "accepted");
});

const opened = file("covered/opened.txt", lines(30));

scenario("a diff that opens beneath notifications takes them away, and is accepted by one press", async () => {
  const asked = await propose(opened, lines(30, { 2: "harmless", 28: "beneath them" }));
  await askThree(opened);
  await reviewWith("harmless");
  await until("nothing covers it", async () => (await toasts().count()) === 0);
  await acceptSeen();
  assert.equal((await asked.answer).data.review.decision, "accepted");
});

const brief = file("covered/brief.txt", lines(5));

scenario("a short diff above the notifications is accepted at once", async () => {
  const asked = await propose(brief, lines(5, { 5: "fifth" }));
  await askThree(brief);
  await reviewWith("fifth");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.review.decision, "accepted");
  await call("command", { id: "notifications.clearAll" });
});

const low = file("covered/low.txt", lines(40));

scenario("in a low window, what is beneath notifications can't be accepted either", async () => {
  const asked = await propose(low, lines(40, { 12: "a line that is wrapped in a side of a diff: beneath" }));
  await ui.page.setViewportSize({ width: 1280, height: 420 });
  try {
    await reviewWith("a line that is wrapped");
    for (const [at, secret] of secrets.entries()) void agent(`low-${at}`).read(secret).catch(() => {});
    await until("it is covered", () => isBeneath("beneath"));
    await until("Accept takes them away", async () => {
      assert.equal(low.text(), lines(40));
      if ((await toasts().count()) === 0) return true;
      await ui.titleButton("Accept").click();
      return false;
    }, { everyMs: 450 });
    assert.equal(low.text(), lines(40));
    await acceptSeen();
    assert.equal((await asked.answer).data.review.decision, "accepted");
  } finally {
    await ui.page.setViewportSize({ width: 1280, height: 800 });
  }
});

const deep = `covered/${Array.from({ length: 12 }, (_, at) => `folder-${at}-${"x".repeat(50)}`).join("/")}`;
const far = [1, 2].map((number) => file(`${deep}/${number}/.env`, "KEY=1\n"));
const tall = file("covered/tall.txt", lines(20));

scenario("nor what is beneath a question that names a long path, in the diff or in the view of all changes", async () => {
  const asked = await propose(tall, lines(20, { 2: "harmless", 14: "a line of so many letters that it ends beneath it" }));
  await reviewWith("harmless");
  void agent("tall-1").read(far[0]).catch(() => {});
  await until("it is covered", () => isBeneath("beneath it"));
  await ui.titleButton("Accept").click();
  await ui.statusBarSays("Press again: a notification covered lines.");
  assert.equal(tall.text(), lines(20));
  await asked.cancel();

  const hidden = await propose(tall, lines(20, { 2: `a ${" ".repeat(60)} b`, 3: "third" }));
  await reviewWith("third");
  await acceptShows("Nothing was accepted.", "third");
  void agent("tall-2").read(far[1]).catch(() => {});
  await until("it is there", async () => (await toasts().count()) === 1);
  await until("Accept takes it away", async () => {
    if ((await toasts().count()) === 0) return true;
    await ui.titleButton("Accept").click({ timeout: 500 });
    return false;
  }, { everyMs: 900 });
  assert.equal(tall.text(), lines(20));
  await acceptSeen();
  assert.equal((await hidden.answer).data.review.decision, "accepted");
});

const large = file("covered/large.txt", lines(14));

scenario("with a large font, what is beneath notifications can't be accepted either, however few rows it has", async () => {
  await set("editor.fontSize", 28);
  const asked = await propose(large, lines(14, { 2: "harmless", 14: "the end of this is beneath it" }));
  await reviewWith("harmless");
  for (const [at, secret] of secrets.slice(1).entries()) void agent(`large-${at}`).read(secret).catch(() => {});
  await until("it is covered", () => isBeneath("beneath it"));
  await ui.titleButton("Accept").click();
  await ui.statusBarSays("Press again: a notification covered lines.");
  assert.equal(large.text(), lines(14));
  await acceptSeen();
  assert.equal((await asked.answer).data.review.decision, "accepted");
});

const listed = file("covered/listed.txt", lines(34));

scenario("changed lines beneath the list of notifications can't be accepted until it is closed", async () => {
  const asked = await propose(listed, lines(34, { 33: "beneath it" }));
  await reviewWith("beneath it");
  for (const [at, secret] of secrets.entries()) void agent(`listed-${at}`).read(secret).catch(() => {});
  await until("they are asked", () => ui.statusSays("Open questions: 3."));
  await call("command", { id: "notifications.showList" });
  const list = ui.page.locator(".notifications-center.visible");
  await list.waitFor();
  await until("Accept closes the list", async () => {
    assert.equal(listed.text(), lines(34));
    if ((await list.count()) === 0) return true;
    await ui.titleButton("Accept").click();
    return false;
  }, { everyMs: 1500 });
  assert.equal(listed.text(), lines(34));
  await acceptSeen();
  assert.equal((await asked.answer).data.review.decision, "accepted");
});

/** Accepts what is shown in the file, of which `text` is beneath a notification, and that only once it has been led to it. */
async function acceptCovered(one, asked, text, count) {
  const before = one.text();
  await openReview();
  await ui.inlineWith(text);
  await askThree(one);
  await until("it is covered", () => isBeneath(text));
  await until("Accept leads there", async () => {
    assert.equal(one.text(), before);
    if (await ui.page.locator(".statusbar-item", { hasText: `Hunks not in view so far: ${count}.` }).isVisible()) return true;
    await ui.titleButton("Accept").click();
    return false;
  }, { everyMs: 1500 });
  await until("nothing covers it", async () => (await toasts().count()) === 0);
  assert.equal(one.text(), before);
  await acceptSeen();
  assert.equal((await asked.answer).data.review.decision, "accepted");
}

const LONG = "a harmless line that goes on and on, until it ends: beneath them";
const top = file("covered/top.txt", lines(60));

scenario("in the file: where notifications are at the top, it is the first lines that count once they were gone to", async () => {
  await set("agentfs.review.style", "inline");
  await set("workbench.notifications.position", "top-right");
  await top.open();
  const asked = await propose(top, lines(60, { 2: LONG }));
  await acceptCovered(top, asked, "beneath them", 1);
});

const WIDE = "compute(alpha, beta, gamma, delta)  # harmless words, and then DELETED()".padEnd(80, "!");
const wide = file("covered/wide.txt", lines(9, { 5: WIDE }));

scenario("in the file: a long removed line is also in the comment, all of it within an editor between side bars", async () => {
  await set("agentfs.review.style", "inline");
  await wide.open();
  await call("command", { id: "workbench.action.focusAuxiliaryBar" });
  try {
    const asked = await agent("wide").readAndEdit(wide, WIDE, "short()");
    await openReview();
    await ui.inlineWith("+short()");
    const [shown] = await ui.inlineWith(`-${WIDE}`);
    assert.match(shown.body, /\+short\(\)/);
    const isInside = await ui.page.locator(".review-widget:visible .comment-body code").evaluateAll((all) =>
      all.every((code) => code.getBoundingClientRect().right <= (code.closest(".editor-instance")?.getBoundingClientRect().right ?? 0)));
    assert.ok(isInside);
    await acceptSeen();
    assert.equal((await asked.answer).data.review.decision, "accepted");
  } finally {
    await call("command", { id: "workbench.action.closeAuxiliaryBar" });
  }
});
