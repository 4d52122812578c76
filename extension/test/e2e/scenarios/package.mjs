// What the package brings into a user's editor: the extension and the server, and no way in for tests.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

import { home } from "../harness/run.mjs";
import { scenario } from "../harness/suite.mjs";

const SHARED = ["LICENSE.txt", "changelog.md", "package.json", "package.nls.json", "package.nls.zh-cn.json", "readme.md"];

scenario("the package holds one program of the extension, which listens nowhere", async () => {
  const extensions = path.join(home, "extensions");
  const installed = path.join(
    extensions,
    readdirSync(extensions).find((name) => name.startsWith("agentfs.agentfs-")),
  );

  const files = readdirSync(installed, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(installed, path.join(entry.parentPath, entry.name)))
    .filter((name) => !/^(l10n|media|bundled\/libs)\/|^\.vsixmanifest$/.test(name));
  assert.deepEqual(files.sort(), ["bundled/run_server.py", "dist/LICENSES.txt", "dist/extension.js", ...SHARED].sort());

  const program = readFileSync(path.join(installed, "dist/extension.js"), "utf8");
  assert.doesNotMatch(program, /AGENTFS_\w*(TEST|SOCKET|DRIVER)/);
});
