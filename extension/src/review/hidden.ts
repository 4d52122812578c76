/**
 * Why the diff editor may not show all differences of a text: it draws only so much of a line, skips characters, and
 * settings hide more.
 */
import * as vscode from 'vscode';
import { brief, INVISIBLE, UNUSUAL } from '../util/display';
import { anyChanged, anyRemoved, blanksChanged, columnsOf } from '../util/text';
import { NARROW_COLUMNS } from './rows';
import { hidingSettings } from './workspaceSettings';

/** VS Code's default for how many UTF-16 units of a line it draws. */
const USUAL_LIMIT = 10_000;

/** If lines don't wrap, longer ones may go past the right edge of a side of the diff. */
const USUAL_COLUMNS = 80;

/**
 * Whitespace of so many columns pushes text out of view: at the beginning of a line, within it, and within one that doesn't
 * wrap. Users can turn off wrapping in a single editor, which VS Code doesn't report; but they see that ordinary text goes
 * on behind the right edge. Where nothing wraps, the edge may be within a smaller gap.
 */
const PADDING = { before: 40, within: 20, unwrapped: 8 };

/**
 * Characters that fonts may draw wider than the columns that VS Code counts to wrap lines: all but Western letters and
 * signs that fonts for code have, and letters that VS Code counts as full width.
 */
const UNMEASURED = new RegExp(
  String.raw`[^\t\x20-\x7e\xa0-\u017f\u01a0\u01a1\u01af\u01b0\u0300-\u036f\u0384-\u03ce\u0400-\u045f\u0490\u0491\u1ea0-\u1ef9` +
    '‐-―‗-„†-•…‰′″‹›€№™←-↕∂∆∏∑−√∞∫≈≠≤≥─│┌┐└┘├┤┬┴┼═-╬▀▄█▌▐-▓■□○●' +
    String.raw`\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff01-\uff5e\u{20000}-\u{3ffff}]`,
  'gu',
);

/** One emoji fits into what is free behind each row. */
const FIRST_EMOJI = /\p{ExtPict}\ufe0f?/u;

/** How many columns such a character may take; those of `WIDEST` take more. */
const UNMEASURED_COLUMNS = 4;

/** Whole sentences, and signs of scripts, in one character. */
const WIDEST = /[\u0bf5-\u0bfa\u2e3a\u2e3b\ua9c1-\ua9cd\ufbb2-\ufdff\u{12000}-\u{1254f}]/u;

/**
 * How wide the part of a window for editors is at least, unless it is very small, and how much of each editor is beside its
 * text. In pixels; no API tells how wide an editor is.
 */
const ROOM = { editors: 900, beside: 160 };

/** How wide fonts for code are for their size. */
const FONT_WIDTH = 0.6;

/** VS Code doesn't wrap the lines of texts with more lines or UTF-16 units. */
const LARGE = { lines: 300_000, units: 20 * 1024 * 1024 };

/** VS Code marks no characters of a text if it would mark more than this. */
const MAX_MARKS = 1000;

/**
 * The settings that make the editor draw these characters, as signs or codes. No setting makes it draw all that are
 * `UNUSUAL`: it skips words with letters of other scripts, texts with many such characters, and those it doesn't know.
 */
const DRAWN_BY: Readonly<Record<string, RegExp>> = {
  'editor.renderControlCharacters': /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/,
  'editor.unicodeHighlight.invisibleCharacters': INVISIBLE,
};

/**
 * Why the diff editor, or with `areSeveral` the editor of several files, may leave out some differences of the file `name`;
 * undefined if it shows everything.
 */
export function whyHidden(config: vscode.WorkspaceConfiguration, name: string, base: string, now: string, areSeveral = false): string | undefined {
  const hiding = hidingSettings(config);
  if (hiding.length > 0) {
    return vscode.l10n.t('Settings of this workspace may make the name or changes of {0} unreadable: {1}.', name, brief(hiding.join(', '), 200));
  }
  const isUnmarked = anyChanged(base, now, (line) => INVISIBLE.test(line)) && [base, now].some(isCrowded);
  if (isUnmarked || anyChanged(base, now, (line) => UNUSUAL.test(line))) {
    return vscode.l10n.t(
      'Changed lines of {0} have invisible characters, or some that reorder text, which the editor may not show.',
      name,
    );
  }
  if (isAnyCut(config, base, now, areSeveral)) {
    return vscode.l10n.t('Changed lines of {0} may be longer than what the editor shows of a line.', name);
  }
  if (config.get('diffEditor.ignoreTrimWhitespace', true) && blanksChanged(base, now)) {
    return vscode.l10n.t(
      '{0} may have whitespace changes at the beginning or end of lines, which the setting diffEditor.ignoreTrimWhitespace hides.',
      name,
    );
  }
  const setting = Object.keys(DRAWN_BY).find(
    (key) => config.get(key, true) !== true && anyChanged(base, now, (line) => DRAWN_BY[key]?.test(line) === true),
  );
  return setting === undefined
    ? undefined
    : vscode.l10n.t('Changed lines of {0} have invisible characters, which the setting {1} may hide.', name, setting);
}

