/** Which Python runs the server: what is tried, in which order, and what fits. No vscode, so it can be tested. */
import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';

export const LEAST: readonly [number, number] = [3, 11];

/** Tried on the PATH, in this order. */
const NAMES = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python'];

const ANSWER_MS = 15_000;

/** A Python and its version; `version` undefined where it could not be run. */
export interface Candidate {
  command: string;
  version: readonly [number, number] | undefined;
}

export type Found =
  | { kind: 'found'; command: string; version: readonly [number, number] }
  | { kind: 'missing'; tried: readonly Candidate[]; configured: boolean };

export interface Places {
  /** `agentfs.interpreter`; empty where it is not set. Set, nothing else is tried. */
  configured: string;
  /** What the Python extension says, if it may be asked. */
  selected: string | undefined;
  /** The PATH's folders. */
  searchPath: string;
  home: string;
  /** Folders whose contents decide nothing. */
  distrusted: readonly string[];
}

/** Find a Python of at least `LEAST`. `run` tells a command's version. */
export async function findPython(places: Places, run: (command: string) => Promise<Candidate>): Promise<Found> {
  const tried: Candidate[] = [];
  for (const command of candidates(places)) {
    const candidate = await run(command);
    if (candidate.version !== undefined && isEnough(candidate.version)) {
      return { kind: 'found', command, version: candidate.version };
    }
    tried.push(candidate);
  }
  return { kind: 'missing', tried, configured: places.configured !== '' };
}

/** Every file that might be one, most wanted first. */
export function candidates(places: Places): readonly string[] {
  const folders = places.searchPath
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder) && !isInside(folder, places.distrusted));
  if (places.configured !== '') {
    return configured(places.configured, places.home, folders);
  }
  const found = NAMES.flatMap((name) => onPath(name, folders));
  const selected = places.selected === undefined ? [] : [places.selected];
  return [...new Set([...selected, ...found])];
}

/** Ask a Python for its version, away from whatever lies in the workspace. */
export function versionOf(command: string, cwd: string): Promise<Candidate> {
  const program = 'import sys; print("%d.%d" % sys.version_info[:2])';
  return new Promise((resolve) => {
    execFile(command, ['-I', '-S', '-c', program], { cwd, timeout: ANSWER_MS }, (error, stdout) => {
      resolve({ command, version: error ? undefined : parseVersion(stdout) });
    });
  });
}

export function parseVersion(output: string): readonly [number, number] | undefined {
  const found = /^(\d+)\.(\d+)\s*$/.exec(output);
  return found ? [Number(found[1]), Number(found[2])] : undefined;
}

export function isEnough([major, minor]: readonly [number, number]): boolean {
  return major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]);
}

/** A path stands for itself, a plain name is looked for on the PATH, anything relative is nothing. */
function configured(setting: string, home: string, folders: readonly string[]): readonly string[] {
  const expanded = setting.startsWith('~/') ? path.join(home, setting.slice(2)) : setting;
  if (path.isAbsolute(expanded)) {
    return [expanded];
  }
  return expanded.includes(path.sep) ? [] : onPath(expanded, folders).slice(0, 1);
}

function onPath(name: string, folders: readonly string[]): readonly string[] {
  return folders.map((folder) => path.join(folder, name)).filter(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/** By their real places: a link elsewhere may lead into a distrusted folder. */
function isInside(folder: string, distrusted: readonly string[]): boolean {
  const real = realPath(folder);
  return distrusted.some((each) => `${real}${path.sep}`.startsWith(`${realPath(each)}${path.sep}`));
}

function realPath(folder: string): string {
  try {
    return fs.realpathSync(folder);
  } catch {
    return path.resolve(folder);
  }
}
