/** Times in the language of VS Code. */
import * as vscode from 'vscode';

const formats = new Map<string, Intl.DateTimeFormat>();

/** For today, only the time. */
export function timeOf(at: number, timeStyle: 'short' | 'medium' = 'medium'): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return formatOf(isToday, timeStyle).format(date);
}

/** A format takes longer to make than to use, and lists are long. */
function formatOf(isToday: boolean, timeStyle: 'short' | 'medium'): Intl.DateTimeFormat {
  const name = `${timeStyle} ${String(isToday)}`;
  const format = formats.get(name) ?? new Intl.DateTimeFormat(vscode.env.language, { timeStyle, ...(isToday ? {} : { dateStyle: 'short' }) });
  formats.set(name, format);
  return format;
}
