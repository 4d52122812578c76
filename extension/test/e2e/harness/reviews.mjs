// Reviews and drafts, as a person opens and decides them.

import assert from "node:assert/strict";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

import { until } from "./page.mjs";
import { call, caughtUp, home, state, ui, workbench } from "./run.mjs";

/** Opens the review that waits, as a person does: none opens by itself, or if a click is heard of after the command. */
export async function openReview() {
  await caughtUp();
  return workbench.extension.openReview();
}

/** The same, until its diff is there, with `text` on the right side. */
export async function reviewWith(text) {
  await openReview();
  return ui.diffWith(text);
}

/** Presses and types while the extension host is busy, as another extension can keep it. */
export async function whileHostIsBusy(press) {
  const hold = path.join(home, "hold-host");
  writeFileSync(hold, "");
  const blocked = call("blockWhile", { path: hold });
  try {
    await until("the host is busy", () => existsSync(`${hold}.begun`));
    await press();
  } finally {
    rmSync(hold);
    await blocked;
    rmSync(`${hold}.begun`);
  }
}

/** Press Accept while something else changes a file of the review: the extension hears of that after the press. */
export const acceptDuring = (change) =>
  whileHostIsBusy(async () => {
    await ui.titleButton("Accept").click();
    change();
  });

/** Press Accept, which shows all changes beside the review first, with `text` among them, and a message that has `said`. */
export async function acceptShows(said, text) {
  await ui.titleButton("Accept").click();
  await until(said, () => ui.isSaid(said));
  await call("command", { id: "notifications.clearAll" });
  const shown = await ui.plainWith(text);
  assert.equal((await state()).pending.length, 1, "nothing is decided");
  return shown;
}

/**
 * Presses a button or keys for the review on that tab until it is settled or the tab is gone: what took the place of a
 * decided one takes no decision for a moment. A press long after the decision would be answered by a message.
 */
export async function pressUntilTaken(button, tab) {
  const isShown = async () => (await ui.tabNames()).some((name) => name.startsWith(tab));
  const isPending = async () =>
    (await state()).pending.some(({ files }) => files.some((file) => path.basename(file.path).startsWith(tab)));
  await until(`${button} counts`, async () => {
    if (!(await isShown()) || !(await isPending())) return true;
    if (button.includes("+")) await ui.page.keyboard.press(button);
    else await ui.titleButton(button).click({ timeout: 500 }); // it may be gone by now
    return false;
  }, { everyMs: 450 });
  await until("its tab is gone", async () => !(await isShown()));
}

/** Press Accept again, until that is a moment after all changes were shown. */
export const acceptSeen = () =>
  until("it is accepted", async () => {
    if ((await state()).pending.length === 0) return true;
    await ui.titleButton("Accept").click({ timeout: 500 }); // it may be gone by now
    return false;
  }, { everyMs: 1000 });

/** Both. All that was shown beside the review. */
export async function acceptAfterPlain(said, text) {
  const shown = await acceptShows(said, text);
  await acceptSeen();
  return shown;
}

/** The text of the one draft of a file, which is thrown away. */
export async function takeDraft(name) {
  await call("command", { id: "agentfs.drafts.focus" });
  await ui.viewRow("Drafts", name).click();
  await ui.requestedTab("your draft");
  const shown = async () => (await state()).documents.find(({ uri }) => uri.startsWith("agentfs-draft:") && uri.endsWith(name));
  const { text } = await until("the draft is shown", shown);
  await ui.pressInRow("Drafts", name, "Discard Draft…");
  await ui.answerDialog("Discard");
  await until("it is gone", async () => (await ui.viewRow("Drafts", name).count()) === 0);
  return text;
}
