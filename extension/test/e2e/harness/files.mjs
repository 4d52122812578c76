// Files of the workspace.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { call, home, state } from "./run.mjs";

const workspace = path.join(home, "workspace");

/**
 * A file of the workspace. All are made when the scenarios are loaded: the workbench takes a file that changed
 * in the last second and a half for one that changed under its hands.
 * @param {string} name below the workspace
 * @param {string | Buffer} [content] none: the file is not there yet
 */
export function file(name, content) {
  const absolute = path.join(workspace, name);
  if (content !== undefined) {
    mkdirSync(path.dirname(absolute), { recursive: true });
    writeFileSync(absolute, content);
  }
  return {
    name,
    base: path.basename(name),
    path: absolute,
    text: () => readFileSync(absolute, "utf8"),
    bytes: () => readFileSync(absolute),
    change: (to) => writeFileSync(absolute, to),
    open: () => call("open", { path: absolute }),
    /** Types as another extension would: through the open document. */
    type: (text, offset = 0) => call("type", { path: absolute, text, offset }),
    async document() {
      return (await state()).documents.find(({ uri }) => decodeURIComponent(uri) === `file://${absolute}`);
    },
  };
}
