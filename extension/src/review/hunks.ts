/** The hunks of a review's text, and which of them the user has accepted. Doesn't use the vscode API. */
import { hunks, normalize, type Hunk } from '../util/text';

/** A hunk of the text as it is now. `line`: the 0-based line where it begins in the text that shows it; `lines`: how many it has there. */
export interface ReviewHunk extends Hunk {
  line: number;
  lines: number;
  isAccepted: boolean;
}

/** A part of a text, from one offset (in UTF-16 units) to another, and what replaces it. */
export interface Replacement {
  from: number;
  to: number;
  text: string;
}

/** Remembers accepted hunks by what they do, as others that are rejected move them. */
export class AcceptedHunks {
  private readonly accepted = new Map<string, Set<string>>();
  /** The texts that were compared last: each move of the cursor asks again, and long ones take half a second. */
  private last: { base: string; now: string; hunks: readonly Hunk[] } | undefined;

  /** The hunks between `base` and `now`, the current text of the file `file`. Both texts have any line ends. */
  of(file: string, base: string, now: string): ReviewHunk[] {
    const accepted = this.accepted.get(file);
    return this.compared(base, now).map((hunk) => ({
      ...hunk,
      line: hunk.start.after,
      lines: hunk.added.length,
      isAccepted: accepted?.has(keyOf(hunk)) === true,
    }));
  }

  /** Whether any hunk of the file has been accepted. */
  has(file: string): boolean {
    return this.accepted.has(file);
  }

  accept(file: string, hunk: Hunk): void {
    this.accepted.set(file, (this.accepted.get(file) ?? new Set()).add(keyOf(hunk)));
  }

  forget(file: string): void {
    this.accepted.delete(file);
    this.last = undefined;
  }

  private compared(base: string, now: string): readonly Hunk[] {
    if (this.last?.base !== base || this.last.now !== now) {
      this.last = { base, now, hunks: hunks(linesOf(base), linesOf(now)) };
    }
    return this.last.hunks;
  }
}

/** The hunk at a 0-based line of the text that shows them, else the first open one after it, else the first open one. */
export function hunkAt<H extends ReviewHunk>(all: readonly H[], line: number): H | undefined {
  const isAt = ({ line: from, lines }: ReviewHunk): boolean => from <= line && line < from + Math.max(1, lines);
  const open = all.filter(({ isAccepted }) => !isAccepted);
  return all.find(isAt) ?? open.find(({ line: from }) => from > line) ?? open[0];
}

/** What puts the old lines of a hunk back into `now`, which has `\n` line ends. */
export function revert(now: string, { start, removed, added }: Hunk): Replacement {
  const lines = now.split('\n');
  const rest = [...lines.slice(0, start.after), ...removed, ...lines.slice(start.after + added.length)].join('\n');
  let from = 0;
  while (from < Math.min(now.length, rest.length) && now[from] === rest[from]) {
    from += 1;
  }
  from -= isBetweenPair(now, from) || isBetweenPair(rest, from) ? 1 : 0;
  let end = 0;
  while (end < Math.min(now.length, rest.length) - from && now.at(-1 - end) === rest.at(-1 - end)) {
    end += 1;
  }
  end -= end > 0 && (isBetweenPair(now, now.length - end) || isBetweenPair(rest, rest.length - end)) ? 1 : 0;
  return { from, to: now.length - end, text: rest.slice(from, rest.length - end) };
}

/** Whether an offset is between the two units of one character. */
function isBetweenPair(text: string, at: number): boolean {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff;
}

function linesOf(text: string): string[] {
  return normalize(text).split('\n');
}

/** Its place in the base, which no decision moves, and its lines. */
export function keyOf({ start, removed, added }: Hunk): string {
  return JSON.stringify([start.before, removed.length, added]);
}
