// A workspace of two folders, in a workbench of its own.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { connect } from "../harness/extension.mjs";
import { until, WorkbenchPage } from "../harness/page.mjs";
import { inOwnWorkbench, makeHome } from "../harness/workbench.mjs";

const opened = "workspace/both.code-workspace";

test("two workspace folders: paths begin with the folder's name, and each file is its folder's", { timeout: 240_000 }, async ({ name }) => {
  const home = await makeHome();
  const files = ["client", "server"].map((name) => path.join(home, "workspace", name, "main.txt"));
  for (const file of files) {
    mkdirSync(path.dirname(file));
    writeFileSync(file, "old\n");
  }
  const writeWorkspace = () =>
    writeFileSync(path.join(home, opened), JSON.stringify({ folders: [{ path: "client" }, { path: "server" }] }));
  writeWorkspace();
  await inOwnWorkbench(name, home, { opened }, async (workbench) => {
    const ui = new WorkbenchPage(workbench.page);
    const ask = (method, params) =>
      workbench.extension.request(`agentfs/${method}`, { session: "roots", ...params }).answer;
    // Now and then VS Code opens the workspace without its folders. It reads the file again once that changes, and then
    // starts the extensions anew.
    await until("VS Code shows the folders", async () => {
      if (await workbench.page.locator(".explorer-folders-view .monaco-list-row", { hasText: "client" }).count()) return true;
      writeWorkspace();
      return false;
    }, { everyMs: 1000 });
    workbench.extension.close();
    workbench.extension = await connect(workbench.sockets.driver);
    const nameless = await until("the folders are open", async () => {
      const answer = await ask("read", { path: "main.txt" });
      return answer.error?.code !== "ACCESS_DENIED" && answer;
    });
    assert.equal(nameless.error?.code, "INVALID_PARAM", nameless.text);
    assert.match(nameless.text, /client[^]*server/, "the folders are named");

    const path = "server/main.txt";
    await ask("read", { path });
    const edited = ask("edit", { path, old_string: "old", new_string: "new" });
    await workbench.extension.openReview();
    await ui.diffWith("new");
    await ui.titleButton("Accept").click();
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
    await ui.titleButton("Accept").click();
    assert.match((await byChat).content[0].value, /Updated 'client\/main\.txt'/, "the chat's absolute path is found");
    assert.equal(readFileSync(files[0], "utf8"), "new\n");
  });
});
