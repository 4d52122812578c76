// What a person typed into a proposal outlives whatever ends its review, and finds its way to the file.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";

import { agent } from "../harness/agents.mjs";
import { file } from "../harness/files.mjs";
import { until } from "../harness/page.mjs";
import { acceptDuring, openReview } from "../harness/reviews.mjs";
import { call, home, reloadWindow, state, ui } from "../harness/run.mjs";
import { interpreter, killServer, servers } from "../harness/server.mjs";
import { set } from "../harness/settings.mjs";
import { scenario } from "../harness/suite.mjs";

const KEPT = "was not applied. It was kept as a draft.";

/** An agent proposes `new` for `old` in a file, and the person types behind it. */
async function typed(session, target, words = " and mine") {
  const asked = await agent(session).readAndEdit(target, "old", "new");
  await openReview();
  await ui.diffWith("new");
  await ui.clickLine("new");
  await ui.page.keyboard.type(words);
  await ui.diffWith(`new${words}`);
  return asked;
}

/** The drafts that are listed, by their rows. */
const rows = (name) => ui.viewRow("Drafts", name).count();

/** Throws away what a scenario left, as a person does. */
async function discard(name) {
  await call("command", { id: "agentfs.drafts.focus" });
  await ui.pressInRow("Drafts", name, "Discard Draft…");
  await ui.answerDialog("Discard");
  await until("it is gone", async () => (await rows(name)) === 0);
}

const lines = "a\nb\nc\nd\nold\ne\nf\ng\nh\n";
const moved = file("drafts/moved.txt", lines);

scenario("a conflict: what was typed is kept, and brought to the file as it is now", async () => {
  const asked = await typed("moved", moved);
  await acceptDuring(() => moved.change(`by a build\n${lines}`));
  assert.equal((await asked.answer).error.code, "CONFLICT");
  await ui.saysInPassing("moved.txt was not changed.");

  await ui.pressInMessage(KEPT, "Show Draft");
  const diff = await ui.requestedDiff("your draft", "by a build");
  assert.match(diff.original, /new and mine/);
  await ui.titleButton("Apply Draft to the File").click();

  const text = `by a build\n${lines.replace("old", "new and mine")}`;
  await until("it is in the editor", async () => (await moved.document())?.text === text);
  assert.equal((await moved.document()).dirty, true, "unsaved: it is the person's own");
  assert.equal(moved.text(), `by a build\n${lines}`);
  await until("the draft is used", async () => (await rows("moved.txt")) === 0);
});

const refused = file("drafts/refused.txt", lines);

scenario("VS Code refuses the edit that brings a draft to its file: the person is told, and the draft is kept", async () => {
  const asked = await typed("refused", refused);
  await asked.cancel();
  await ui.pressInMessage(KEPT, "Show Draft");
  await ui.requestedDiff("your draft", "old");

  assert.equal(await call("typeAndRun", { path: refused.path, text: "more\n", id: "agentfs.ui.applyDraft" }), true);

  await ui.saysInPassing("VS Code refused the edit, and refused.txt was not changed.");
  assert.equal((await refused.document()).text, `${lines}more\n`);
  await call("command", { id: "agentfs.drafts.focus" });
  await ui.viewRow("Drafts", "refused.txt").waitFor();
  await ui.titleButton("Apply Draft to the File").click();
  const text = `${lines.replace("old", "new and mine")}more\n`;
  await until("it is in the editor", async () => (await refused.document())?.text === text);
});

const locked = file("drafts/locked.md", lines);

scenario("a draft of a file that is read-only in the editor, and opens rendered, is not lost to it", async () => {
  await set("workbench.editorAssociations", { "*.md": "vscode.markdown.preview.editor" });
  const asked = await typed("locked", locked);
  await asked.cancel();
  await ui.saysInPassing(KEPT);
  await set("files.readonlyInclude", { "**/locked.md": true });
  await call("command", { id: "agentfs.drafts.focus" });
  await ui.viewRow("Drafts", "locked.md").click();
  await ui.diffWith("old");
  await ui.titleButton("Apply Draft to the File").click();
  await ui.saysInPassing("locked.md was not changed because it is read-only in the editor. Your draft was kept.");
  assert.equal((await locked.document()).text, lines);

  await set("files.readonlyInclude", {});
  await ui.titleButton("Apply Draft to the File").click();
  const text = lines.replace("old", "new and mine");
  await until("it is in the editor", async () => (await locked.document())?.text === text);
  await call("command", { id: "workbench.action.files.save" });
  await until("it is saved", () => locked.text() === text);
});

