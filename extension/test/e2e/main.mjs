// Scenarios in one workbench, on one page. `make test-editors` builds what they need and runs each half of them.
// Names on the command line choose scenarios' files, and --half every second of them: `main.mjs --half=2 decisions files`.

import { readdir } from "node:fs/promises";
import path from "node:path";
import { after } from "node:test";
import { parseArgs } from "node:util";

// The runner remembers what passed only if it ends by itself. What a scenario has left open must not keep it from that.
after(() => void setTimeout(() => process.exit(1), 60_000).unref());

const folder = path.join(import.meta.dirname, "scenarios");
const { values, positionals: wanted } = parseArgs({ allowPositionals: true, options: { half: { type: "string" } } });
const known = (await readdir(folder)).map((name) => path.basename(name, ".mjs")).sort();
for (const name of wanted)
  if (!known.includes(name)) throw new Error(`no such scenarios: ${name}; there are ${known.join(", ")}`);
const files = (wanted.length ? wanted : known).filter((_, at) => !values.half || at % 2 === Number(values.half) - 1);
for (const name of files) await import(path.join(folder, `${name}.mjs`));
