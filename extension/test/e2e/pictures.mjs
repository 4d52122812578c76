// The pictures of the documentation, taken in the real workbench: `make screenshots` writes docs/images/ anew.

import assert from "node:assert/strict";
import { statSync } from "node:fs";
import path from "node:path";

import { until } from "./harness/page.mjs";
import { agent, call, file, scenario, state, ui } from "./harness/suite.mjs";
import { repository } from "./harness/workbench.mjs";

const AT_MOST = 200 * 1024;

const upload = file(
  "src/upload.py",
  `"""Sends files to the archive."""

import time

TIMEOUT = 30
RETRIES = 2


def upload(client, name, data):
    for attempt in range(RETRIES):
        answer = client.put(name, data, timeout=TIMEOUT)
        if answer.ok:
            return answer
        time.sleep(1)
    raise OSError(f"{name} was not taken")
`,
);
const readme = file("README.md", "# Archive\n\nUploads give up after 30 s.\n");
const settings = file("src/settings.py", "VERBOSE = False\n");

const longer = [
  ["TIMEOUT = 30\nRETRIES = 2", "TIMEOUT = 60\nRETRIES = 5", "Large uploads take longer than 30 s; two tries were not enough."],
  ["        time.sleep(1)", "        time.sleep(2**attempt)", "Wait longer after each try."],
];

async function picture(name, clip) {
  const target = path.join(repository, "docs/images", `${name}.png`);
  await ui.page.mouse.move(640, 700);
  await ui.page.locator(".monaco-hover:visible, .workbench-hover:visible").first().waitFor({ state: "hidden" });
  await ui.page.screenshot({ path: target, clip, animations: "disabled", caret: "hide" });
  assert.ok(statSync(target).size <= AT_MOST, `${name}.png is too large`);
}

scenario("a review", async () => {
  await call("command", { id: "workbench.action.closeSidebar" });
  await agent("chat").readAndEdit(upload, longer[0][0], longer[0][1], { explanation: longer[0][2] });
  await ui.diffWith("RETRIES = 5");
  await picture("review");
});

scenario("the view of what is pending, and the status bar", async () => {
  await agent("chat").readAndEdit(upload, longer[0][0], longer[0][1], { explanation: longer[0][2] });
  await agent("notes").readAndEdit(readme, "30 s", "60 s", { explanation: "The limit is 60 s now." });
  await agent("settings").readAndEdit(settings, "False", "True", { agent: "Grace", explanation: "To see what happens." });
  await until("three are pending", async () => (await state()).pending.length === 3);
  await ui.diffWith("RETRIES = 5");
  await call("command", { id: "agentfs.ui.showPending" });
  await ui.viewRow("Pending", "settings.py").waitFor();
  await picture("pending");
  const bar = await ui.page.locator(".part.statusbar").boundingBox();
  await picture("status", { ...bar, width: 640 });
});

scenario("a file that changed while it was reviewed", async () => {
  await call("command", { id: "workbench.action.closeSidebar" });
  await agent("conflict").readAndEdit(readme, "30 s", "60 s", { explanation: "The limit is 60 s now." });
  await ui.diffWith("60 s");
  readme.change("# Archive\n\nUploads give up after 45 s.\n");
  await ui.sees(/changed/i);
  await picture("conflict");
});
