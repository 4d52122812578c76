/** Texts of proposals: line ends, bytes, and differences. Doesn't use I/O or the vscode API. */

/** `text` with only `\n` line ends, as the protocol requires. */
export function normalize(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** `text`, which has `\n` line ends, with the file's line ends, as far as an editor supports them. */
export function withEol(text: string, eol: string): string {
  return eol === 'crlf' ? text.replace(/\n/g, '\r\n') : text;
}

/**
 * Encode as UTF-8, with a byte-order mark if `marked`: the user's encoding setting also applies to these documents, but
 * a mark overrides it.
 */
export function toBytes(text: string, marked: boolean): Uint8Array {
  return new TextEncoder().encode(marked ? `\ufeff${text}` : text);
}

/** Decode what the editor saved, without the mark that `toBytes` or the editor added. */
export function fromBytes(bytes: Uint8Array): string {
  return new TextDecoder('utf-8').decode(bytes);
}

/** Characters that are two columns wide, roughly. */
const WIDE = /[\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\ufe30-\uffe6]/g;

/** How many columns a line takes, roughly. */
export function columnsOf(line: string, tabSize: number): number {
  const count = (sought: RegExp): number => line.match(sought)?.length ?? 0;
  return line.length + count(/\t/g) * (tabSize - 1) + count(WIDE);
}

/** The 0-based line where two texts begin to differ; undefined if they are equal. */
export function firstDifference(before: string, after: string): number | undefined {
  if (before === after) {
    return undefined;
  }
  let line = 0;
  const shorter = Math.min(before.length, after.length);
  for (let at = 0; at < shorter && before.charCodeAt(at) === after.charCodeAt(at); at += 1) {
    if (before.charCodeAt(at) === 10) {
      line += 1;
    }
  }
  return line;
}

/**
 * Whether a diff that ignores whitespace at line ends may treat a line of `after` as equal to a line of `before` with
 * different whitespace. Errs on the side of true, as a diff may pair equal lines in different ways.
 */
export function blanksChanged(before: string, after: string): boolean {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const { start, end } = sameEnds(old, now, (line) => line.trim());
  const forms = new Map<string, Set<string>>();
  for (const line of old.slice(start, old.length - end)) {
    const trimmed = line.trim();
    forms.set(trimmed, (forms.get(trimmed) ?? new Set()).add(line));
  }
  const isOther = (line: string): boolean => {
    const known = forms.get(line.trim());
    return known !== undefined && (known.size > 1 || !known.has(line));
  };
  return now.some((line, at) => {
    const last = now.length - at;
    return at < start ? line !== old[at] : last <= end ? line !== old.at(-last) : isOther(line);
  });
}

/**
 * Whether a diff may show a line of either text for which `sought` is true as changed. Errs on the side of true, as a
 * diff may treat lines between two changes as changed.
 */
export function anyChanged(before: string, after: string, sought: (line: string) => boolean): boolean {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const { start, end } = sameEnds(old, now);
  return now.slice(start, now.length - end).some(sought) || old.slice(start, old.length - end).some(sought);
}

/** Whether the shortest diff of two texts removes a line for which `sought` is true. */
export function anyRemoved(before: string, after: string, sought: (line: string) => boolean): boolean {
  return hunks(before.split('\n'), after.split('\n')).some(({ removed }) => removed.some(sought));
}

/** With more differences than this, everything from the first to the last one counts as changed. */
const MAX_DIFFERENCES = 1000;

/** Replaced lines, and the 0-based line in each text where they are. */
export interface Hunk {
  start: { before: number; after: number };
  removed: string[];
  added: string[];
}

/** How many lines the shortest diff of two texts adds and removes. */
export function changedLines(before: string, after: string): { added: number; removed: number } {
  const all = hunks(linesOf(before), linesOf(after));
  const total = (side: 'added' | 'removed'): number => all.reduce((sum, { [side]: { length } }) => sum + length, 0);
  return { added: total('added'), removed: total('removed') };
}

/** The shortest diff of two texts, given as lines; one large hunk if there are too many differences. */
export function hunks(old: readonly string[], now: readonly string[]): Hunk[] {
  const { start, end } = sameEnds(old, now);
  const [a, b] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  const steps = shortestWay(a, b);
  if (steps === undefined) {
    return [{ start: { before: start, after: start }, removed: a, added: b }];
  }
  const found: Hunk[] = [];
  for (const { at, diagonal, next } of steps) {
    const [before, after] = [start + at, start + at - diagonal];
    let last = found.at(-1);
    if (last === undefined || last.start.before + last.removed.length !== before || last.start.after + last.added.length !== after) {
      last = { start: { before, after }, removed: [], added: [] };
      found.push(last);
    }
    if (next > diagonal) {
      last.removed.push(old[before] ?? '');
    } else {
      last.added.push(now[after] ?? '');
    }
  }
  return found;
}

/** A state of the search, after equal lines. `at`: lines of `a` consumed; `diagonal`: how many more than of `b`. */
interface Reached {
  at: number;
  diagonal: number;
  from?: Reached;
}

/** Where each line is removed (`next` is a higher diagonal) or added, by Myers' algorithm; undefined if too many. */
function shortestWay(a: readonly string[], b: readonly string[]): { at: number; diagonal: number; next: number }[] | undefined {
  const reached = new Map<number, Reached>([[1, { at: 0, diagonal: 1 }]]);
  for (let count = 0; count <= MAX_DIFFERENCES; count += 1) {
    for (let diagonal = -count; diagonal <= count; diagonal += 2) {
      const adding = reached.get(diagonal + 1) ?? NOWHERE;
      const removing = reached.get(diagonal - 1) ?? NOWHERE;
      const from = adding.at > removing.at ? adding : removing;
      let at = from === adding ? from.at : from.at + 1;
      while (at < a.length && at - diagonal < b.length && a[at] === b[at - diagonal]) {
        at += 1;
      }
      reached.set(diagonal, { at, diagonal, from });
    }
    const end = reached.get(a.length - b.length);
    if (end?.at === a.length) {
      return wayTo(end);
    }
  }
  return undefined;
}

const NOWHERE: Reached = { at: -2, diagonal: 0 };

/** The steps in order from the first line. The search's first state was reached without a step, so leave it out. */
function wayTo(end: Reached): { at: number; diagonal: number; next: number }[] {
  const steps = [];
  for (let here = end; here.from?.from !== undefined; here = here.from) {
    const { at, diagonal } = here.from;
    steps.push({ at, diagonal, next: here.diagonal });
  }
  return steps.reverse();
}

/** Split into lines, without an empty one after the last line end. */
function linesOf(text: string): string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** How many lines at the start and the end of two texts are equal, compared by `of`. */
export function sameEnds(
  old: readonly string[],
  now: readonly string[],
  of = (line: string): string => line,
): { start: number; end: number } {
  const isSame = (one = '', other = ''): boolean => of(one) === of(other);
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && isSame(old[start], now[start])) {
    start += 1;
  }
  let end = 0;
  while (end < shorter - start && isSame(old.at(-1 - end), now.at(-1 - end))) {
    end += 1;
  }
  return { start, end };
}
