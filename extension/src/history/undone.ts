/** Finds out which changes were undone. Doesn't use the vscode API. */
import type { HistoryRecord } from './store';

/** What a change did to a file: the hashes of its text before and after, null if there is no file. */
export interface RecordedHashes {
  path: string;
  before: string | null;
  after: string | null;
}

/**
 * The ids of those of these changes, newest first, that were undone: a later undo has brought each of their files back to
 * what it was before. The history doesn't tell what an undo undid, but the hashes do, as long as nothing else was changed.
 */
export function undoneOf(records: readonly HistoryRecord[]): ReadonlySet<string> {
  const files = new Map<string, Step[]>();
  for (const { id, tool, hashes = [] } of records) {
    for (const { path, before, after } of hashes) {
      const steps = files.get(path) ?? [];
      steps.push({ id, isUndo: tool === 'undo', before, after });
      files.set(path, steps);
    }
  }
  const undone = new Map([...files].map(([path, steps]) => [path, undoneIn(steps)] as const));
  const isUndone = ({ id, hashes = [] }: HistoryRecord): boolean =>
    hashes.length > 0 && hashes.every(({ path }) => undone.get(path)?.has(id));
  return new Set(records.filter(isUndone).map(({ id }) => id));
}

interface Step extends Omit<RecordedHashes, 'path'> {
  id: string;
  isUndo: boolean;
}

/** What an undo undid. `end`: the place after the oldest of it. */
interface Undone {
  ids: readonly string[];
  end: number;
}

/** The same, for the changes of one file. */
function undoneIn(steps: readonly Step[]): Set<string> {
  const byUndos = new Map<number, Undone>();
  for (let at = steps.length - 1; at >= 0; at -= 1) {
    const found = steps[at]?.isUndo === true ? undoneBy(steps, at, byUndos) : undefined;
    if (found !== undefined) {
      byUndos.set(at, found);
    }
  }
  const undone = new Set<string>();
  steps.forEach(({ id }, at) => {
    if (!undone.has(id)) {
      byUndos.get(at)?.ids.forEach((each) => undone.add(each));
    }
  });
  return undone;
}

/**
 * What the undo at that place undid: what led from the text that it left to the one that it found; undefined if that can't
 * be told. `byUndos`: the same of the undos before it, by their places.
 */
function undoneBy(steps: readonly Step[], at: number, byUndos: ReadonlyMap<number, Undone>): Undone | undefined {
  const undo = steps[at];
  const ids: string[] = [];
  let text = undo?.before;
  for (let next = at + 1; undo !== undefined && next < steps.length;) {
    const step = steps[next];
    if (step === undefined || step.after !== text) {
      return undefined;
    }
    // An undo in between, and all down to what it undid, lead from a text to the same one: they are none of it.
    const earlier = step.before !== undo.after ? byUndos.get(next) : undefined;
    if (earlier === undefined) {
      ids.push(step.id);
      text = step.before;
      next += 1;
    } else {
      next = earlier.end;
    }
    if (text === undo.after) {
      return { ids, end: next };
    }
  }
  return undefined;
}
