// What is typed into a review when it ends, is decided, or has lost the extension: no question takes the keys, nothing
// lands that came after the press, and nothing that was typed is lost.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

import { agent, batch } from "../harness/agents.mjs";
import { connect } from "../harness/extension.mjs";
import { file } from "../harness/files.mjs";
import { KEY_MS, until } from "../harness/page.mjs";
import { openReview, reviewWith, takeDraft } from "../harness/reviews.mjs";
import { call, caughtUp, home, reloadWindow, state, ui, workbench } from "../harness/run.mjs";
import { interpreter, killServer, servers } from "../harness/server.mjs";
import { set } from "../harness/settings.mjs";
import { scenario } from "../harness/suite.mjs";

const KEPT = "was not applied. It was kept as a draft.";

const keyboard = () => ui.page.keyboard;
const dialogs = () => ui.page.locator(".monaco-dialog-box").count();

/** The document of the proposal for a file. VS Code keeps those of earlier scenarios for a while. */
const proposalFor = async ({ name }) =>
  (await state()).documents.find(({ uri }) => uri.startsWith("agentfs-proposal:") && uri.endsWith(`/${name}`));

const letters = (count) => Array.from({ length: count }, (_, at) => "abcdefghijklmnopqrstuvwxyz"[at % 26]).join("");

/** Types one letter after the other until the review's tab is gone; `end` is called after twenty. */
async function typeUntilGone(name, end) {
  let typed = 0;
  await until("its tab is gone", async () => {
    await keyboard().type(letters(typed + 1).at(-1));
    typed += 1;
    if (typed === 20) end();
    if (typed % 10 !== 0) return false;
    assert.equal(await dialogs(), 0, "a question takes the keys");
    return !(await ui.tabNames()).some((tab) => tab.startsWith(name));
  }, { everyMs: KEY_MS });
  return typed;
}

const behind = file("typing/behind.txt", "behind\n");
const ended = { withdrawn: file("typing/withdrawn.txt", "old\n"), killed: file("typing/killed.txt", "old\n") };

for (const [how, target] of Object.entries(ended)) {
  scenario(`a review ends while the person types in it (${how}): no question, and all that was typed is kept`, async () => {
    await behind.open();
    const asked = await agent(how).readAndEdit(target, "old", "new");
    await reviewWith("new");
    await ui.clickLine("new");

    const typed = await typeUntilGone(target.base, () => (how === "killed" ? killServer() : void asked.cancel()));

    await ui.saysInPassing(KEPT);
    const kept = (await takeDraft(target.base)).slice("new".length).trimEnd();
    assert.equal(letters(typed).slice(0, kept.length), kept, "no key in between is missing");
    assert.ok(kept.length >= 20, `${kept.length} keys`);
    assert.equal((await behind.document()).text, "behind\n", "nor typed elsewhere");
    await asked.answer.catch(() => {});
  });
}

const slow = file("typing/slow.txt", "old\n");

scenario("typing on after Accept while the server is slow: what was accepted lands, and the rest is refused or kept", async () => {
  const asked = await agent("slow").readAndEdit(slow, "old", "new");
  await reviewWith("new");
  await ui.clickLine("new");
  await keyboard().type(" mine");
  await ui.diffWith("new mine");
  const [pid] = servers();
  let text, dirty;
  process.kill(pid, "SIGSTOP");
  try {
    await keyboard().press("Control+Enter");
    for (const key of " typed on") await keyboard().type(key);
    await until("it is read-only", async () => {
      const before = await proposalFor(slow);
      if (before.dirty) return false; // VS Code lets go of what is unsaved first, and each key is a reason to do so again
      await keyboard().type("x");
      await caughtUp();
      ({ text, dirty } = await proposalFor(slow));
      return before.text === text && !dirty;
    });
  } finally {
    process.kill(pid, "SIGCONT");
  }
  assert.equal((await asked.answer).data.review.decision, "amended");
  assert.equal(slow.text(), "new mine\n");
  await ui.tabsAre();
  assert.equal(await dialogs(), 0);
  if (text === "new mine\n") return;
  await ui.saysInPassing("after you accepted it was not applied");
  assert.equal(await takeDraft("slow.txt"), text);
});

