// The server of the run: its process, the Python that runs it, and its mode.

import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { call, home, workbench } from "./run.mjs";

/** The mode that the server is in. */
export const mode = async () => (await workbench.extension.request("agentfs/status", {}).answer).data.mode;

/**
 * A Python of which `script`, in the language of the shell, runs first where it is to run the server; `$0` is its path.
 * For the setting `agentfs.interpreter`.
 */
export function interpreter(name, script) {
  const python = path.join(home, name);
  writeFileSync(python, `#!/bin/sh\ncase "$*" in *run_server.py*)\n${script}\n;; esac\nexec python3 "$@"\n`);
  chmodSync(python, 0o755);
  return python;
}

/** The processes of this run's own server, by what they were started with. */
export function servers() {
  const launcher = path.join(home, "extensions");
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const started = commandLine(pid);
      return started.some((part) => part.startsWith(launcher) && part.endsWith("run_server.py"));
    })
    .map(Number);
}

/** Stops the extension host, as a busy one, while `act` runs: it hears of all of that at once. It runs the server. */
export async function whileHostStands(act) {
  const [, host] = readFileSync(`/proc/${servers()[0]}/status`, "utf8").match(/^PPid:\s*(\d+)$/m);
  process.kill(Number(host), "SIGSTOP");
  try {
    await act();
  } finally {
    process.kill(Number(host), "SIGCONT");
  }
}

let isKilled = false;

/** Kills the server as a crash does; its process id. The next scenario begins with one that has never crashed. */
export function killServer() {
  const [pid] = servers();
  isKilled = true;
  process.kill(pid, "SIGKILL");
  return pid;
}

/** Restarts the server if this scenario has killed it. */
export async function restartKilled() {
  if (isKilled) await call("command", { id: "agentfs.ui.restart" });
  isKilled = false;
}

function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return []; // it has ended meanwhile
  }
}
