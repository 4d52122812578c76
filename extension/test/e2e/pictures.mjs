// The pictures of the documentation, taken in the real workbench: `make screenshots` writes docs/images/ anew.

import assert from "node:assert/strict";
import { statSync } from "node:fs";
import path from "node:path";

import { agent } from "./harness/agents.mjs";
import { file } from "./harness/files.mjs";
import { until } from "./harness/page.mjs";
import { reviewWith } from "./harness/reviews.mjs";
import { call, state, ui } from "./harness/run.mjs";
import { scenario } from "./harness/suite.mjs";
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

const longer = ["TIMEOUT = 30\nRETRIES = 2", "TIMEOUT = 60\nRETRIES = 5", "Uploads take longer."];

async function picture(name, clip) {
  await call("command", { id: "notifications.hideToasts" });
  const target = path.join(repository, "docs/images", `${name}.png`);
  await ui.page.mouse.move(640, 700);
  for (const passing of [".monaco-hover:visible", ".statusbar-item:has-text('Activating')"])
    await ui.page.locator(passing).first().waitFor({ state: "hidden" });
  await ui.page.screenshot({ path: target, clip, animations: "disabled", caret: "hide" });
  assert.ok(statSync(target).size <= AT_MOST, `${name}.png is too large`);
}

const show = (id) => call("command", { id });

const greeting = file("docs/greeting.md", "Helo\n");

scenario("the pictures", async () => {
  const greeted = await agent("docs").readAndEdit(greeting, "Helo", "Hello", { agent: "Grace" });
  await reviewWith("Hello");
  await ui.titleButton("Accept").click();
  assert.equal((await greeted.answer).data.landing, "disk");
  await ui.tabsAre();
  await show("workbench.action.closeSidebar");
  const [before, now, explanation] = longer;
  const first = await agent("chat").readAndEdit(upload, before, now, { explanation });
  await reviewWith(now.split("\n")[0]);
  await picture("review");

  const others = [
    await agent("settings").readAndEdit(settings, "False", "True", { agent: "Grace", explanation: "To see more." }),
    await agent("notes").readAndEdit(readme, "30 s", "60 s", { explanation: "The limit is 60 s now." }),
  ];
  await until("three are pending", async () => (await state()).pending.length === 3);
  await show("agentfs.ui.showPending");
  await ui.viewRow("Pending", "README.md").waitFor();
  await picture("pending");
  const item = await ui.statusItem("3").first().boundingBox();
  await picture("status", { ...(await ui.page.locator(".part.statusbar").boundingBox()), width: item.x + item.width + 8 });

  await ui.titleButton("Accept").click();
  assert.equal((await first.answer).data.landing, "disk");
  await show("workbench.action.closeSidebar");
  await ui.diffWith("True");
  settings.change("VERBOSE = 2\n");
  await ui.sees(/changed/i);
  await until("it is not marked as one that has only just come", async () => !(await ui.isGuarded()));
  await picture("conflict");
  await Promise.all(others.map((asked) => asked.cancel()));
});
