// Every scenario in one workbench, on one page. `make test-editors` builds what it needs and runs it; names on the
// command line choose scenarios' files: `main.mjs decisions files`.

import { readdir } from "node:fs/promises";
import path from "node:path";
import { after } from "node:test";

// The runner remembers what passed only if it ends by itself. What a scenario has left open must not keep it from that.
after(() => void setTimeout(() => process.exit(1), 60_000).unref());

const folder = path.join(import.meta.dirname, "scenarios");
const wanted = process.argv.slice(2);
const known = (await readdir(folder)).map((name) => path.basename(name, ".mjs")).sort();
for (const name of wanted)
  if (!known.includes(name)) throw new Error(`no such scenarios: ${name}; there are ${known.join(", ")}`);
for (const name of wanted.length ? wanted : known) await import(path.join(folder, `${name}.mjs`));
