/** How many rows of an editor a change takes, and which of them notifications may cover. Doesn't use the vscode API. */
import { columnsOf } from '../util/text';

/** Lines of so many columns are within each side of a diff, unless a window is very small. */
export const NARROW_COLUMNS = 40;

/** VS Code draws tabs as wide as this, or narrower. */
const TAB = 8;

/** How much of an editor is free of the notifications that VS Code shows at a time, which are at one end of it. */
export const FREE_PART = 0.6;

/** So many rows at the other end are free in any editor of usual height, with the usual font or a smaller one. */
const FREE_ROWS = 18;

/** The usual font: its size, and the height of its rows, in pixels. */
export const USUAL = { size: 14, row: 19 };

/** VS Code's factor for the height of a row, which is 1.5 on macOS, where the usual font is as much smaller. */
const ROW = 1.35;

/** How many columns a side of a diff has at least, and how many rows are free at the end without notifications. */
export interface Room {
  columns: number;
  freeRows: number;
}

/** The room that is there with a font. `lineHeight`: as in the settings: pixels, a factor, or 0 for VS Code's own. */
export function roomWith(fontSize: number, lineHeight: number): Room {
  const row = lineHeight === 0 ? ROW * fontSize : lineHeight < 8 ? lineHeight * fontSize : lineHeight;
  const within = (most: number, times: number): number => Math.floor(most * Math.min(1, times));
  return { columns: within(NARROW_COLUMNS, USUAL.size / fontSize), freeRows: within(FREE_ROWS, USUAL.row / Math.round(row)) };
}

/** Whether a line may go past the right edge of an editor with side bars at both of its sides, or with wide margins. */
export function isLong(line: string): boolean {
  return columnsOf(line, TAB) > NARROW_COLUMNS;
}

/** How many rows these lines take at most where they are wrapped. */
export function rowsOf(lines: readonly string[], columns = NARROW_COLUMNS): number {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(columnsOf(line, TAB) / columns)), 0);
}

/**
 * Where a part of an editor's view is: the rows above it, those down to its end, and all that are in view. `isFull`: the text
 * goes on below, so that a low editor has no more.
 */
export interface Place {
  above: number;
  toEnd: number;
  all: number;
  isFull?: boolean;
}

/** Whether notifications, which are `atTop` or at the bottom of the window, may cover it. */
export function mayBeCovered({ above, toEnd, all, isFull = false }: Place, atTop: boolean, freeRows = FREE_ROWS): boolean {
  return atTop ? above < Math.max((1 - FREE_PART) * all, FREE_ROWS) : toEnd > Math.max(FREE_PART * all, isFull ? 0 : freeRows);
}
