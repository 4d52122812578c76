// The line to the driver, an extension of the tests (driver/main.js): one JSON object a line each way, over a unix socket.

import { connect as connectSocket } from "node:net";
import { createInterface } from "node:readline";

import { until } from "./page.mjs";

export class AgentError extends Error {
  constructor(error) {
    super(typeof error === "string" ? error : (error.message ?? JSON.stringify(error)));
    this.code = error.code;
  }
}

/**
 * Waits until the extension host listens, then until it answers.
 * @param {string} socketPath
 * @param {number} timeoutMs
 */
export async function connect(socketPath, timeoutMs = 30_000) {
  const end = Date.now() + timeoutMs;
  for (;;) {
    try {
      const line = new Line(await dial(socketPath));
      await line.call("ping");
      return line;
    } catch (error) {
      if (Date.now() > end) throw new Error(`nobody answers at ${socketPath}: ${error.message}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function dial(socketPath) {
  return new Promise((resolve, reject) => {
    const socket = connectSocket(socketPath);
    socket.once("connect", () => resolve(socket));
    socket.once("error", reject);
  });
}

/** As readline takes it: that ends lines at the separators, too, which JSON holds as they are. */
function lineOf(message) {
  const json = JSON.stringify(message).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
  return `${json}\n`;
}

class Line {
  #socket;
  #open = true;
  #next = 1;
  #waiting = new Map();

  constructor(socket) {
    this.#socket = socket;
    const lines = createInterface({ input: socket });
    lines.on("line", (line) => this.#receive(JSON.parse(line)));
    for (const end of [socket, lines]) end.on("error", () => {}); // each fails the test else; "close" follows
    socket.on("close", () => {
      this.#open = false;
      for (const { reject } of this.#waiting.values()) reject(new Error("the extension host went away"));
      this.#waiting.clear();
    });
  }

  /** @returns {Promise<any>} */
  call(method, params = {}) {
    return this.start(method, params).answer;
  }

  /** An agent's request through the extension's API. `answer` rejects with AgentError. */
  request(method, params) {
    const started = this.start("request", { method, params });
    return { ...started, cancel: () => this.call("cancel", { id: started.id }) };
  }

  /** Opens the review that waits, as a person does: none opens by itself. */
  async openReview() {
    await until("a proposal waits", async () => (await this.call("state")).pending.length > 0);
    const open = () => this.call("command", { id: "agentfs.ui.openReview" });
    await open();
    // On a busy machine its texts may come too late for it to take the focus. They are there the second time.
    const isOpen = ({ uri, label }) => uri?.startsWith("agentfs-proposal:") || /^Changes by /.test(label);
    if (!(await this.call("state")).tabs.some(isOpen)) await open();
  }

  start(method, params) {
    const id = this.#next++;
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    if (!this.#open) this.#waiting.get(id).reject(new Error("the extension host went away"));
    answer.catch(() => {}); // whoever waits for it sees it; a test that ended otherwise does not care
    if (this.#open) this.#socket.write(lineOf({ id, method, params }));
    return { id, answer };
  }

  close() {
    this.#socket.destroy();
  }

  #receive({ id, result, error }) {
    const { resolve, reject } = this.#waiting.get(id) ?? {};
    this.#waiting.delete(id);
    if (error) reject?.(new AgentError(error));
    else resolve?.(result);
  }
}
