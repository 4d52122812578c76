// What other extensions say about a file that an agent changed reaches the agent with the answer.

import assert from "node:assert/strict";

import { agent } from "../harness/agents.mjs";
import { file } from "../harness/files.mjs";
import { reviewWith } from "../harness/reviews.mjs";
import { call, ui } from "../harness/run.mjs";
import { scenario } from "../harness/suite.mjs";

const typed = file("diagnostics/typed.checked", "one\nwrong\ntwo\n");

scenario("the agent learns what its change broke, and nothing of what was wrong before", async () => {
  await call("diagnose", { end: ".checked", word: "wrong" });
  await typed.open();
  const asked = await agent("typed").readAndEdit(typed, "one\n", "one\nwrong too\n");
  await reviewWith("wrong too");

  await ui.pressTitle("Accept");

  const { data, text } = await asked.answer;
  assert.deepEqual(data.diagnostics, [{ line: 2, message: "“wrong too” is wrong", severity: "error", source: "checker" }]);
  assert.match(text, /This change introduced a problem: line 2: “wrong too” is wrong/);
  const mending = await agent("typed").edit(typed, "wrong too", "right");
  await reviewWith("right");
  await ui.pressTitle("Accept");
  assert.equal((await mending.answer).data.diagnostics, undefined);
  await call("diagnose", {});
});