const folder = file("drafts/folder.txt", lines);

scenario("the file of a draft is a folder by now: the person is told, and the draft is kept", async () => {
  const asked = await typed("folder", folder);
  await asked.cancel();
  await ui.saysInPassing(KEPT);
  rmSync(folder.path);
  mkdirSync(folder.path);
  await call("command", { id: "agentfs.drafts.focus" });
  await ui.viewRow("Drafts", "folder.txt").click();

  await ui.titleButton("Apply Draft to the File").click();

  await ui.saysInPassing("folder.txt was not changed because VS Code cannot open it as text. Your draft was kept.");
  await discard("folder.txt");
});

const gone = file("drafts/gone.txt", lines);

scenario("the file of a draft is gone by now: all of the draft is in a new one, unsaved", async () => {
  const asked = await typed("gone", gone);
  await asked.cancel();
  await ui.saysInPassing(KEPT);
  rmSync(gone.path);
  await call("command", { id: "agentfs.drafts.focus" });
  await ui.viewRow("Drafts", "gone.txt").click();
  await until("the draft is shown", async () => (await ui.diff()).original.includes("new and mine"));

  await ui.titleButton("Apply Draft to the File").click();

  const uri = `untitled:${gone.path}`;
  const text = lines.replace("old", "new and mine");
  await until("it is in the editor", async () => (await state()).documents.find((one) => one.uri === uri)?.text === text);
  await until("the draft is used", async () => (await rows("gone.txt")) === 0);
  await ui.closeActiveTab();
  await until("the question names the file", async () => /gone\.txt/.test(await ui.dialogText()));
  await ui.answerDialog("Don't Save");
});

const windows = file("drafts/windows.txt", lines.replaceAll("\n", "\r\n"));

scenario("two drafts of one file with CRLF line ends are brought there one after the other, and keep them", async () => {
  for (const [at, words] of [" one", " two"].entries()) {
    const from = at === 0 ? "old" : "h";
    const asked = await agent(`windows ${at}`).readAndEdit(windows, `${from}\n`, `${from} new\n`);
    await openReview();
    await ui.diffWith(`${from} new`);
    await ui.clickLine(`${from} new`);
    await ui.page.keyboard.type(words);
    await ui.diffWith(`${from} new${words}`);
    await asked.cancel();
    await ui.saysInPassing(KEPT);
  }
  for (const words of ["h new two", "old new one"]) {
    await call("command", { id: "agentfs.drafts.focus" });
    await ui.viewRow("Drafts", "windows.txt").first().click();
    await until(words, async () => (await ui.diff()).original.includes(words));
    await ui.titleButton("Apply Draft to the File").click();
    await until("it is in the editor", async () => (await windows.document())?.text.includes(words));
  }
  const text = lines.replace("old", "old new one").replace("\nh\n", "\nh new two\n");
  assert.equal((await windows.document()).text, text.replaceAll("\n", "\r\n"));
});

const HIDDEN = {
  "behind the end of what is drawn of a line": [`check();${" x".repeat(5600)} steal();`, "may be longer than what the editor shows of a line"],
  "by characters that reorder it": ["check(); /* \u202e } \u2066 steal(); */", "have invisible characters, or some that reorder text"],
};