/**
 * Whether some changed lines may not be shown from end to end. The editor of several files wraps only their right sides: VS
 * Code turns that off on the left of a diff without room for two sides, as these are at first, and never on again.
 */
function isAnyCut(config: vscode.WorkspaceConfiguration, base: string, now: string, areSeveral: boolean): boolean {
  const isUnwrapped = areSeveral && config.get('diffEditor.renderSideBySide', true);
  return (
    anyChanged(base, now, isWider(config, [base, now].every((text) => isWrapped(config, text)))) ||
    (isUnwrapped && anyRemoved(base, now, isWider(config, false)))
  );
}

/** Tells which lines of a text a normal editor, which is no diff, may not show from end to end. */
export function isWiderThanEditor(config: vscode.WorkspaceConfiguration): (line: string) => boolean {
  const wrap = config.get('editor.wordWrap');
  return isWider(config, wrap === 'on' || wrap === 'bounded', columnsOfEditor(config));
}

/** A setting that may be a text, as VS Code reads it. */
function numberIn(config: vscode.WorkspaceConfiguration, name: string, usual: number): number {
  const value = parseFloat(String(config.get(name, usual)));
  return Number.isNaN(value) ? usual : value;
}

/** How many columns a normal editor shows at least: the groups may be side by side. */
function columnsOfEditor(config: vscode.WorkspaceConfiguration): number {
  const width = ROOM.editors / vscode.window.tabGroups.all.length - ROOM.beside;
  const ofColumn = numberIn(config, 'editor.fontSize', 14) * FONT_WIDTH + numberIn(config, 'editor.letterSpacing', 0);
  return Math.min(USUAL_COLUMNS, width / Math.max(ofColumn, 1));
}

/** Tells which lines the editor may not draw in full, or not within its width. */
function isWider(config: vscode.WorkspaceConfiguration, wrapped: boolean, maxColumns = USUAL_COLUMNS): (line: string) => boolean {
  const limit = limitOf(config);
  const tab = config.get('editor.tabSize', 4);
  const count = (line: string, sought: RegExp): number => line.match(sought)?.length ?? 0;
  const columns = (line: string, tabSize = tab): number => columnsOf(line, tabSize);
  const isPadded = (line: string): boolean =>
    [...line.matchAll(/\s+/g)].some(({ 0: blanks, index }) => {
      const { before, within, unwrapped } = PADDING;
      return columns(blanks, Math.max(tab, 4)) >= (index === 0 ? before : wrapped ? within : unwrapped);
    });
  const isCut = (line: string): boolean =>
    (!wrapped && columns(line) > maxColumns) || ((!wrapped || columns(line.trimEnd()) > NARROW_COLUMNS) && isPadded(line.trimEnd()));
  const isPushed = (line: string): boolean => {
    const unmeasured = count(line.replace(FIRST_EMOJI, ''), UNMEASURED);
    return WIDEST.test(line) || (unmeasured > 0 && columns(line) + unmeasured * UNMEASURED_COLUMNS > NARROW_COLUMNS);
  };
  return (line) => line.length > limit || isCut(line) || isPushed(line);
}

/** How many UTF-16 units of a line, or of a row of a wrapped line, the editor draws; parsed the way VS Code does. */
function limitOf(config: vscode.WorkspaceConfiguration): number {
  const limit = Number.parseInt(String(config.get('editor.stopRenderingLineAfter')), 10);
  return Number.isNaN(limit) ? USUAL_LIMIT : limit < 0 ? Infinity : limit;
}

/** Whether diffs wrap the lines of a text at the right edge of the editor. */
function isWrapped(config: vscode.WorkspaceConfiguration, text: string): boolean {
  const ofDiffs = config.get('diffEditor.wordWrap');
  const ofEditors = config.get('editor.wordWrap');
  const isLarge = text.length > LARGE.units || text.split('\n').length > LARGE.lines;
  const isOn = ofDiffs === 'on' || (ofDiffs !== 'off' && (ofEditors === 'on' || ofEditors === 'bounded'));
  return isOn && !isLarge;
}

/** Whether VS Code may mark no characters of a text. It also marks letters that look like others, and only it knows which. */
function isCrowded(text: string): boolean {
  return (text.match(/[^\0-\x7f]/gu)?.length ?? 0) > MAX_MARKS;
}
