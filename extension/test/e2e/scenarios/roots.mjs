// A workspace of two folders, in a workbench of its own.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { connect } from "../harness/extension.mjs";
import { until, WorkbenchPage } from "../harness/page.mjs";
import { inOwnWorkbench, makeHome } from "../harness/workbench.mjs";

const opened = "workspace/both.code-workspace";
const folders = ["client", "server"];

/** @param {(workbench: any, ui: WorkbenchPage, files: string[], open: (...folders: string[]) => void) => Promise<void>} body */
function scenario(title, body) {
  test(title, { timeout: 240_000 }, async ({ name }) => {
    const home = await makeHome();
    const files = folders.map((folder) => path.join(home, "workspace", folder, "main.txt"));
    for (const file of files) {
      mkdirSync(path.dirname(file));
      writeFileSync(file, "old\n");
    }
    const open = (...names) =>
      writeFileSync(path.join(home, opened), JSON.stringify({ folders: names.map((path) => ({ path })) }));
    open(...folders);
    await inOwnWorkbench(name, home, { opened }, async (workbench) => {
      // Now and then VS Code opens the workspace without its folders. It reads the file again once that changes, and then
      // starts the extensions anew.
      await until("VS Code shows the folders", async () => {
        if (await workbench.page.locator(".explorer-folders-view .monaco-list-row", { hasText: "client" }).count()) return true;
        open(...folders);
        return false;
      }, { everyMs: 1000 });
      workbench.extension.close();
      workbench.extension = await connect(workbench.sockets.driver);
      await body(workbench, new WorkbenchPage(workbench.page), files, open);
    });
  });
}

/** An agent's request, as soon as folders are open. */
async function ask(workbench, method, params) {
  const send = () => workbench.extension.request(`agentfs/${method}`, { session: "roots", ...params }).answer;
  return until("a folder is open", async () => {
    const answer = await send();
    return answer.error?.code !== "ACCESS_DENIED" && answer;
  });
}

scenario("two workspace folders: paths begin with the folder's name, and each file is its folder's", async (workbench, ui, files) => {
  const nameless = await ask(workbench, "read", { path: "main.txt" });
  assert.equal(nameless.error?.code, "INVALID_PARAM", nameless.text);
  assert.match(nameless.text, /client[^]*server/, "the folders are named");

  const path = "server/main.txt";
  await ask(workbench, "read", { path });
  const edited = ask(workbench, "edit", { path, old_string: "old", new_string: "new" });
  await workbench.extension.openReview();
  await ui.diffWith("new");
  await ui.pressTitle("Accept");
  assert.equal((await edited).data.landing, "disk");
  assert.deepEqual(
    files.map((file) => readFileSync(file, "utf8")),
    ["old\n", "new\n"],
  );
  await ui.tabsAre();

  const input = { path: files[0], old_string: "old", new_string: "new" };
  await workbench.extension.call("tool", { name: "agentfs_read", input: { path: files[0] } });
  const byChat = workbench.extension.call("tool", { name: "agentfs_edit", input });
  await workbench.extension.openReview();
  await ui.diffWith("new");
  await ui.pressTitle("Accept");
  assert.match((await byChat).content[0].value, /Updated 'client\/main\.txt'/, "the chat's absolute path is found");
  assert.equal(readFileSync(files[0], "utf8"), "new\n");
});

scenario("once a second workspace folder is open, what waits is shown with its folder's name", async (workbench, ui, files, open) => {
  open("client");
  const path = "main.txt";
  await until("one is open", async () => (await ask(workbench, "read", { path })).status === "success");
  const edited = ask(workbench, "edit", { path, old_string: "old", new_string: "new" });
  await workbench.extension.openReview();
  await ui.diffWith("new");
  await workbench.extension.call("command", { id: "agentfs.ui.showPending" });
  const row = ui.viewRow("Pending", path);
  assert.doesNotMatch(await row.innerText(), /client/);

  open(...folders);
  await row.filter({ hasText: "client" }).waitFor();
  await ui.pressInView("Pending", /^Accept All/);
  assert.match(await ui.dialogText(), /client\/main\.txt/);
  await ui.answerDialog("Cancel");

  await ui.pressTitle("Accept");
  assert.equal((await edited).data.landing, "disk");
  assert.deepEqual(
    files.map((file) => readFileSync(file, "utf8")),
    ["new\n", "old\n"],
  );
});
