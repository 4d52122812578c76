// Another extension that activates slowly, in a workbench of its own.

import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { connect } from "../harness/extension.mjs";
import { until } from "../harness/page.mjs";
import { inOwnWorkbench, makeHome, slowExtension } from "../harness/workbench.mjs";

const name = "the server starts only after the command that accepts has run once, whoever holds that up";

test(name, { timeout: 240_000 }, async () => {
  const home = await makeHome();
  const [hold, mark, python] = ["hold", "it-ran", "python3"].map((name) => path.join(home, name));
  writeFileSync(hold, "");
  writeFileSync(python, `#!/bin/sh\ntouch "${mark}"\nexec python3 "$@"\n`);
  chmodSync(python, 0o755);
  mkdirSync(path.join(home, "user/Machine")); // where VS Code keeps settings of the machine that is connected to
  writeFileSync(path.join(home, "user/Machine/settings.json"), JSON.stringify({ "agentfs.interpreter": python }));
  const variables = { AGENTFS_TEST_HOLD: hold };
  await inOwnWorkbench(name, home, { variables, beside: [slowExtension] }, async ({ extension, sockets }) => {
    await until("the command is held up", () => existsSync(`${hold}.begun`));
    const asked = extension.request("agentfs/status", {});
    const plain = await connect(sockets.plain);
    await plain.request("agentfs/status", {}).answer; // a server started in the meantime
    plain.close();
    assert.ok(!existsSync(mark), "the extension's own did not");

    rmSync(hold);

    assert.equal((await asked.answer).status, "success");
    assert.ok(existsSync(mark));
  });
});
