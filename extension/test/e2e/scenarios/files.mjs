// What kind of file it is and how it is open: the bytes that land, and what the page says of it.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";

import { agent } from "../harness/agents.mjs";
import { file } from "../harness/files.mjs";
import { until } from "../harness/page.mjs";
import { reviewWith, takeDraft } from "../harness/reviews.mjs";
import { state, ui } from "../harness/run.mjs";
import { set } from "../harness/settings.mjs";
import { scenario } from "../harness/suite.mjs";

const gbk = {
  before: Buffer.from([0xc4, 0xe3, 0xba, 0xc3, 0x0d, 0x0a, 0x72, 0x65, 0x6d, 0x20, 0x31, 0x0d, 0x0a]), // 你好, rem 1
  after: Buffer.from([0xc4, 0xe3, 0xba, 0xc3, 0x0d, 0x0a, 0x72, 0x65, 0x6d, 0x20, 0xca, 0xc0, 0x0d, 0x0a]), // rem 世
};

async function accept(asked, shown) {
  const diff = await reviewWith(shown);
  await ui.pressTitle("Accept");
  const answer = await asked.answer;
  assert.equal(answer.data.review?.decision, "accepted", answer.text);
  return { diff, answer };
}

const created = file("files/new folder/deeper/made.txt");

scenario("create in a new folder: nothing on the left, no folder before the yes", async () => {
  const asked = agent("create").write(created, "first\nsecond\n");
  await reviewWith("first");
  assert.equal(existsSync(path.dirname(created.path)), false);

  const { diff, answer } = await accept(asked, "second");

  assert.equal(diff.original.trim(), "");
  assert.equal(answer.status, "success");
  assert.equal(answer.data.operation, "create");
  assert.equal(answer.data.landing, "disk");
  assert.equal(created.text(), "first\nsecond\n");
  await ui.noTab("made.txt");
});

const refused = file("files/unwanted/never.txt");

scenario("create and reject: not even the folder comes to be", async () => {
  const asked = agent("create-no").write(refused, "first\n");
  await reviewWith("first");
  await ui.titleButton("Reject").click();
  await ui.answer("");
  assert.equal((await asked.answer).error.code, "USER_REJECTED");
  assert.equal(existsSync(path.dirname(refused.path)), false);
  await ui.noTab("never.txt");
});

const clean = file("files/clean.txt", "one\ntwo\n");

scenario("open, clean: the document takes the change and is saved", async () => {
  await clean.open();
  const { answer } = await accept(await agent("clean").readAndEdit(clean, "two", "2"), "2");

  assert.equal(answer.status, "success");
  assert.equal(answer.data.landing, "disk");
  assert.equal(clean.text(), "one\n2\n");
  const document = await clean.document();
  assert.deepEqual([document.text, document.dirty], ["one\n2\n", false]);
  await ui.tabsAre("clean.txt");
});

const dirty = file("files/dirty.txt", "one\ntwo\n");

scenario("open, unsaved changes: the diff says whose changes are whose; nothing of the user's is saved", async () => {
  await dirty.open();
  await dirty.type("typed by me\n");
  const asked = await agent("dirty").readAndEdit(dirty, "two", "2");
  const shown = await reviewWith("2");
  assert.match(shown.original, /typed by me/, "the left side is the text that was proposed for");
  await ui.sees(/unsaved/i);

  const { answer } = await accept(asked, "2");

  assert.equal(answer.status, "partial");
  assert.equal(answer.data.applied, false);
  assert.equal(answer.data.landing, "editor");
  assert.equal(dirty.text(), "one\ntwo\n", "the disk is the user's to change");
  const document = await dirty.document();
  assert.deepEqual([document.text, document.dirty], ["typed by me\none\n2\n", true]);
  await ui.saysInPassing("is in the editor, but not saved.");
});

const closed = file("files/closed.txt", "one\ntwo\n");

scenario("closed: the server writes it, and it stays closed", async () => {
  const { answer } = await accept(await agent("closed").readAndEdit(closed, "two", "2"), "2");

  assert.equal(answer.data.landing, "disk");
  assert.equal(closed.text(), "one\n2\n");
  assert.equal(await closed.document(), undefined);
  await ui.tabsAre();
});

const closedCrlf = file("files/closed-crlf.txt", "one\r\ntwo\r\nthree\r\n");

scenario("CRLF, closed: every line end stays", async () => {
  const { answer } = await accept(await agent("crlf").readAndEdit(closedCrlf, "two", "2\nand a half"), "and a half");
  assert.equal(answer.data.landing, "disk");
  assert.equal(closedCrlf.text(), "one\r\n2\r\nand a half\r\nthree\r\n");
  await ui.noTab("closed-crlf.txt");
});

const openCrlf = file("files/open-crlf.txt", "one\r\ntwo\r\nthree\r\n");

