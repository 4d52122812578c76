/** Texts of proposals: line ends, bytes, and where two of them differ. No I/O, no vscode. */

/** `text` with `\n` as its only line end, as the protocol has it. */
export function normalise(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** `text`, which has `\n` line ends, with those of the file, as far as an editor can hold them. */
export function withEol(text: string, eol: string): string {
  return eol === 'crlf' ? text.replace(/\n/g, '\r\n') : text;
}

/**
 * UTF-8, with a byte-order mark where the editor would take the bytes for another encoding without one: its
 * setting for encodings counts for every document, a mark before it.
 */
export function toBytes(text: string, marked: boolean): Uint8Array {
  return new TextEncoder().encode(marked ? `\ufeff${text}` : text);
}

/** What the editor saved, without the mark that `toBytes` or the editor put there. */
export function fromBytes(bytes: Uint8Array): string {
  return new TextDecoder('utf-8').decode(bytes);
}

/** The 0-based line, in both texts, at which they begin to differ; undefined where they are equal. */
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
 * Whether a diff which takes no notice of blanks at either end of a line may take one of `after` for one of `before` that has
 * others. Rather once too often: which lines a diff takes for the same, where several are, is its own matter.
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
 * Whether a diff may show a line of either text that is `sought` as changed. Rather once too often: what a diff takes for
 * changed between two changes is its own matter.
 */
export function anyChanged(before: string, after: string, sought: (line: string) => boolean): boolean {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const { start, end } = sameEnds(old, now, (line) => line);
  return now.slice(start, now.length - end).some(sought) || old.slice(start, old.length - end).some(sought);
}

/** More differences than this are not looked for: all between the first and the last one counts as changed. */
const MOST_DIFFERENCES = 1000;

/** Lines that take the place of others, and the 0-based line in each text at which they do. */
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

/** The shortest diff of two texts, given as lines; of very many differences one hunk of all of them. */
export function hunks(old: readonly string[], now: readonly string[]): Hunk[] {
  const { start, end } = sameEnds(old, now, (line) => line);
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

/** `at`: how many lines of `a` are behind one, `diagonal`: how many more than of `b`; after the lines that are the same. */
interface Reached {
  at: number;
  diagonal: number;
  from?: Reached;
}

/** Where each line is removed (`next` is a higher diagonal) or added, by Myers' algorithm; undefined where they are too many. */
function shortestWay(a: readonly string[], b: readonly string[]): { at: number; diagonal: number; next: number }[] | undefined {
  const reached = new Map<number, Reached>([[1, { at: 0, diagonal: 1 }]]);
  for (let count = 0; count <= MOST_DIFFERENCES; count += 1) {
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

/** From the first line on. The first place but one is reached without a difference. */
function wayTo(end: Reached): { at: number; diagonal: number; next: number }[] {
  const steps = [];
  for (let here = end; here.from?.from !== undefined; here = here.from) {
    const { at, diagonal } = here.from;
    steps.push({ at, diagonal, next: here.diagonal });
  }
  return steps.reverse();
}

/** Without an empty one behind the last line end. */
function linesOf(text: string): string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** How many lines at the start and at the end of two texts are the same, by what `of` makes of them. */
function sameEnds(
  old: readonly string[],
  now: readonly string[],
  of: (line: string) => string,
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
