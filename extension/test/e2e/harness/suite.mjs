// A scenario: a test in the workbench of the run, which it leaves as it found it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { cancelRequests } from "./agents.mjs";
import { stopOutsideAgents } from "./outside.mjs";
import { until } from "./page.mjs";
import { call, home, LONGEST_MS, state, ui, workbench } from "./run.mjs";
import { restartKilled } from "./server.mjs";
import { resetSettings } from "./settings.mjs";
import { keepEvidence } from "./workbench.mjs";

/** A test that leaves the desk as it found it, and a picture and the log where it failed. */
export function scenario(name, body, longestMs = LONGEST_MS) {
  test(name, async () => {
    try {
      await soon(body(), longestMs);
      assert.deepEqual(await leftStanding(), [], "messages are left standing");
    } catch (error) {
      await keepEvidence(name, home, workbench);
      throw error;
    } finally {
      await clearDesk();
    }
  });
}

async function soon(work, longestMs) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not over after ${longestMs} ms`)), longestMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether a message stands on the page that nobody asked for, offers of reviews aside. */
function leftStanding() {
  return workbench.page
    .locator(".notifications-toasts .notification-list-item")
    .filter({ hasNot: workbench.page.getByRole("button", { name: "Review", exact: true }) })
    .locator(".notification-list-item-message")
    .allInnerTexts();
}

async function clearDesk() {
  await restartKilled();
  await resetSettings();
  await workbench.page.keyboard.press("Escape");
  await ui.scrollToTop("Landed");
  await workbench.page.mouse.move(200, 5); // where nothing opens under it, and hides a message
  await cancelRequests();
  await stopOutsideAgents();
  await until("no proposal is pending", async () => (await state()).pending.length === 0);
  await call("close", { path: "all" });
  await call("command", { id: "notifications.clearAll" });
}