for (const before of ["", " mine"]) {
  const several = ["one", "two"].map((name) => file(`typing/several${before.trim()}-${name}.txt`, "old\n"));
  const typedBefore = before === "" ? "" : " before and";

  scenario(`typing on in several files${typedBefore} after Accept while the server is slow: it was kept as a draft`, async () => {
    const ada = agent(`several${before}`);
    for (const one of several) await ada.read(one);
    const operations = several.map(({ name }) => ({ tool: "edit", params: { path: name, old_string: "old", new_string: "new" } }));
    const asked = batch(`several${before}`, operations);
    await openReview();
    await ui.severalWith("new");
    const entry = ui.page.locator(".multiDiffEntry", { hasText: several[0].base });
    const type = async (text, whole) => {
      await entry.locator(".editor.modified .view-line", { hasText: "new" }).click();
      await keyboard().press("End");
      await keyboard().type(text);
      await until("it is typed", async () => (await proposalFor(several[0])).text === whole);
    };
    await type(before, `new${before}\n`);
    const [pid] = servers();
    process.kill(pid, "SIGSTOP");
    try {
      await ui.pressTitle("Accept");
      await until("it no longer counts as unsaved", async () => !(await proposalFor(several[0])).dirty);
      await type(" after", `new${before} after\n`);
    } finally {
      process.kill(pid, "SIGCONT");
    }
    await asked.answer;
    assert.deepEqual(several.map((one) => one.text()), [`new${before}\n`, "new\n"]);
    await ui.saysInPassing("after you accepted it was not applied");
    assert.equal(await takeDraft(several[0].base), `new${before} after\n`);
  });
}

const everyOne = ["first", "second"].map((name) => file(`typing/all-${name}.txt`, "old\n"));

scenario("typing into a review that Accept All accepts, before its turn comes: it does not land", async () => {
  const asked = [];
  for (const one of everyOne) asked.push(await agent(one.base).readAndEdit(one, "old", `new ${one.base}`));
  await until("both wait", async () => (await state()).pending.length === 2);
  await call("command", { id: "agentfs.ui.showPending" });
  await ui.viewRow("Pending", "all-second.txt").click();
  await ui.diffWith("new all-second.txt");
  await ui.clickLine("new all-second.txt");
  const [pid] = servers();
  let text;
  await until("Accept All has not seen the first", async () => {
    await ui.pressInView("Pending", /^Accept All/);
    if ((await ui.dialogText()).includes("Accept All 2")) return true;
    await ui.answerDialog("Cancel");
    return false;
  });
  process.kill(pid, "SIGSTOP");
  try {
    await ui.answerDialog("Accept All 2");
    await until("VS Code has lost the dialog", async () => (await dialogs()) === 0);
    await ui.clickLine("new all-second.txt");
    await keyboard().type(" typed later");
    await caughtUp();
    ({ text } = await proposalFor(everyOne[1]));
  } finally {
    process.kill(pid, "SIGCONT");
  }
  for (const { answer } of asked) assert.equal((await answer).data.review.decision, "accepted");
  assert.deepEqual(everyOne.map((one) => one.text()), everyOne.map(({ base }) => `new ${base}\n`));
  if (text === "new all-second.txt\n") return;
  await ui.saysInPassing("after you accepted it was not applied");
  assert.equal(await takeDraft("all-second.txt"), text);
});

const busy = file("typing/busy.txt", "old\n");

scenario("keys that are pressed after the one that accepts do not land, however busy the extension host is", async () => {
  await reloadWindow(); // VS Code asks the extension host before it runs a command for the first time
  const asked = await until("it answers", () => agent("busy").readAndEdit(busy, "old", "new").catch(() => undefined));
  await reviewWith("new");
  await ui.clickLine("new");
  await keyboard().type(" mine");
  await ui.diffWith("new mine");
  const blocked = call("block", { ms: 1500 });
  await keyboard().press("Control+Enter");
  await keyboard().type(" too late");
  await blocked;

  assert.equal((await asked.answer).data.review.decision, "amended");
  assert.equal(busy.text(), "new mine\n");
  await ui.saysInPassing("after you accepted it was not applied");
  assert.equal(await takeDraft("busy.txt"), "new mine too late\n");
});

const together = file("typing/together.txt", "old\n");

scenario("keys that reach the extension host together with the one that accepts do not land", async () => {
  const asked = await agent("together").readAndEdit(together, "old", "new");
  await reviewWith("new");
  await ui.clickLine("new");
  await keyboard().type(" mine");
  await ui.diffWith("new mine");

  await ui.acceptAndType(" too late");

  assert.equal((await asked.answer).data.review.decision, "amended");
  assert.equal(together.text(), "new mine\n");
  await ui.saysInPassing("after you accepted it was not applied");
  assert.equal(await takeDraft("together.txt"), "new mine too late\n");
});

