/**
 * Tells whether notifications of ours may cover some of a diff in front. They cover one end of an editor; VS Code tells which
 * of its lines are in view, but not their places, and nothing about others' notifications.
 */
import * as vscode from 'vscode';
import { areNotificationsAtTop, areTallNotificationsShown, hideNotifications, mayNotificationsCover, showStatusMessage } from '../util/window';
import { hunks, type Hunk } from '../util/text';
import { mayBeCovered, roomWith, rowsOf, USUAL, type Room } from './rows';

/** Larger texts take too long to compare at each press. */
const MAX_UNITS = 2_000_000;

/** The editor of several files shows so many rows around a hunk, and so many for the name of a file. */
const AROUND = 8;
const NAME = 3;

/** A file of a review: the texts of both sides, with `\n` line ends. */
export interface Compared {
  uri: vscode.Uri;
  base: string;
  now: string;
}

/** Whether they may cover changed lines of the diff in front, or of the editor of several files. */
export function isCovered(files: readonly Compared[], areSeveral: boolean): boolean {
  return mayNotificationsCover() && mayCover(files, areSeveral);
}

/** Take the notifications away, and tell the user so. */
export function uncover(): void {
  hideNotifications(true);
  showStatusMessage(vscode.l10n.t('Press again: a notification covered lines.'));
}

/** Whether notifications may cover changed lines of it, now or, of a diff that is not open yet, once it is. */
export function mayCover(files: readonly Compared[], areSeveral: boolean): boolean {
  const [only] = files;
  if (only === undefined || areTallNotificationsShown() || files.some(({ base, now }) => base.length + now.length > MAX_UNITS)) {
    return true;
  }
  const atTop = areNotificationsAtTop();
  const { columns, freeRows } = roomOf(only.uri);
  if (areSeveral) {
    const rowsOfBoth = ({ removed, added }: Hunk): number => rowsOf(removed, columns) + rowsOf(added, columns);
    const toEnd = files.reduce((sum, file) => sum + hunksOf(file).reduce((rows, hunk) => rows + rowsOfBoth(hunk) + AROUND, NAME), 0);
    return mayBeCovered({ above: 0, toEnd, all: 0 }, atTop, freeRows);
  }
  const ranges = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === only.uri.toString())?.visibleRanges;
  const lines = only.now.split('\n');
  const [first, last] = ranges === undefined ? [0, lines.length] : [ranges[0]?.start.line ?? 0, ranges.at(-1)?.end.line ?? 0];
  const all = ranges === undefined ? 0 : last + 1 - first;
  const inView = hunksOf(only).filter(({ start: { after }, added }) => after <= last + 1 && after + added.length >= first);
  return inView.some(({ start: { after }, added }, at) => {
    const removed = inView.slice(0, at + 1).reduce((sum, hunk) => sum + rowsOf(hunk.removed, columns), 0);
    const end = Math.min(after + added.length, last + 1);
    const toEnd = rowsOf(lines.slice(first, end), columns) + removed;
    return mayBeCovered({ above: after - first, toEnd, all, isFull: last < lines.length - 1 }, atTop, freeRows);
  });
}

function hunksOf({ base, now }: Compared): Hunk[] {
  return hunks(base.split('\n'), now.split('\n'));
}

/** The room that an editor has for this text, with the font that the settings name. */
export function roomOf(uri: vscode.Uri): Room {
  const editor = vscode.workspace.getConfiguration('editor', uri);
  return roomWith(Number(editor.get('fontSize')) || USUAL.size, Number(editor.get('lineHeight')) || 0);
}
