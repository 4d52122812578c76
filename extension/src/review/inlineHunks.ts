/** Where the hunks of a change are shown in its file itself, and which can't be. Doesn't use the vscode API. */
import { changedHtml, INVISIBLE } from '../util/display';
import type { ReviewHunk } from './hunks';
import { isLong } from './rows';

/**
 * A hunk in the file as it is. Its removed lines are those from `line` to `after`, and below `after` are the `shown` new
 * ones. Nothing can be shown above the first line: what is inserted there replaces that line by itself and others.
 */
export interface InlineHunk extends ReviewHunk {
  /** How many lines are marked as removed; none if lines are only inserted. */
  marked: number;
  after: number;
  shown: readonly string[];
  /** The removed lines that the comment repeats, wrapped: their ends may be right of the editor's edge. */
  repeated: readonly string[];
}

/** Why a change can't be shown in its file so that all of it is in sight. */
export type Obstacle = 'large' | 'end' | 'characters' | 'blanks';

/** More lines don't fit into an editor of usual height, with the lines around them. */
const MAX_LINES = 30;

const MAX_HUNKS = 50;

/** VS Code cuts off longer Markdown. */
const MAX_HTML = 90_000;

/** The hunks with their places in `base`, which has `\n` line ends. */
export function inlineHunks(base: string, all: readonly ReviewHunk[]): InlineHunk[] {
  const [first = ''] = base.split('\n', 1);
  return all.map((hunk) => {
    const { start: { before }, removed, added } = hunk;
    const isOnTop = before === 0 && removed.length === 0;
    const marked = isOnTop ? 1 : removed.length;
    const after = before + marked - 1;
    const line = marked === 0 ? after : before;
    return { ...hunk, line, lines: after - line + 1, marked, after, shown: isOnTop ? [...added, first] : added, repeated: removed.filter(isLong) };
  });
}

/** Why these hunks of `base` can't be shown in its file; undefined if they can. */
export function obstacleTo(base: string, all: readonly InlineHunk[]): Obstacle | undefined {
  const last = base.split('\n').length - 1;
  const isLarge = ({ removed, shown, repeated }: InlineHunk): boolean =>
    removed.length + shown.length > MAX_LINES || changedHtml([], repeated, shown).length > MAX_HTML;
  if (all.length > MAX_HUNKS || all.some(isLarge)) {
    return 'large';
  }
  // A hunk is known to be in view only if the line below it is.
  if (all.some(({ after }, at) => after >= last || after === all[at + 1]?.after)) {
    return 'end';
  }
  if (all.some(({ removed, shown }) => [...removed, ...shown].some(hasUnseen))) {
    return 'characters';
  }
  return all.some(isBlank) ? 'blanks' : undefined;
}

/** Whether a line has characters without a picture of their own, or marks that may push the rest of it out of its comment. */
function hasUnseen(line: string): boolean {
  return INVISIBLE.test(line) || /[^\P{Cc}\t]|\p{Cs}|\p{M}{3}/u.test(line);
}

/** Whether the hunk may differ in blanks that can't be told apart: at the ends of lines, or tabs and spaces. */
function isBlank({ removed, shown }: InlineHunk): boolean {
  const isAtEnd = (line: string): boolean => /[ \t]$/.test(line);
  const alike = (line: string): string => line.replaceAll(/[ \t]+/g, ' ');
  const hasTab = (line: string): boolean => line.includes('\t');
  const same = removed.filter((line) => shown.some((other) => other !== line && alike(other) === alike(line)));
  return [...removed, ...shown].some(isAtEnd) || (same.length > 0 && [...same, ...shown].some(hasTab));
}
