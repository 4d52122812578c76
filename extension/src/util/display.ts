/** Makes agents' words and file names safe to display. */

/** Characters without width, that change the direction of text, or that look like a blank; includes VS Code's own list. */
export const INVISIBLE =
  /[\p{DI}\p{Zl}\p{Zp}\u1cbb\u1cbc\u2800\ufff9-\ufffc\u{133fc}\u{13430}-\u{1345f}\u{1d159}]|(?! )\p{Zs}/u;

const UNSEEN = new RegExp(String.raw`[\p{Cc}\p{Cs}]|${INVISIBLE.source}`, 'gu');

/** Letters, marks and digits of the scripts in which joiners change how letters look. This and the next four are the server’s lists. */
const JOINED =
  String.raw`\u0610-\u061a\u0620-\u0669\u066e-\u06d3\u06d5-\u06dc\u06df-\u06e8\u06ea-\u06fc\u06ff\u0710-\u077f` +
  String.raw`\u07c0-\u07f5\u07fa-\u07fd\u0840-\u085b\u0860-\u0887\u0889-\u088e\u0898-\u08e1\u08e3-\u0963\u0966-\u096f` +
  String.raw`\u0971-\u09f1\u09fc\u09fe-\u0a75\u0a81-\u0aef\u0af9-\u0b6f\u0b71\u0b82-\u0bef\u0c00-\u0c6f\u0c80-\u0c83` +
  String.raw`\u0c85-\u0d4e\u0d54-\u0d57\u0d5f-\u0d6f\u0d7a-\u0df3\u0f00\u0f18\u0f19\u0f20-\u0f29\u0f35\u0f37\u0f39` +
  String.raw`\u0f3e-\u0f84\u0f86-\u0fbc\u0fc6\u1000-\u1049\u1050-\u109d\u1780-\u17b3\u17b6-\u17d3\u17d7\u17dc-\u17e9` +
  String.raw`\u1810-\u18aa\u1b00-\u1b59\u1b6b-\u1b73\u1cd0-\u1cd2\u1cd4-\u1cfa\ua840-\ua873\ua8e0-\ua8f7\ua8fb` +
  String.raw`\ua8fd-\ua8ff\ua980-\ua9c0\ua9cf-\ua9d9\ua9e0-\ua9fe\uaa60-\uaa76\uaa7a-\uaa7f\ufb50-\ufbb1\ufbd3-\ufd3d` +
  String.raw`\ufd50-\ufdc7\ufdf0-\ufdfb\ufe70-\ufefc\u{1e900}-\u{1e959}`;

/** Those behind which a joiner changes the last letter of a word. */
const ENDING =
  String.raw`\u0647\u06be\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u0f84\u1039\u103a\u17d2` +
  String.raw`\u1b44\ua9c0`;

/** Emoji, and the symbols and pictographs among them. */
const EMOJI =
  String.raw`\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u23cf\u23e9-\u23f3` +
  String.raw`\u23f8-\u23fa\u24c2\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u27bf\u2934\u2935\u2b05-\u2b07\u2b1b\u2b1c` +
  String.raw`\u2b50\u2b55\u3030\u303d\u3297\u3299\u{1f000}-\u{1faff}\u{1fc00}-\u{1fffd}`;

/** Characters of Chinese and Japanese, which have variants. */
const IDEOGRAPHS = String.raw`\u3400-\u4dbf\u4e00-\u9fff\u{20000}-\u{3fffd}`;

/** The operators that have variants. */
const MATHEMATICAL =
  String.raw`\u2205\u2229\u222a\u2268\u2269\u2272\u2273\u228a\u228b\u2293-\u2295\u2297\u229c\u22da\u22db\u2a3c\u2a3d` +
  String.raw`\u2a9d\u2a9e\u2aac\u2aad\u2acb\u2acc`;

/** Blanks, and joiners and selectors that change what is seen. */
const SEEN = new RegExp(
  String.raw`\p{Zs}|(?<=[${JOINED}])[\u200c\u200d](?=[${JOINED}])|(?<=[${ENDING}])\u200d(?![\u200c\u200d])` +
    String.raw`|(?<=[${EMOJI}]\ufe0f?)\u200d(?=[${EMOJI}])|(?<=[${EMOJI}])[\ufe0e\ufe0f]|(?<=[#*0-9])\ufe0f(?=\u20e3)`,
  'u',
);

/** Selectors of variants that many fonts lack, so that nothing may be seen of them. */
const VARIANTS =
  String.raw`(?<=[${IDEOGRAPHS}])[\ufe00-\ufe02\u{e0100}-\u{e01ef}]|(?<=[${MATHEMATICAL}\ua840-\ua873])\ufe00` +
  String.raw`|(?<=[\u1820-\u18aa])[\u180b-\u180d\u180f]`;

