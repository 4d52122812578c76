// Settings of the user and of the workspace.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";

import { until } from "./page.mjs";
import { call, home } from "./run.mjs";

/** What the settings were that this scenario has set. */
const changed = new Map();

/** Sets a setting of the user for this scenario. */
export async function set(key, value) {
  const before = await call("settings", { key, value });
  if (!changed.has(key)) changed.set(key, before);
}

/** Puts back what this scenario has set. */
export async function resetSettings() {
  for (const [key, value] of changed) await call("settings", { key, value });
  changed.clear();
}

/** Settings of the workspace while `body` runs. */
export async function inWorkspace(settings, body) {
  const folder = path.join(home, "workspace", ".vscode");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "settings.json"), JSON.stringify(settings));
  const [[key, value]] = Object.entries(settings);
  const counts = async () => isDeepStrictEqual(await call("setting", { key }), value);
  try {
    await until("they count", counts);
    return await body();
  } finally {
    rmSync(folder, { recursive: true });
    await until("they count no more", async () => !(await counts()));
  }
}
