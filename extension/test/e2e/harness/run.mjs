// The run: its one workbench, the page that shows it, and the line to the driver.

import { after, before } from "node:test";

import { connect } from "./extension.mjs";
import { WorkbenchPage } from "./page.mjs";
import { makeHome, READY, startWorkbench } from "./workbench.mjs";

/** Everything that the run writes is below it. */
export const home = await makeHome();

/** No scenario takes longer, an answer that never comes included. */
export const LONGEST_MS = 120_000;

/** Filled before the first scenario. @type {Awaited<ReturnType<typeof startWorkbench>>} */
export let workbench;
/** @type {WorkbenchPage} */
export let ui;

before(async () => {
  workbench = await startWorkbench(home);
  ui = new WorkbenchPage(workbench.page);
});
after(() => workbench?.stop());

/** Reloads the window as a person does; a mere reload of the page would not have the workbench remember its tabs. */
export async function reloadWindow() {
  const { page, sockets } = workbench;
  await Promise.all([page.waitForEvent("domcontentloaded"), ui.runCommand("Developer: Reload Window")]);
  await page.waitForSelector(READY, { timeout: LONGEST_MS });
  workbench.extension.close();
  workbench.extension = await connect(sockets.driver, LONGEST_MS);
}

export const call = async (method, params) => workbench.extension.call(method, params);
export const state = () => call("state");

/** Waits until the window has handled, and told, all earlier clicks and keys. */
export const caughtUp = () => call("command", { id: "setContext", args: ["tests.caughtUp", true] });
