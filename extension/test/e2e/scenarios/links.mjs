// Words of agents and names of files that try to become links: VS Code makes one of `[label](command:id)` in
// notifications and input boxes, of bare URLs in hovers, and icons of `$(name)` in the status bar.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";

import { agent } from "../harness/agents.mjs";
import { file } from "../harness/files.mjs";
import { until } from "../harness/page.mjs";
import { acceptDuring, reviewWith, takeDraft } from "../harness/reviews.mjs";
import { call, state, ui, workbench } from "../harness/run.mjs";
import { set } from "../harness/settings.mjs";
import { scenario } from "../harness/suite.mjs";
import { installation } from "../harness/workbench.mjs";

const COMMAND = 'command:workbench.action.terminal.sendSequence?%7B%22text%22%3A%22touch%20clicked%5Cn%22%7D';
const LINK = `[Details](${COMMAND})`;
const NAME = `${LINK}.md`;
const SHORT = "[Details](command:notifications.clearAll)"; // names have a limit
const who = {
  agent: `Ada ${SHORT} $(flame) http://example.com`,
  explanation: `Because ${LINK} $(flame), see https://example.com/a and www.example.com, a@example.com, file:///etc/passwd, [x](file:///etc/passwd).`,
};

/** Where VS Code shows what an extension says. */
const SAID = [".notifications-toasts", ".part.sidebar", ".monaco-hover", ".quick-input-widget", ".monaco-dialog-box", ".part.statusbar"];

async function nothingIsALink() {
  for (const place of SAID) {
    const found = await ui.page
      .locator(`${place} :is(a[href], [data-href], [role="link"], .codicon-flame)`)
      .evaluateAll((all) => all.map((one) => one.outerHTML));
    assert.deepEqual(found, [], place);
  }
}

/** Waits for a hover over `target` that says `text`. */
async function hoverSays(target, text) {
  const hover = ui.page.locator(".monaco-hover:visible", { hasText: text });
  await until(`a hover with ${text}`, async () => {
    await target.hover();
    return hover.first().isVisible();
  });
  await nothingIsALink();
  await ui.page.mouse.move(640, 790);
  await ui.page.keyboard.press("Escape");
}

const proposed = (session, folder) =>
  agent(`${session} ${SHORT}`).readAndEdit(named[folder], "old", `new\n\n${LINK}`, who);
const named = Object.fromEntries(
  ["conflict", "rejected", "withdrawn", "landed"].map((folder) => [folder, file(`links/${folder}/${NAME}`, "old\n")]),
);

scenario("VS Code's expression for links is the one that the unit tests use", async () => {
  const program = path.join((await installation()).root, "node_modules/code-server/lib/vscode/out/vs/code/browser/workbench/workbench.js");
  const own = readFileSync(path.join(import.meta.dirname, "../../unit/display.test.ts"), "utf8");
  const [, expression] = /^const LINK = (.+)i;$/m.exec(own);
  assert.ok(readFileSync(program, "utf8").includes(`${expression}gi`));
});

scenario("the offer of a review, and a conflict's notification, have no link from an agent's or a file's name", async () => {
  const asked = await proposed("conflict", "conflict");
  await until("it is offered", () => ui.isSaid("proposes to change"));
  await nothingIsALink();
  await reviewWith("new");
  await acceptDuring(() => named.conflict.change("other\n"));

  assert.equal((await asked.answer).error.code, "CONFLICT");
  await until("it is said", () => ui.isSaid("was not changed"));
  await nothingIsALink();
  await ui.saysInPassing("was not changed");
});

scenario("rows, their tooltips, the note beside a diff and the question for a reason have none", async () => {
  await proposed("rejected", "rejected");
  await reviewWith("new");
  await call("command", { id: "agentfs.ui.showPending" });
  await hoverSays(ui.viewRow("Pending", "Details"), "Because");
  await ui.clickLine("new");
  await call("command", { id: "editor.action.showHover" });
  await ui.page.locator(".monaco-hover:visible", { hasText: "proposes to change" }).first().waitFor();
  await nothingIsALink();
  await ui.page.keyboard.press("Escape");

  void call("command", { id: "workbench.action.showAllEditors" }); // it ends when the list closes
  await ui.page.locator(".quick-input-list .monaco-list-row", { hasText: "Details" }).waitFor();
  await nothingIsALink();
  await ui.page.keyboard.press("Escape");

  await ui.titleButton("Reject").click();
  await ui.page.locator(".quick-input-widget:visible input").waitFor();
  await nothingIsALink();
  await ui.answer("No.");
});