const deleted = file("typing/deleted.txt");

scenario("where a file is to be deleted nothing can be typed", async () => {
  const created = agent("deleted").write(deleted, "one\n");
  await reviewWith("one");
  await ui.pressTitle("Accept");
  const { data } = await created.answer;
  const undone = workbench.extension.request("agentfs/undo", { session: "deleted", change_id: data.change_id });
  await openReview();
  await until("what is to be deleted is shown", async () => (await ui.diff()).original === "one\n");
  await ui.page.locator(".editor-group-container.active .editor.modified .view-lines").first().click();
  await ui.focused("modified");
  const refused = ui.page.locator(".monaco-editor-overlaymessage", { hasText: "read-only" }).waitFor();
  await keyboard().type("mine");
  await refused;

  await ui.pressTitle("Accept");

  assert.equal((await undone.answer).data.applied, true);
  assert.equal(existsSync(deleted.path), false);
});

const host = file("typing/host.txt", "old\n");

scenario("what is typed while the extension host is dead is in the draft", async () => {
  const asked = await agent("host").readAndEdit(host, "old", "new");
  await reviewWith("new");
  await ui.clickLine("new");
  await keyboard().type(" mine");
  await ui.diffWith("new mine");

  hosts().forEach((pid) => process.kill(pid, "SIGKILL"));
  await keyboard().type(" and more");
  await ui.diffWith("new mine and more");
  workbench.extension.close();
  workbench.extension = await connect(workbench.sockets.driver, 60_000);

  await ui.saysInPassing(KEPT);
  await until("its tab is gone", async () => !(await ui.tabNames()).some((name) => name.startsWith("host.txt")));
  assert.equal(await takeDraft("host.txt"), "new mine and more\n");
  await asked.answer.catch(() => {});
});

const answered = file("typing/answered.txt", "old\n");

scenario("Enter types also after the extension host has died just as the box for a reason was answered", async () => {
  await answered.open();
  const asked = await agent("answered").readAndEdit(answered, "old", "new");
  await reviewWith("new");
  await ui.titleButton("Reject").click();
  const box = ui.page.locator(".quick-input-widget:visible input");
  await box.fill("No.");
  await box.press("Enter");
  await box.waitFor({ state: "detached" });
  hosts().forEach((pid) => process.kill(pid, "SIGKILL"));
  workbench.extension.close();
  workbench.extension = await connect(workbench.sockets.driver, 60_000);
  await asked.answer.catch(() => {});

  await until("no review is left", async () => (await ui.tabNames()).join() === "answered.txt");
  await ui.focusEditor();
  await keyboard().press("Enter");
  await until("it is typed", async () => (await answered.document()).text !== "old\n");
});

/** The extension hosts of this run. */
function hosts() {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const [command, own] = ["cmdline", "environ"].map((name) => readFileSync(path.join("/proc", pid, name), "utf8"));
        return command.includes("--type=extensionHost") && own.includes(home);
      } catch {
        return false; // it has ended meanwhile, or is another user's
      }
    })
    .map(Number);
}

const applied = file("typing/applied.txt", "old\n");

scenario("the server dies between the edit and the save: the person is told what is in the editor, and no draft is kept", async () => {
  const [before] = servers();
  const relay = path.join(import.meta.dirname, "../harness/dies_at_applied.py");
  await set("agentfs.interpreter", interpreter("dying-python", `exec python3 ${relay} python3 "$@"`));
  await until("the server runs behind the relay", () => servers().length > 0 && !servers().includes(before));
  await applied.open();
  const asked = await until("it answers", () => agent("applied").readAndEdit(applied, "old", "new"));
  await reviewWith("new");
  await ui.clickLine("new");
  await keyboard().type(" mine");
  await ui.diffWith("new mine");

  await ui.pressTitle("Accept");

  await asked.answer.catch(() => {});
  await ui.saysInPassing("The change of applied.txt is in the editor, but not saved.");
  await ui.saysInPassing("The agentfs server stopped before it could report whether applied.txt was changed.");
  const { text, dirty } = await applied.document();
  assert.deepEqual([text, dirty], ["new mine\n", true]);
  assert.equal(await ui.isSaid(KEPT), false);
  await call("command", { id: "agentfs.drafts.focus" });
  assert.equal(await ui.viewRow("Drafts", "applied.txt").count(), 0);
});