for (const [how, [line, said]] of Object.entries(HIDDEN)) {
  const hidden = file(`drafts/hidden${how.length}.txt`, "check();\n");
  scenario(`an agent's text that is hidden ${how} is in a draft, too, applied only after it was shown`, async () => {
    const asked = await agent(how).readAndEdit(hidden, "check();", `harmless\n${line}`);
    await openReview();
    await ui.diffWith("harmless");
    await ui.clickLine("harmless");
    await ui.page.keyboard.type(" mine");
    await ui.diffWith("harmless mine");
    await asked.cancel();
    await ui.pressInMessage(KEPT, "Show Draft");
    await ui.requestedTab("your draft");
    await until("it is shown", async () => (await ui.diff()).original.includes("harmless mine"));

    await ui.titleButton("Apply Draft to the File").click();

    await ui.saysInPassing(said);
    await ui.plainWith("steal();");
    assert.equal((await hidden.document()).text, "check();\n", "nothing is applied");
    await ui.page.frameLocator("iframe.webview.ready").frameLocator("#active-frame").locator("h1").click();
    await until("it is applied after a moment, also from there", async () => {
      if ((await hidden.document()).text === `harmless mine\n${line}\n`) return true;
      await ui.titleButton("Apply Draft to the File").click({ timeout: 500 }); // it may be gone by now
      return false;
    }, { everyMs: 1000 });
    await ui.noTab("All Changes");
  });
}

const withdrawn = file("drafts/withdrawn.txt", "old\n");

scenario("a withdrawal: what was typed is listed until it is thrown away", async () => {
  const asked = await typed("withdrawn", withdrawn);

  await asked.cancel();

  await ui.saysInPassing(KEPT);
  await call("command", { id: "agentfs.drafts.focus" });
  await ui.viewRow("Drafts", "withdrawn.txt").click();
  assert.match((await ui.diffWith("old")).original, /new and mine/);
  await discard("withdrawn.txt");
});

const reloaded = file("drafts/reloaded.txt", "old\n");

scenario("a reload of the window: what was typed is there afterwards", async () => {
  await typed("reloaded", reloaded);

  await reloadWindow();

  await ui.pressInMessage(KEPT, "Show Draft");
  assert.match((await ui.requestedDiff("your draft", "old")).original, /new and mine/);
  await discard("reloaded.txt");
});

const told = file("drafts/told.txt", Buffer.from("caf\xe9 one\nold\n", "latin1"));

/** The files of the drafts that are stored. */
const stored = () => readdirSync(path.join(home, "user/User/globalStorage/agentfs.agentfs/drafts"));

scenario("a reload before the window hears that a change landed: no draft is left of it, whatever the file's encoding", async () => {
  await set("files.encoding", "iso88591");
  const [before] = servers();
  const relay = path.join(import.meta.dirname, "../harness/late_settled.py");
  await set("agentfs.interpreter", interpreter("late-drafts", `exec python3 ${relay} python3 "$@"`));
  await until("the server runs behind the relay", () => servers().length > 0 && !servers().includes(before));
  const asked = await until("it answers", () => agent("told").readAndEdit(told, "old", "new"));
  await openReview();
  await ui.diffWith("new");
  await ui.clickLine("new");
  await ui.page.keyboard.type(" and mine");
  await ui.diffWith("new and mine");
  await until("what was typed is stored", () => stored().length === 1);
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.review.decision, "amended");
  assert.deepEqual(told.bytes(), Buffer.from("caf\xe9 one\nnew and mine\n", "latin1"));

  await reloadWindow();

  await until("the draft is gone", () => stored().length === 0);
  await call("command", { id: "agentfs.drafts.focus" });
  assert.equal(await rows("told.txt"), 0);
});

const back = file("drafts/back.txt", "old\n");

scenario("what was typed and taken back just before Accept leaves no draft", async () => {
  const asked = await typed("back", back, "x");
  await until("what was typed is stored", () => stored().length === 1);
  await ui.page.keyboard.press("Backspace");
  await ui.page.keyboard.press("Control+Enter");
  assert.equal((await asked.answer).data.review.decision, "accepted");
  await until("the draft is gone", () => stored().length === 0);
});

const killed = file("drafts/killed.txt", "old\n");

scenario("a crash of the server: what was typed is kept", async () => {
  const asked = await typed("killed", killed);

  const before = killServer();

  await asked.answer.catch(() => {});
  await ui.pressInMessage(KEPT, "Show Draft");
  assert.match((await ui.requestedDiff("your draft", "old")).original, /new and mine/);
  await discard("killed.txt");
  await until("another server runs", () => servers().some((pid) => pid !== before));
});

const dying = file("drafts/dying.txt", "old\n");

