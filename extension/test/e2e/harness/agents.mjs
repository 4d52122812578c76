// Agents, and their requests that are under way.

import { workbench } from "./run.mjs";

const underWay = [];

/** An agent with a session of its own. Its requests are on their way when it returns: wait for `answer`. */
export function agent(session, line = () => workbench.extension) {
  const send = (method, params) => {
    const asked = line().request(`agentfs/${method}`, { session, agent: "Ada", ...params });
    if (line() === workbench.extension) underWay.push(asked);
    return asked;
  };
  return {
    read: (file) => send("read", { path: file.name }).answer,
    write: (file, content, more = {}) => send("write", { path: file.name, content, ...more }),
    edit: (file, before, now, more = {}) =>
      send("edit", { path: file.name, old_string: before, new_string: now, ...more }),
    /** Reads, then asks for the change, as agents do. */
    async readAndEdit(file, before, now, more = {}) {
      await this.read(file);
      return this.edit(file, before, now, more);
    },
  };
}

/** Several changes of a session in one proposal. On its way when this returns. */
export function batch(session, operations, more = {}) {
  const asked = workbench.extension.request("agentfs/batch", { session, agent: "Ada", operations, ...more });
  underWay.push(asked);
  return asked;
}

/** Cancels the requests that this scenario has left. */
export async function cancelRequests() {
  for (const asked of underWay.splice(0)) await asked.cancel().catch(() => {}); // a reload took them
}
