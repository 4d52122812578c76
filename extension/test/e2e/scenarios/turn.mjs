// What an agent did in one session, as a whole: listed together, and undone together.

import assert from "node:assert/strict";

import { agent } from "../harness/agents.mjs";
import { file } from "../harness/files.mjs";
import { until } from "../harness/page.mjs";
import { call, reloadWindow, ui } from "../harness/run.mjs";
import { mode } from "../harness/server.mjs";
import { set } from "../harness/settings.mjs";
import { scenario } from "../harness/suite.mjs";

/** What agents ask for lands without a review. */
async function letThrough() {
  await set("agentfs.approval.mode", "auto_edit");
  await until("changes are let through", async () => (await mode()) === "auto_edit");
}

async function land(ada, one, before, now, more = {}) {
  const { data } = await (await ada.readAndEdit(one, before, now, more)).answer;
  assert.equal(data.landing, "disk");
}

const session = (name) => ui.viewRow("Landed", name);

/** What the rows say, from top to bottom. */
const rows = () =>
  ui.viewRow("Landed", "").evaluateAll((all) =>
    all
      .toSorted((row, below) => Number(row.dataset.index) - Number(below.dataset.index))
      .map((row) => (row.textContent ?? "").replaceAll(/\s+/g, " ")),
  );

const [one, two, other] = ["one", "two", "other"].map((name) => file(`turn/${name}.txt`, `old ${name}\n`));

scenario("what an agent changed in one session is one group of the view, also in a new window", async () => {
  await letThrough();
  const [grace, alan] = [agent("turn-grace"), agent("turn-alan")];
  await land(grace, one, "old", "new", { agent: "Grace" });
  await land(alan, other, "old", "new", { agent: "Alan" });
  await land(grace, two, "old", "new", { agent: "Grace" });
  await call("command", { id: "agentfs.landed.focus" });

  const group = session("Grace").first();
  await until("its changes are counted", async () => /Grace\s*2 changes · \+2 −2/.test(await group.innerText()));
  assert.match(await group.getAttribute("aria-label"), /^Session of Grace, 2 changes, the last landed at /);
  const listed = /^ ?Grace ?2 changes.*two\.txt ?\+1 −1.*one\.txt ?\+1 −1.*Alan ?1 change .*other\.txt/;
  await until("they stand below it", async () => listed.test((await rows()).slice(0, 5).join(" ")));

  await group.click();
  await ui.page.keyboard.press("ArrowLeft");
  await until("it is closed by key", async () => (await session("two.txt").count()) === 0);
  await ui.page.keyboard.press("ArrowRight");
  await session("two.txt").waitFor();

  await reloadWindow();
  await call("command", { id: "agentfs.landed.focus" });
  await session("Grace").waitFor();
  await session("two.txt").waitFor();
});