scenario("a crash of the server during Accept: the person is told, and what was typed is kept", async () => {
  const asked = await typed("dying", dying);
  const [before] = servers();
  process.kill(before, "SIGSTOP");

  await ui.pressTitle("Accept");
  await call("command", { id: "agentfs.ui.showPending" });
  await until("it is on its way", async () =>
    (await ui.viewRow("Pending", "dying.txt").innerHTML()).includes("codicon-loading"),
  );
  killServer();

  await asked.answer.catch(() => {});
  await ui.saysInPassing(KEPT);
  await ui.saysInPassing("The agentfs server stopped before it could report whether dying.txt was changed.");
  assert.equal(dying.text(), "old\n");
  await discard("dying.txt");
  await until("another server runs", () => servers().some((pid) => pid !== before));
});

const closing = file("drafts/closing.txt", "old\n");

scenario("closing the tab of a draft asks about the draft, and what was typed is kept whatever the answer", async () => {
  const asked = await typed("closing", closing);

  await ui.closeActiveTab();

  assert.match(await ui.dialogText(), /closing\.txt \(proposed\)/);
  await ui.answerDialog("Save");
  await ui.tabsAre();
  await openReview();
  await ui.diffWith("new and mine");
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.review.decision, "amended");
  assert.equal(closing.text(), "new and mine\n");
});

const decided = file("drafts/decided.txt", "old\n");

scenario("what landed, and what the person rejected, leaves no draft", async () => {
  const first = await typed("decided", decided);
  await ui.pressTitle("Accept");
  assert.equal((await first.answer).data.review.decision, "amended");
  const second = agent("decided").edit(decided, "new", "newer");
  await openReview();
  await ui.diffWith("newer");
  await ui.clickLine("newer");
  await ui.page.keyboard.type(" still");
  await ui.titleButton("Reject").click();
  await ui.answer("");
  assert.equal((await second.answer).error.code, "USER_REJECTED");

  await until("no review is left", async () => (await state()).pending.length === 0);
  assert.equal(await rows("decided.txt"), 0);
});

const meanwhile = file("drafts/meanwhile.txt", "old\n");

scenario("what the person types into a review while the reason of its rejection is asked for is kept", async () => {
  const asked = await typed("meanwhile", meanwhile, " before");
  await ui.titleButton("Reject").click();
  await ui.page.locator(".quick-input-widget:visible input").waitFor();
  await ui.clickLine("new before");
  await ui.page.keyboard.type(" and during");
  await ui.diffWith("new before and during");
  await ui.answer("Not so.");
  assert.equal((await asked.answer).error.code, "USER_REJECTED");

  await ui.pressInMessage(KEPT, "Show Draft");
  assert.match((await ui.requestedDiff("your draft", "old")).original, /new before and during/);
  await discard("meanwhile.txt");
});

const escaped = file("drafts/escaped.txt", "old\n");

scenario("what the person typed is kept when the agent is to do its change again, also if they had nearly rejected it", async () => {
  const asked = await typed("escaped", escaped);
  await ui.titleButton("Reject").click();
  await ui.escapeQuestion();
  escaped.change("other\n");
  await ui.pressTitle("Ask the Agent to Redo");
  assert.equal((await asked.answer).error.code, "USER_REJECTED");

  await ui.pressInMessage(KEPT, "Show Draft");
  assert.match((await ui.requestedDiff("your draft", "other")).original, /new and mine/);
  await discard("escaped.txt");
});

const dropped = file("drafts/dropped.txt", "old\n");
const decides = file("drafts/decides.txt", "old\n");

scenario("after the last draft was discarded, and its view is gone, keys decide in a review", async () => {
  const asked = await agent("dropped").readAndEdit(dropped, "old", "new");
  await openReview();
  await ui.diffWith("new");
  await ui.clickLine("new");
  await ui.page.keyboard.type(" mine");
  await ui.diffWith("new mine");
  await asked.cancel();
  await ui.pressInMessage(KEPT, "Show Draft");
  await ui.requestedDiff("your draft", "old");
  await discard("dropped.txt");
  const next = await agent("decides").readAndEdit(decides, "old", "new");
  await openReview();
  await ui.diffWith("new");
  await ui.clickLine("new");
  await ui.page.keyboard.press("Control+Enter");
  assert.equal((await next.answer).data.review.decision, "accepted");
});
