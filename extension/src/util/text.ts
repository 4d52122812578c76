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
 * The 0-based line of `after` that a diff which takes no notice of blanks at either end of a line may take for one of
 * `before` that has others; undefined where there is none. Rather one too many: which lines a diff takes for the same, where
 * several are, is its own matter.
 */
export function firstInBlanks(before: string, after: string): number | undefined {
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
  const found = now.findIndex((line, at) => {
    const last = now.length - at;
    return at < start ? line !== old[at] : last <= end ? line !== old.at(-last) : isOther(line);
  });
  return found === -1 ? undefined : found;
}

/**
 * The 0-based line of `after` at which a diff may show a line of either text that is `sought`;
 * undefined where there is none. Rather one too many: what a diff takes for changed between two changes is its own matter.
 */
export function firstChanged(
  before: string,
  after: string,
  sought: (line: string) => boolean,
): number | undefined {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const { start, end } = sameEnds(old, now, (line) => line);
  const found = now.slice(start, now.length - end).findIndex(sought);
  if (found !== -1) {
    return start + found;
  }
  return old.slice(start, old.length - end).some(sought) ? Math.min(start, now.length - 1) : undefined;
}

/** More differences than this are not looked for: all between the first and the last one counts as changed. */
const MOST_DIFFERENCES = 1000;

/** How many lines the shortest diff of two texts adds and removes. */
export function changedLines(before: string, after: string): { added: number; removed: number } {
  const [old, now] = [linesOf(before), linesOf(after)];
  const { start, end } = sameEnds(old, now, (line) => line);
  const [a, b] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  const total = differences(a, b) ?? a.length + b.length;
  return { added: (total + b.length - a.length) / 2, removed: (total - b.length + a.length) / 2 };
}

/** The lines of the shortest diff, by Myers' algorithm; undefined where they are too many to look for. */
function differences(a: readonly string[], b: readonly string[]): number | undefined {
  // How far in `a` one comes with so many differences, by how many more lines of `a` than of `b` are behind one.
  const reached = new Map([[1, 0]]);
  for (let count = 0; count <= MOST_DIFFERENCES; count += 1) {
    for (let diagonal = -count; diagonal <= count; diagonal += 2) {
      const down = reached.get(diagonal + 1) ?? -1;
      const right = (reached.get(diagonal - 1) ?? -2) + 1;
      let at = Math.max(down, right);
      while (at < a.length && at - diagonal < b.length && a[at] === b[at - diagonal]) {
        at += 1;
      }
      reached.set(diagonal, at);
      if (at >= a.length && at - diagonal >= b.length) {
        return count;
      }
    }
  }
  return undefined;
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
