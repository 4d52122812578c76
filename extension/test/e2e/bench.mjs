// What a review costs, on one page, beside the workbench's own diff editor of the same texts, and the server's share in
// it. `make bench-extension` runs it; it ends with 1 where a limit is passed.

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { connect } from "./harness/extension.mjs";
import { until, WorkbenchPage } from "./harness/page.mjs";
import { makeHome, startWorkbench } from "./harness/workbench.mjs";

const ROUNDS = 15; // the first two warm up
const LIMITS = { shown: 60, answered: 300, task: 300 };

const home = await makeHome();
const workspace = path.join(home, "workspace");

const FIFTH = 4; // the line that differs is in view at once
const lines = (count, line) => (text) =>
  Array.from({ length: count }, (_, index) => (index === FIFTH ? text : line(index)));
const small = lines(1000, (index) => `def name_${index}(value): return value + ${index}`);
const large = lines(100_000, (index) => `${String(index).padStart(8)} ${"0123456789".repeat(9)}`);

function put(name, text) {
  writeFileSync(path.join(workspace, name), `${text.join("\n")}\n`);
  return { name, path: path.join(workspace, name) };
}

const rounds = Array.from({ length: ROUNDS }, (_, round) => ({
  mark: `mark of round ${round}`,
  left: put(`left-${round}.txt`, small("old")),
  right: put(`right-${round}.txt`, small(`mark of round ${round}, bare`)),
  closed: put(`closed-${round}.txt`, small("old")),
  open: put(`open-${round}.txt`, small("old")),
}));
const big = {
  left: put("left-large.txt", large("old")),
  right: put("right-large.txt", large("mark of the large, bare")),
  closed: put("closed-large.txt", large("old")),
  open: put("open-large.txt", large("old")),
};

const workbench = await startWorkbench(home);
const { page, extension } = workbench;
const ui = new WorkbenchPage(page);
try {
  const plain = await connect(workbench.sockets.plain);
  await page.evaluate(watchThePage);
  const figures = { bare: [], closed: [], open: [] };
  for (const { mark, left, right, closed, open } of rounds) {
    figures.bare.push(await bareDiff(plain, left, right, `${mark}, bare`));
    for (const [kind, file] of Object.entries({ closed, open })) {
      figures[kind].push(await review(file, `${mark}, ${kind}`, kind));
    }
  }
  const tasks = {};
  tasks.bare = await longestTask(() => bareDiff(plain, big.left, big.right, "mark of the large, bare"));
  tasks.closed = await longestTask(() => review(big.closed, "mark of the large, closed", "closed"));
  tasks.open = await longestTask(() => review(big.open, "mark of the large, open", "open"));
  process.exitCode = print(figures, tasks) ? 0 : 1;
} finally {
  await workbench.stop();
}

/** Milliseconds from the call to the diff on screen. */
async function bareDiff(plain, left, right, mark) {
  const seen = whenSeen(mark);
  const from = Date.now();
  await plain.call("diff", { left: left.path, right: right.path, title: mark });
  const shown = (await seen) - from;
  await extension.call("close", { path: "all" });
  return shown;
}

/**
 * Milliseconds: `told`, from the request to the extension's knowing of the proposal; `shown`, from opening the review
 * to the diff on screen; `answered`, from the click on Accept to the agent's answer; `server`, its share of the first
 * and the last.
 */