/** What scripts and emoji use stays readable in names and sentences. */
const UNSEEN_IN_NAMES = new RegExp(`(?!${SEEN.source}|${VARIANTS})(?:${UNSEEN.source})`, 'gu');

/** So many blanks, or others that can't be seen, would push what follows out of view. */
const GAP = new RegExp(String.raw`(?:${UNSEEN_IN_NAMES.source}|\p{Zs}){5,}`, 'gu');

/** So many marks on a letter would be drawn over the lines above or below. */
const STACK = /(?<=\p{M}{3})\p{M}+/gu;

/** C1 controls, characters that Unicode does not assign, and those of `INVISIBLE` of which nothing may be seen. */
export const UNUSUAL = new RegExp(String.raw`[\x80-\x9f\p{Cn}]|(?!${SEEN.source})(?:${INVISIBLE.source})`, 'u');

/**
 * `text` in one line; characters that reorder, hide or control text appear as codes such as `\u{202e}`, and gaps and
 * stacks of marks as `\u{2003}×60`.
 */
export function visible(text: string): string {
  const line = text.replace(/\s*[\r\n]\s*|\t+/g, ' ').replace(GAP, inShort).replace(STACK, inShort);
  return asCodes(line, UNSEEN_IN_NAMES);
}

/** What a gap or a stack begins with, whether other characters follow, and how many there are. */
function inShort(gap: string): string {
  const [first = '', ...others] = Array.from(gap);
  return `${codeOf(first)}${others.every((other) => other === first) ? '' : '…'}×${others.length + 1}`;
}

/** Those of `UNSEEN`, and characters that Unicode does not assign: some fonts draw nothing for them. */
const UNSEEN_IN_TEXTS = new RegExp(String.raw`${UNSEEN.source}|\p{Cn}`, 'gu');

/** `text` with invisible characters, tabs and line ends replaced by codes such as `\u{202e}`, which `of` may wrap. */
export function shownAsCodes(text: string, of?: (code: string) => string): string {
  return asCodes(text, UNSEEN_IN_TEXTS, of);
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

/** So many UTF-16 units of a line stay together where it is wrapped: they fit into the narrowest editor. */
const UNBROKEN = 8;

const CHARACTERS = new Intl.Segmenter();

/** Words of sentences are wrapped as a whole, but for longer ones. */
const WORD = /\S{1,16}|\s+/gu;

/** The only styles that VS Code's Markdown allows for this; without a color in the theme, the signs tell. */
const STYLES = {
  '-': 'background-color:var(--vscode-diffEditor-removedTextBackground);',
  '+': 'background-color:var(--vscode-diffEditor-insertedTextBackground);',
};

/**
 * HTML for a Markdown comment: the paragraphs of `said`, then lines of code that are `removed` and `added`, each with its
 * sign. Shows all literally, and wraps it in an editor of any width.
 */
export function changedHtml(said: readonly string[], removed: readonly string[], added: readonly string[]): string {
  const words = said.map((line) => `<div>${(visible(line).match(WORD) ?? []).map(escaped).join('<wbr>')}</div>`);
  const codeOf = (sign: '-' | '+', line: string): string => {
    const chunks = chunksOf(`${sign}${line.replaceAll('\t', '    ')}`).map((chunk) => escaped(chunk).replaceAll(' ', '&nbsp;'));
    return `<code>${chunks.map((chunk) => `<span style="${STYLES[sign]}">${chunk}</span>`).join('<wbr>')}</code>`;
  };
  const lines = [...removed.map((line) => codeOf('-', line)), ...added.map((line) => codeOf('+', line))];
  return `${words.join('')}<div>${lines.join('<br>')}</div>`;
}

/** Text in pieces between which a line may be wrapped: no character is cut in two, but marks count. */
function chunksOf(text: string): string[] {
  const chunks: string[] = [];
  for (const { segment } of CHARACTERS.segment(text)) {
    const last = chunks.at(-1);
    if (last === undefined || last.length + segment.length > UNBROKEN) {
      chunks.push(segment);
    } else {
      chunks[chunks.length - 1] = last + segment;
    }
  }
  return chunks;
}

/** Text as HTML, outside of tags. */
export function asHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** Text as HTML that is no Markdown either: only letters, digits and blanks stay as they are. */
function escaped(text: string): string {
  return text.replace(/[^a-z0-9 ]/giu, (character) => `&#${character.codePointAt(0)};`);
}
