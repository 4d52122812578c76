/** Applies what a user typed into a proposal to the current version of the file. Doesn't use I/O or the vscode API. */
import { sameEnds } from '../util/text';

/** How many unchanged lines on each side identify the place of a change. */
const CONTEXT = 3;

/**
 * Apply the difference between `base` and `draft` to `current`; all have `\n` line ends. Returns undefined if the
 * changed lines and their context don't appear in `current` exactly once, or are blank: it never guesses a place.
 */
export function reapplied(base: string, draft: string, current: string): string | undefined {
  if (current === base || current === draft) {
    return draft;
  }
  const before = base.split('\n');
  const after = draft.split('\n');
  const now = current.split('\n');
  const { start, end } = sameEnds(before, after);
  const from = Math.max(0, start - CONTEXT);
  const rest = Math.max(0, end - CONTEXT);
  const wanted = before.slice(from, before.length - rest);
  const isNowhere = wanted.every((line) => line.trim() === '');
  const [place, ...others] = placesOf(wanted, now);
  if (isNowhere || place === undefined || others.length > 0) {
    return undefined;
  }
  const changed = after.slice(from, after.length - rest);
  return [...now.slice(0, place), ...changed, ...now.slice(place + wanted.length)].join('\n');
}

type Lines = readonly string[];

function placesOf(wanted: Lines, lines: Lines): number[] {
  const last = lines.length - wanted.length;
  const starts = Array.from({ length: Math.max(0, last + 1) }, (_, index) => index);
  return starts.filter((start) => wanted.every((line, index) => lines[start + index] === line));
}