async function review(file, mark, kind) {
  const session = { session: file.name, path: file.name };
  if (kind === "open") await extension.call("open", { path: file.path });
  await extension.request("agentfs/read", session).answer;
  const requested = Date.now();
  const asked = extension.request("agentfs/edit", { ...session, old_string: "\nold\n", new_string: `\n${mark}\n` });
  const waiting = await until("it is pending", async () => (await extension.call("state")).pending[0]);
  const seen = whenSeen(mark);
  const from = Date.now();
  await extension.call("command", { id: "agentfs.ui.openReview" });
  let shownAt;
  void seen.then((at) => (shownAt = at));
  await until("the diff is on screen", async () => shownAt !== undefined || ui.takeLateReview(), { timeoutMs: 120_000 });
  const shown = (await seen) - from;
  const answered = asked.answer.then((answer) => ({ answer, at: Date.now() }));
  await ui.titleButton("Accept").click();
  const { answer, at } = await answered;
  const clicked = await page.evaluate(() => window.agentfsClicked);
  if (answer.data.landing !== "disk" || !readFileSync(file.path, "utf8").includes(mark)) throw new Error(answer.text);
  await extension.call("close", { path: "all" });
  const server = answer.stats.time_ms - answer.data.review.waited_ms;
  return { told: waiting.toldAt - requested, shown, answered: at - clicked, server };
}

/** Runs in the page: remembers long tasks and the last click, and tells when a diff with a mark is drawn. */
function watchThePage() {
  window.agentfsTasks = [];
  const keep = (list) => window.agentfsTasks.push(...list.getEntries().map((task) => task.duration));
  new PerformanceObserver(keep).observe({ type: "longtask" });
  addEventListener("click", () => (window.agentfsClicked = Date.now()), { capture: true });
  window.agentfsSeen = (mark) =>
    new Promise((resolve) => {
      const look = () => {
        const side = document.querySelector(".editor-group-container.active .monaco-diff-editor .editor.modified");
        const text = side?.querySelector(".line-insert") && side.querySelector(".view-lines").textContent;
        if (text?.replaceAll("\u00a0", " ").includes(mark)) resolve(Date.now());
        else requestAnimationFrame(look);
      };
      look();
    });
}

function whenSeen(mark) {
  return page.evaluate((wanted) => window.agentfsSeen(wanted), mark);
}

/** Milliseconds, 0 where none took 50. */
async function longestTask(work) {
  await page.evaluate(() => (window.agentfsTasks.length = 0));
  await work();
  const idle = () => new Promise((resolve) => requestIdleCallback(() => resolve(window.agentfsTasks)));
  return Math.max(0, ...(await page.evaluate(idle)));
}

function print(figures, tasks) {
  const middle = (all) => all.slice(2).sort((one, other) => one - other)[Math.floor((all.length - 2) / 2)];
  const bare = middle(figures.bare);
  const of = (kind, part) => middle(figures[kind].map(part));
  /** @returns {[string, number, number | null][]} */
  const reviewOf = (kind) => [
    [`1,000 lines, ${kind} file: request to diff on screen`, of(kind, ({ told, shown }) => told + shown), null],
    ["  … its review opened to diff on screen, over the bare", of(kind, ({ shown }) => shown) - bare, LIMITS.shown],
    ["  … Accept to the agent's answer", of(kind, ({ answered }) => answered), LIMITS.answered],
    ["  … request to proposal and Accept to answer", of(kind, ({ told, answered }) => told + answered), null],
    [`  … the server's share of these two${kind === "open" ? ", and the editor's saving" : ""}`, of(kind, ({ server }) => server), null],
  ];
  /** @type {[string, number, number | null][]} */
  const rows = [
    ["1,000 lines: opened to diff on screen, bare vscode.diff", bare, null],
    ...reviewOf("closed"),
    ...reviewOf("open"),
    ["10 MB: longest task on the main thread, bare vscode.diff", tasks.bare, null],
    ["  … review of a closed file, over the bare", tasks.closed - tasks.bare, LIMITS.task],
    ["  … review of an open file, over the bare", tasks.open - tasks.bare, LIMITS.task],
  ];
  const fits = ([, ms, limit]) => limit === null || ms <= limit;
  const show = (what, ms, limit) => console.log(`${what.padEnd(62)}${`${ms}`.padStart(8)}${`${limit}`.padStart(10)}`);
  show("", "ms", "at most");
  for (const row of rows) show(row[0], Math.round(row[1]), `${row[2] ?? ""}${fits(row) ? "" : " !"}`);
  return rows.every(fits);
}