const icon = [1, 2].map((number) => file(`links/$(flame) ${number}.txt`, "old\n"));

/** Opens the list of all editors, which has `text`. */
async function editorsListed(text) {
  void call("command", { id: "workbench.action.showAllEditors" }); // it ends when the list closes
  await ui.listRow(text).first().waitFor();
  await nothingIsALink();
  await ui.escapeQuestion();
}

scenario("the list of open editors makes no icon of a name in the title of a landed change or a draft", async () => {
  const landed = await agent("icon-1").readAndEdit(icon[0], "old", "new");
  await reviewWith("new");
  await ui.pressTitle("Accept");
  assert.equal((await landed.answer).data.applied, true);
  await call("command", { id: "agentfs.ui.showPending" });
  await ui.viewRow("Landed", "1.txt").last().click();
  await ui.requestedDiff("(landed)", "new");
  await editorsListed("(landed)");

  const withdrawn = await agent("icon-2").readAndEdit(icon[1], "old", "new");
  await reviewWith("new");
  await ui.clickLine("new");
  await ui.page.keyboard.type(" mine");
  await ui.diffWith("new mine");
  await withdrawn.cancel();
  await ui.pressInMessage("It was kept as a draft.", "Show Draft");
  await ui.requestedDiff("your draft", "old");
  await editorsListed("your draft");
  await call("close", { path: "all" });
  await takeDraft("2.txt");
  await call("close", { path: "all" });
});

const GAP = "\u2003".repeat(60);
const pushed = file(`links/notes.md${GAP}.sh`);

scenario("a name with a gap shows its end: in the row, on the tab, and above the review", async () => {
  const asked = agent("gap").write(pushed, "echo gap\n");
  await until("it waits", async () => (await state()).pending.length === 1);
  await reviewWith("echo gap");
  await ui.tabsAre("notes.md\\u{2003}×60.sh (Ada)");
  await call("command", { id: "agentfs.ui.showPending" });
  await ui.viewRow("Pending", "notes.md\\u{2003}×60.sh").waitFor();
  await ui.page.locator(".breadcrumbs-control", { hasText: "notes.md\\u{2003}×60.sh" }).first().waitFor();
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.applied, true);
  assert.equal(pushed.text(), "echo gap\n");
  await ui.tabsAre();
});

const secret = file(`links/asked/${NAME}`, "old\n");

scenario("a question whether an agent may read a file, its row and its dialog have none", async () => {
  await set("agentfs.rules", [{ files: ["links/asked/**"], read: "ask" }]);
  const read = workbench.extension.request("agentfs/read", { session: "asked", agent: who.agent, path: secret.name }).answer;
  await until("it is asked", () => ui.isSaid("asks to read"));
  await nothingIsALink();
  await call("command", { id: "agentfs.ui.showPending" });
  await hoverSays(ui.viewRow("Pending", "asks to read"), "asks to read");
  await ui.viewRow("Pending", "asks to read").click();
  await ui.page.locator(".monaco-dialog-box").waitFor();
  await nothingIsALink();
  await ui.answerDialog("Deny");
  assert.equal((await read).error.code, "USER_REJECTED");
  await call("command", { id: "notifications.clearAll" });
});

scenario("a change taken back is mentioned in the status bar without icons of the agent's", async () => {
  const asked = await proposed("withdrawn", "withdrawn");
  await reviewWith("new");
  await asked.cancel();
  await ui.page.locator(".statusbar-item", { hasText: "withdrew the change of" }).waitFor();
  await nothingIsALink();
});

scenario("the session's name in the status bar's tooltip, a row of what landed, and a failed undo have none", async () => {
  const asked = await proposed("landed", "landed");
  await reviewWith("new");
  await call("command", { id: "agentfs.ui.acceptAlways" });
  assert.equal((await asked.answer).data.landing, "disk");
  await hoverSays(ui.statusItem("auto"), "Details");
  await ui.statusItem("auto").click();
  named.landed.change("new, by hand\n");

  await call("command", { id: "agentfs.ui.showPending" });
  await hoverSays(ui.viewRow("Landed", /Details.*change ·/s), "Session");
  await hoverSays(ui.viewRow("Landed", /Details.*\.md/s), "Because");
  await call("command", { id: "notifications.clearAll" }); // the offer of the review names it too
  await ui.pressInRow("Landed", /Details.*\.md/s, "Undo Change…");
  await until("it is said", () => ui.isSaid("Details"));
  await nothingIsALink();
  await ui.saysInPassing("Details");
  assert.deepEqual((await state()).pending, []);
});
