// Files that are not open are read and written in the encoding in which the editor would open them.

import assert from "node:assert/strict";

import { agent } from "../harness/agents.mjs";
import { file } from "../harness/files.mjs";
import { until } from "../harness/page.mjs";
import { openReview } from "../harness/reviews.mjs";
import { ui } from "../harness/run.mjs";
import { set } from "../harness/settings.mjs";
import { scenario } from "../harness/suite.mjs";

const TEXT = "\u4e2d\u6587\n"; // "Chinese"
const GBK = Buffer.from([0xd6, 0xd0, 0xce, 0xc4, 0x0a]);

const old = file("encodings/old.txt", GBK);
const created = file("encodings/created.txt");
const note = file("encodings/created.md");
const always = ["encodings/team.code-workspace", ".vscode/created.txt", "encodings/created.ipynb"].map((name) => file(name));

/** Proposes a new file, and accepts it. */
async function create(session, target) {
  const asked = agent(session).write(target, TEXT);
  await openReview();
  await ui.diffWith(TEXT.trim());
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.applied, true);
}

scenario("files.encoding: of a closed file and of a new one, and a language's own", async () => {
  await set("files.encoding", "gbk");
  await set("[markdown]", { "files.encoding": "utf8" });
  await until("a closed file is read in it", async () => (await agent("old").read(old)).data.content === TEXT);

  await create("created", created);
  await ui.statusBarSays("Created created.txt");
  assert.deepEqual(created.bytes(), GBK);
  await created.open();
  assert.equal((await created.document()).text, TEXT, "the editor reads what the server wrote");

  await create("note", note);
  assert.equal(note.text(), TEXT);
});

scenario("files.encoding: files that the editor always reads as UTF-8 are written as that", async () => {
  await set("files.encoding", "gbk");
  for (const one of always) {
    await create("always", one);
    assert.equal(one.text(), TEXT, one.name);
  }
});

const ascii = file("encodings/ascii.markdown", "old\n");

scenario("a language's files.encoding: what is put in a file of ASCII is written in it", async () => {
  await set("[markdown]", { "files.encoding": "gbk" });
  const asked = await agent("ascii").readAndEdit(ascii, "old", TEXT.trim());
  await openReview();
  await ui.diffWith(TEXT.trim());
  await ui.pressTitle("Accept");
  assert.equal((await asked.answer).data.applied, true);
  assert.deepEqual(ascii.bytes(), GBK);
});

scenario("files.encoding: the user is told of the one that the server does not know", async () => {
  await set("files.encoding", "koi8ru");
  await ui.saysInPassing("does not support the encoding koi8ru");
});

const thai = file("encodings/thai.txt", Buffer.from([0xa1, 0x0a]));

scenario("files.encoding: one that Python has under another name", async () => {
  await set("files.encoding", "windows874");
  await until("a closed file is read in it", async () => (await agent("thai").read(thai)).data.content === "\u0e01\n");
});
