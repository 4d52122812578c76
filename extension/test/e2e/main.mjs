// Scenarios in one workbench, on one page. `make test-editors` builds what they need and runs each half of them.
// Names on the command line choose scenarios' files, and --half one half of them: `main.mjs --half=2 decisions files`.

import { readdir, stat } from "node:fs/promises";
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
const all = wanted.length ? wanted : known;
for (const name of values.half ? await half(all, Number(values.half)) : all) await import(path.join(folder, `${name}.mjs`));

/** One of two halves that take about as long: the longest file, the fourth, the fifth and so on, or the others. */
async function half(names, which) {
  const sizes = await Promise.all(names.map(async (name) => (await stat(path.join(folder, `${name}.mjs`))).size));
  const longest = names.toSorted((one, other) => sizes[names.indexOf(other)] - sizes[names.indexOf(one)]);
  return names.filter((name) => [0, 3].includes(longest.indexOf(name) % 4) === (which === 1));
}
