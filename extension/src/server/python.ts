/** Finds the Python that runs the server. Doesn't use the vscode API, so it can be unit-tested. */
import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';

export const MIN_VERSION: readonly [number, number] = [3, 11];

/** Names looked for on the PATH, in this order. */
const NAMES = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python'];

const ANSWER_MS = 15_000;

/** A Python and its version; `version` is undefined if it failed to run. */
export interface Candidate {
  command: string;
  version: readonly [number, number] | undefined;
}

export type Found =
  | { kind: 'found'; command: string; version: readonly [number, number] }
  | { kind: 'missing'; tried: readonly Candidate[]; configured: boolean };

export interface Places {
  /** `agentfs.interpreter`, or empty. If set, nothing else is tried. */
  configured: string;
  /** The Python extension's interpreter, if it may be asked. */
  selected: string | undefined;
  /** The PATH variable. */
  searchPath: string;
  home: string;
  /** Folders whose files must not run. */
  distrusted: readonly string[];
}

/** Find a Python of at least `MIN_VERSION`. `run` tells a command's version. */
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

/** All candidates, best first. */
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

/** Run a Python to get its version, outside the workspace. */
export function versionOf(command: string, cwd: string): Promise<Candidate> {
  const program = 'import sys; print("%d.%d" % sys.version_info[:2])';
  return new Promise((resolve) => {
    execFile(command, ['-I', '-S', '-c', program], { cwd, timeout: ANSWER_MS, killSignal: 'SIGKILL' }, (error, stdout) => {
      resolve({ command, version: error ? undefined : parseVersion(stdout) });
    });
  });
}

export function parseVersion(output: string): readonly [number, number] | undefined {
  const found = /^(\d+)\.(\d+)\s*$/.exec(output);
  return found ? [Number(found[1]), Number(found[2])] : undefined;
}

export function isEnough([major, minor]: readonly [number, number]): boolean {
  return major > MIN_VERSION[0] || (major === MIN_VERSION[0] && minor >= MIN_VERSION[1]);
}

/** Resolve the setting: an absolute path as it is, a plain name on the PATH; ignore other relative paths. */
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

/** Compares real paths, as a link elsewhere may lead into a distrusted folder. */
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
