/** Makes agents' words and file names safe to display. */

// Control characters, characters that change the direction of text, and characters without width. Includes line ends
// and tabs, as the text is shown in one line.
const UNSEEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|\udb40[\udc00-\udfff]/g;

/** `text` in one line; characters that reorder, hide or control text appear as codes such as `\u{202e}`. */
export function visible(text: string): string {
  return shownAsCodes(text.replace(/\s*[\r\n]\s*|\t/g, ' '));
}

/** `text` with invisible characters, tabs and line ends replaced by codes such as `\u{202e}`, which `of` may wrap. */
export function shownAsCodes(text: string, of = (codes: string): string => codes): string {
  return text.replace(UNSEEN, (character) =>
    of(Array.from(character, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`).join('')),
  );
}

/** Like `visible`, shortened to `max` characters. */
export function brief(text: string, max: number): string {
  const characters = Array.from(visible(text).trim());
  return characters.length <= max ? characters.join('') : `${characters.slice(0, max - 1).join('')}…`;
}

/** The last part of a path with `/` separators. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The path of the folder, without a trailing separator; empty for a file in the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** The number of added and removed lines, for display. */
export function counts(added: number, removed: number): string {
  return `+${added} −${removed}`;
}

/**
 * `text` for notifications, input boxes and the status bar, where VS Code turns `[label](command:id)` into a link and
 * `$(name)` into an icon: a blank after `]` and `$` prevents both.
 */
export function withoutMarkup(text: string): string {
  return visible(text).replace(/[\]$](?=\()/g, '$& ');
}

/** Markdown that shows `text` literally. Escapes all punctuation, so that bare URLs don't become links either. */
export function asMarkdown(text: string): string {
  return visible(text).replace(/[!-/:-@[-`{-~]/g, '\\$&');
}
