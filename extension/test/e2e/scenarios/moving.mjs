// What comes and goes moves nothing under a click that decides, or the click decides nothing.

import assert from "node:assert/strict";

import { agent } from "../harness/agents.mjs";
import { file } from "../harness/files.mjs";
import { until } from "../harness/page.mjs";
import { acceptSeen, reviewWith } from "../harness/reviews.mjs";
import { call, state, ui } from "../harness/run.mjs";
import { mode } from "../harness/server.mjs";
import { set } from "../harness/settings.mjs";
import { scenario } from "../harness/suite.mjs";

/** Opens the list of landed changes at its top: with the keys, it goes to the row that had them last. */
async function showLanded() {
  await call("command", { id: "agentfs.landed.focus" });
  await call("command", { id: "list.focusFirst" });
}

const MOVED = "Press again: the buttons have just moved.";

const placeOf = (button) => until("it is drawn", () => button.boundingBox());
const placesOf = async () => [await placeOf(ui.titleButton("Accept")), await placeOf(ui.titleButton("Reject"))];

/** Waits until VS Code has drawn its own buttons beside this one. */
async function standsStill(button) {
  let before;
  await until("it stands still", async () => {
    const now = JSON.stringify(await button.boundingBox());
    const isSame = now === before;
    before = now;
    return isSame;
  }, { everyMs: 700 });
}

const withdrawn = ["front", "beside"].map((name) => file(`moving/${name}.txt`, "old\n"));

scenario("Accept and Reject stay where they are as another change comes and goes", async () => {
  const first = await agent("front").readAndEdit(withdrawn[0], "old", "new front");
  await reviewWith("new front");
  await standsStill(ui.titleButton("Reject"));
  const alone = await placesOf();
  const second = await agent("beside").readAndEdit(withdrawn[1], "old", "new beside");
  await until("Next leads there", () => ui.titleButton("Next Proposal").isEnabled({ timeout: 500 }));
  assert.deepEqual(await placesOf(), alone);
  const [, { x, y, width, height }] = await placesOf();

  await second.cancel();
  const next = ui.titleButton("Next Proposal");
  await until("Next leads nowhere", async () => (await next.count()) === 0 || !(await next.isEnabled()), { everyMs: 10 });
  await ui.page.mouse.click(x + width * 0.3, y + height / 2);

  assert.match(await ui.answer("Not this."), /Reject front\.txt/);
  assert.equal((await first.answer).error.code, "USER_REJECTED");
  assert.equal(withdrawn[0].text(), "old\n");
});

const hunks = file("moving/hunks.txt", "one\ntwo\nthree\nfour\nfive\n");

scenario("the buttons for hunks, which come and go, are left of Accept and Reject", async () => {
  const ada = agent("hunks");
  await ada.read(hunks);
  const asked = ada.write(hunks, "ONE\ntwo\nthree\nfour\nFIVE\n");
  await reviewWith("FIVE");
  const hunk = await placeOf(ui.titleButton("Reject Hunk"));
  assert.ok(hunk.x < (await placeOf(ui.titleButton("Accept"))).x);
  await asked.cancel();
});

const restored = file("moving/restored.txt", "old\n");

scenario("a click just after Accept has taken the place of Ask the Agent to Redo decides nothing", async () => {
  const asked = await agent("restored").readAndEdit(restored, "old", "new");
  await reviewWith("new");
  restored.change("other\n");
  await ui.titleButton("Ask the Agent to Redo").waitFor();

  restored.change("old\n");
  const { x, y, width, height } = await placeOf(ui.titleButton("Accept"));
  await ui.page.mouse.click(x + width / 2, y + height / 2);

  await ui.statusBarSays(MOVED);
  assert.equal((await state()).pending.length, 1);
  assert.equal(restored.text(), "old\n");
  await acceptSeen();
  assert.equal((await asked.answer).data.applied, true);
});

const landing = file("moving/landing.txt", "old\n");

scenario("a click on a checkpoint's Delete deletes no other that a landing has moved there", async () => {
  await set("agentfs.approval.mode", "auto_edit");
  await until("changes are let through", async () => (await mode()) === "auto_edit");
  await showLanded();
  const names = ["One", "Two", "Three", "Four"].map((name) => `Moving ${name}`);
  const row = (name) => ui.viewRow("Landed", name).first();
  for (const name of names) {
    await ui.pressInView("Landed", "Create Checkpoint…");
    await ui.answer(name);
    await row(name).waitFor();
  }
  await row("Moving Two").hover();
  const { x, y, width, height } = await placeOf(row("Moving Two").getByRole("button", { name: "Delete Checkpoint" }));
  const { y: top } = await placeOf(row("Moving Two"));

  const ada = agent("landing");
  await (await ada.readAndEdit(landing, "old", "new")).answer;
  await until("another row is there", async () => (await placeOf(row("Moving Four"))).y === top, { everyMs: 10 });
  await ui.page.mouse.click(x + width / 2, y + height / 2);

  await ui.statusBarSays("The list has just changed. Nothing was done. Try again.");
  for (const name of names) {
    await until("a press counts, once the rows have not moved for a moment", async () => {
      if ((await row(name).count()) === 0) return true;
      await ui.pressInRow("Landed", name, "Delete Checkpoint");
      return false;
    }, { everyMs: 450 });
  }
});

const unreviewed = file("moving/unreviewed.txt", "old\n");

scenario("an undo in auto mode, which nobody would review, is asked about first", async () => {
  await set("agentfs.approval.mode", "auto_edit");
  await until("changes are let through", async () => (await mode()) === "auto_edit");
  await (await agent("unreviewed").readAndEdit(unreviewed, "old", "new")).answer;
  await showLanded();

  await ui.pressInRow("Landed", "unreviewed.txt", "Undo Change…");
  await ui.answerDialog("Cancel");
  assert.equal(unreviewed.text(), "new\n");
  await ui.pressInRow("Landed", "unreviewed.txt", "Undo Change…");
  await ui.answerDialog("Undo");
  await until("it is undone", () => unreviewed.text() === "old\n");
});