scenario("CRLF, open: every line end stays", async () => {
  await openCrlf.open();
  const { answer } = await accept(await agent("crlf-open").readAndEdit(openCrlf, "two", "2\nand a half"), "and a half");
  assert.equal(answer.data.landing, "disk");
  assert.equal(openCrlf.text(), "one\r\n2\r\nand a half\r\nthree\r\n");
  assert.equal((await openCrlf.document()).dirty, false);
  await ui.tabsAre("open-crlf.txt");
});

/** As somebody sets it who has old batch files; until the server goes by it. */
async function useGbk(file) {
  await set("[bat]", { "files.encoding": "gbk" });
  await set("agentfs.encoding.default", "gbk");
  await until("the server reads it as GBK", async () => (await agent("look").read(file)).stats.encoding === "gbk");
}

const closedGbk = file("files/closed-gbk.bat", gbk.before);

scenario("GBK, closed: shown as text, written in its own encoding", async () => {
  await useGbk(closedGbk);
  const asked = await agent("gbk").readAndEdit(closedGbk, "rem 1", "rem 世");
  const { diff, answer } = await accept(asked, "rem 世");
  assert.match(diff.original, /你好/);
  assert.equal(answer.data.landing, "disk");
  assert.deepEqual(closedGbk.bytes(), gbk.after);
  await ui.noTab("closed-gbk.bat");
});

const openGbk = file("files/open-gbk.bat", gbk.before);

scenario("GBK, open: the editor saves it in its own encoding", async () => {
  await useGbk(openGbk);
  await openGbk.open();
  const asked = await agent("gbk-open").readAndEdit(openGbk, "rem 1", "rem 世");
  const { diff, answer } = await accept(asked, "rem 世");
  assert.match(diff.original, /你好/);
  assert.equal(answer.data.landing, "disk");
  assert.deepEqual(openGbk.bytes(), gbk.after);
  assert.equal((await openGbk.document()).dirty, false);
  await ui.tabsAre("open-gbk.bat");
});

const mixed = file("files/mixed.txt", "one\r\ntwo\nthree\r\nfour");

scenario("mixed line ends and no final newline, closed: every other byte stays", async () => {
  const { answer } = await accept(await agent("mixed").readAndEdit(mixed, "two", "2"), "2");
  assert.equal(answer.data.landing, "disk");
  assert.equal(mixed.text(), "one\r\n2\nthree\r\nfour");
  await until("nothing is pending", async () => (await state()).pending.length === 0);
});

file("files/latin/.editorconfig", "[*]\ncharset = latin1\n");
const pound = file("files/latin/pound.txt", Buffer.from("price 1 \xa3\n", "latin1"));

scenario("amended to what the file's encoding can't hold: nothing is decided, and the draft stays to be mended", async () => {
  await clean.open();
  const asked = await agent("pound").readAndEdit(pound, "price 1", "price 2");
  await reviewWith("price 2");
  await ui.clickLine("price 2");
  await ui.page.keyboard.type(" \u20ac");
  await ui.diffWith("price 2 \u00a3 \u20ac");
  await ui.pressTitle("Accept");
  await ui.pressInMessage("pound.txt was not changed.", "Review");
  await ui.diffWith("price 2 \u00a3 \u20ac");
  assert.equal((await state()).pending.length, 1, "the proposal still waits");

  await ui.clickLine("price 2");
  await ui.page.keyboard.press("Backspace");
  await until("the character is gone", async () => !(await ui.diff()).modified.includes("\u20ac"));
  await ui.pressTitle("Accept");

  const answer = await asked.answer;
  assert.equal(answer.data.review.decision, "amended", answer.text);
  assert.deepEqual(pound.bytes(), Buffer.from("price 2 \xa3 \n", "latin1"));
  await ui.tabsAre("clean.txt");
});

const unwritten = file("files/latin/unwritten.txt", Buffer.from("price 1 \xa3\n", "latin1"));

scenario("a draft that could not be written takes keys again", async () => {
  await clean.open();
  const asked = await agent("unwritten").readAndEdit(unwritten, "price 1", "price 2");
  await reviewWith("price 2");
  await ui.clickLine("price 2");
  await ui.page.keyboard.type(" \u20ac");
  await ui.diffWith("price 2 \u00a3 \u20ac");
  await ui.pressTitle("Accept");
  await ui.saysInPassing("unwritten.txt was not changed.");
  await ui.tab("unwritten.txt").click();
  await ui.focused("modified");
  await ui.page.keyboard.press("Backspace");
  await until("the character is gone", async () => !(await ui.diff()).modified.includes("\u20ac"));
  await asked.cancel();
  await ui.saysInPassing("It was kept as a draft.");
  await takeDraft("unwritten.txt");
});
