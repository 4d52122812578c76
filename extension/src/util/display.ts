/** Makes agents' words and file names safe to display. */

/** Characters without width, that change the direction of text, or that look like a blank; includes VS Code's own list. */
export const INVISIBLE =
  /[\p{DI}\p{Zl}\p{Zp}\u1cbb\u1cbc\u2800\ufff9-\ufffc\u{133fc}\u{13430}-\u{1345f}\u{1d159}]|(?! )\p{Zs}/u;

const UNSEEN = new RegExp(String.raw`[\p{Cc}\p{Cs}]|${INVISIBLE.source}`, 'gu');

/** The scripts in which joiners change how letters look. */
const JOINED = 'Adlm Arab Bali Beng Deva Gujr Guru Java Khmr Knda Mlym Mong Mymr Nkoo Orya Sinh Syrc Taml Telu Tibt'.replace(/\w+ ?/g, (script) => `\\p{scx=${script.trim()}}`);

/** Blanks, and joiners and selectors where scripts and emoji use them: these stay readable in names and sentences. */
const USUAL = new RegExp(
  String.raw`\p{Zs}|(?<=(?!\p{DI})[${JOINED}])[\u200c\u200d]|(?<=[\p{ExtPict}\p{EMod}]\ufe0f?)\u200d(?=\p{ExtPict})|(?<=\p{ExtPict})[\ufe0e\ufe0f]|\ufe0f(?=\u20e3)`,
  'u',
);

const UNSEEN_IN_NAMES = new RegExp(`(?!${USUAL.source})(?:${UNSEEN.source})`, 'gu');

/** So many blanks, or others that can't be seen, would push what follows out of view. */
const GAP = new RegExp(String.raw`(?:${UNSEEN_IN_NAMES.source}|\p{Zs}){5,}`, 'gu');

/** C1 controls, and those of `INVISIBLE` that no script and no emoji uses. */
export const UNUSUAL = new RegExp(`[\x80-\x9f]|(?!${USUAL.source})(?:${INVISIBLE.source})`, 'u');

/**
 * `text` in one line; characters that reorder, hide or control text appear as codes such as `\u{202e}`, and gaps as
 * `\u{2003}×60`.
 */
export function visible(text: string): string {
  return asCodes(text.replace(/\s*[\r\n]\s*|\t+/g, ' ').replace(GAP, inShort), UNSEEN_IN_NAMES);
}

/** What a gap begins with, whether other characters follow, and how many there are. */
function inShort(gap: string): string {
  const [first = '', ...others] = Array.from(gap);
  return `${codeOf(first)}${others.every((other) => other === first) ? '' : '…'}×${others.length + 1}`;
}

/** `text` with invisible characters, tabs and line ends replaced by codes such as `\u{202e}`, which `of` may wrap. */
export function shownAsCodes(text: string, of?: (code: string) => string): string {
  return asCodes(text, UNSEEN, of);
}

function asCodes(text: string, unseen: RegExp, of = (code: string): string => code): string {
  return text.replace(unseen, (character) => of(codeOf(character)));
}

function codeOf(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** Like `visible`, shortened to `max` characters. */
export function brief(text: string, max: number): string {
  const characters = Array.from(visible(text).trim());
  return characters.length <= max ? characters.join('') : `${characters.slice(0, max - 1).join('')}…`;
}

/** What an error says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
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
