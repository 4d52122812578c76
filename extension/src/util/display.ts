/** Words of agents and names of files, made safe to be looked at. */

// Controls, what turns the direction of text, and what takes no room; line ends and tabs too, as all of this
// is shown in one line.
const UNSEEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|\udb40[\udc00-\udfff]/g;

/** `text` in one line, with what reorders, hides or commands shown as `\u202e`. */
export function visible(text: string): string {
  return shownAsCodes(text.replace(/\s*[\r\n]\s*|\t/g, ' '));
}

/** `text` with what is not seen, tabs and line ends included, as `of` makes of its codes, such as `\u{202e}`. */
export function shownAsCodes(text: string, of = (codes: string): string => codes): string {
  return text.replace(UNSEEN, (character) =>
    of(Array.from(character, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`).join('')),
  );
}

/** The same, at most `most` characters long. */
export function brief(text: string, most: number): string {
  const characters = Array.from(visible(text).trim());
  return characters.length <= most ? characters.join('') : `${characters.slice(0, most - 1).join('')}…`;
}

/** The last part of a path with `/` as separator. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** What stands before it, without the separator; empty for a file in the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** How much a change adds and takes away, as people write it. */
export function counts(added: number, removed: number): string {
  return `+${added} −${removed}`;
}

/**
 * `text` for notifications, input boxes and the status bar, where VS Code makes a link of `[label](command:id)` and an
 * icon of `$(name)`: a blank after `]` and `$` leaves neither.
 */
export function withoutMarkup(text: string): string {
  return visible(text).replace(/[\]$](?=\()/g, '$& ');
}

/** Markdown that shows `text` as it is. Every character that can mean something is escaped, those of bare URLs too. */
export function asMarkdown(text: string): string {
  return visible(text).replace(/[!-/:-@[-`{-~]/g, '\\$&');
}
