import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { changedHtml, asMarkdown, baseName, brief, counts, folderOf, INVISIBLE, shownAsCodes, UNUSUAL, visible, withoutMarkup } from '../../src/util/display';

test('what turns, hides or commands is shown as what it is', () => {
  assert.equal(visible('a\u202eb'), 'a\\u{202e}b');
  assert.equal(visible('zero\u200bwidth\u0007'), 'zero\\u{200b}width\\u{7}');
  assert.equal(visible('lone \ud800!'), 'lone \\u{d800}!');
  assert.equal(visible('tag \u{e0041}'), 'tag \\u{e0041}');
});

// VS Code's own list, src/vs/base/common/invisible-characters.
const BOXED =
  '\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180e\u1cbb\u1cbc\u2000\u2001\u200a\u200b\u200c\u200d\u202f\u205f' +
  '\u2060\u206f\u2800\u3000\u3164\ufe00\ufe0f\ufeff\uffa0\ufff0\ufffc\u{133fc}\u{1d159}\u{1d173}\u{1d17a}\u{e0001}\u{e01ef}';

test('what VS Code draws a box around is invisible, and shown as a code', () => {
  for (const character of BOXED) {
    const code = `\\u{${character.codePointAt(0)?.toString(16)}}`;
    assert.ok(INVISIBLE.test(`a${character}b`), code);
    assert.equal(shownAsCodes(`a${character}b`), `a${code}b`);
  }
  assert.doesNotMatch('Größe\t你好 😀', INVISIBLE);
});

test('the server escapes the same characters', () => {
  const server = readFileSync('../server/agentfs_lsp/domain/text/escaping.py', 'utf8');
  const ranges = [...server.matchAll(/"((?:\\(?:u[\da-f]{4}|U[\da-f]{8})-?){2,})"/g)].map(([, listed = '']) => listed).join('');
  const escaped = new RegExp(`[${ranges.replace(/\\U0+([\da-f]+)/g, '\\u{$1}')}]`, 'u');
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code);
    assert.equal(escaped.test(character), INVISIBLE.test(character), code.toString(16));
  }
});

test('in names a joiner or selector stays only where a script or emoji uses it', () => {
  assert.equal(visible('नमस्\u200dते می\u200cخواهم ❤\ufe0f\u200d🔥 1\ufe0f\u20e3'), 'नमस्\u200dते می\u200cخواهم ❤\ufe0f\u200d🔥 1\ufe0f\u20e3');
  assert.equal(visible('is\u200dAdmin\ufe0f é\ufe00\ufe0f'), 'is\\u{200d}Admin\\u{fe0f} é\\u{fe00}\\u{fe0f}');
  assert.equal(visible('管理者\u200c Größe\u200d имя\ufe0e 🔥\u200d'), '管理者\\u{200c} Größe\\u{200d} имя\\u{fe0e} 🔥\\u{200d}');
  assert.equal(visible('কৃষ্\u200cণ 👩🏽\u200d💻 🏳\ufe0f\u200d🌈'), 'কৃষ্\u200cণ 👩🏽\u200d💻 🏳\ufe0f\u200d🌈');
  assert.equal(visible(`e\u0301\u0323 x${'\u0332'.repeat(56)}y`), 'e\u0301\u0323 x\u0332\u0332\u0332\\u{332}×53y');
  assert.equal(visible('100\u202f% a\u2800b'), '100\u202f% a\\u{2800}b');
});

test('the server takes the same joiners and selectors for ordinary', () => {
  const cases = JSON.parse(readFileSync('../tests/cases/joiners.json', 'utf8')) as { usual: string[]; unusual: { text: string; shown: string }[] };
  for (const text of cases.usual) {
    assert.equal(visible(text), text);
  }
  for (const { text, shown } of cases.unusual) {
    assert.equal(visible(text), shown.replaceAll(/\\u([\da-f]{4})|\\U0+([\da-f]+)/g, (_, four?: string, more?: string) => `\\u{${four ?? more}}`));
    assert.match(text, UNUSUAL);
  }
});

test('a font may draw nothing for characters that Unicode does not assign', () => {
  for (const text of ['\ufb37', '\ufb45', '\u{50000}']) {
    assert.match(`x = 1${text}`, UNUSUAL);
    assert.match(shownAsCodes(text), /^\\u\{[\da-f]+\}$/);
  }
  assert.doesNotMatch('שׂ ﬀ 🛜', UNUSUAL);
});

test('of variants of a character nothing may be seen in a diff', () => {
  for (const text of ['葛\u{e0100}', '侮\ufe00', '∅\ufe00', 'ᠭ\u180b']) {
    assert.equal(visible(text), text);
    assert.match(text, UNUSUAL);
  }
  assert.doesNotMatch('می\u200cخواهم ❤\ufe0f', UNUSUAL);
});

test('an explanation can’t push the diff away: it is one line', () => {
  assert.equal(visible('first\n\n  second\r\nthird\tfourth'), 'first second third fourth');
});

test('what makes a gap can’t push the end of a name out of view', () => {
  assert.equal(visible(`notes.md${'\u2003'.repeat(60)}.exe`), 'notes.md\\u{2003}×60.exe');
  assert.equal(visible(`notes.md${' '.repeat(180)}.exe`), 'notes.md\\u{20}×180.exe');
  assert.equal(visible(`notes.md${'\u3000\u00a0 \u200b'.repeat(15)}.exe`), 'notes.md\\u{3000}…×60.exe');
  assert.equal(visible(`notes.md${'\u200b'.repeat(60)}.exe`), 'notes.md\\u{200b}×60.exe');
  assert.equal(visible('two  blanks 100\u202f%　全角'), 'two  blanks 100\u202f%　全角');
});

test('words and emoji stay as they are', () => {
  assert.equal(visible('Größe 你好 👩‍💻'), 'Größe 你好 👩‍💻');
});

test('what is cut says so, and no character is cut in two', () => {
  assert.equal(brief('  short ', 10), 'short');
  assert.equal(brief('1234567890', 10), '1234567890');
  assert.equal(brief('12345678901', 10), '123456789…');
  assert.equal(brief('😀😀😀', 2), '😀…');
});

test('paths and counts', () => {
  assert.equal(baseName('src/a/b.py'), 'b.py');
  assert.equal(folderOf('src/a/b.py'), 'src/a');
  assert.equal(folderOf('b.py'), '');
  assert.equal(counts(3, 1), '+3 −1');
});

// VS Code's own: what becomes a link in notifications and input boxes (src/vs/base/common/linkedText.ts), what an icon in
// the status bar (iconLabels.ts), and what a link in Markdown without being marked as one (marked's autolinks).
const LINK = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^\)\s]+)(?: (["'])(.+?)(\3))?\)/i;
const ICON = /\$\([A-Za-z0-9-]+(?:~[A-Za-z]+)?\)/;

const hostile = [
  '[Details](command:workbench.action.terminal.sendSequence?%7B%22text%22%3A%22id%5Cn%22%7D).md',
  '[Details](command:x "Looks harmless")',
  '[a](https://example.com)',
  '[a](HTTP://example.com)',
  '[a](file:///etc/passwd)',
  '[[a]](command:x)',
  '[a](](command:x)',
  '[a]\u200b(command:x)',
  '$(error) $(sync~spin) \\$(error)',
];

test('no link and no icon is left in what is said, and every word of it is', () => {
  for (const text of hostile) {
    const said = withoutMarkup(text);
    assert.doesNotMatch(said, LINK, text);
    assert.doesNotMatch(said, ICON, text);
    assert.equal(said.replaceAll(' ', ''), visible(text).replaceAll(' ', ''));
  }
});

test('a link can’t be put together from two texts either', () => {
  for (const [one, other] of [
    ['[a]', '(command:x)'],
    ['[a', '](command:x)'],
  ]) {
    assert.doesNotMatch(withoutMarkup(`${one}${other}`), LINK);
  }
});

test('what is no markup is said as it is', () => {
  for (const text of ['[1] and (2)', 'a[0]', 'costs $5', 'pages/[id].tsx']) {
    assert.equal(withoutMarkup(text), text);
  }
});

test('in Markdown nothing is left that has a meaning', () => {
  const words = [...hostile, '**bold**', '<b>', '&amp;', 'https://example.com', 'www.example.com', 'a@example.com', '1. a', '```'];
  for (const text of words) {
    const markdown = asMarkdown(text);
    assert.doesNotMatch(markdown.replaceAll(/\\[!-/:-@[-`{-~]/g, ''), /[!-/:-@[-`{-~]/);
    assert.equal(markdown.replaceAll(/\\([!-/:-@[-`{-~])/g, '$1'), visible(text));
  }
});

/** What a browser shows of HTML that has only entities and these elements. */
const shownBy = (html: string): string =>
  html
    .replaceAll('<br>', '\n')
    .replaceAll('</div>', '\n')
    .replaceAll(/<\/?(div|code|wbr|span|span style="background-color:var\(--vscode-diffEditor-(inserted|removed)TextBackground\);")>/g, '')
    .replaceAll('&nbsp;', ' ')
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));

test('changed lines are shown literally, each with its sign: no character of theirs is HTML or Markdown', () => {
  for (const line of ['', '    x = [1](command:a) <b>', '``` $(check) &lt; \\ `x` *a* _b_ # %00 | ~', 'ö 😀 中文', '<img src=x>&#60;', 'https://example.org']) {
    const html = changedHtml([line], [line], [line, line]);
    assert.equal(shownBy(html), `${line}\n-${line}\n+${line}\n+${line}\n`);
    assert.doesNotMatch(html.replaceAll(/<[^>]*>|&#\d+;|&nbsp;/g, ''), /[^\p{L}\p{N} ]/u);
    assert.doesNotMatch(html, /\n/, 'a blank line would end the HTML');
  }
  assert.equal(shownBy(changedHtml([], [], ['\tx'])), '+    x\n');
});

test('a line is wrapped anywhere, but not within a character', () => {
  for (const character of ['x', ' ', '👩‍👩‍👧', 'e\u0301', 'e\u0336\u0336']) {
    const html = changedHtml([], [], [character.repeat(100)]);
    const pieces = html.split('<wbr>').map(shownBy).map((piece) => piece.replaceAll(/[+\n]/g, ''));
    assert.ok(pieces.length > 10 && pieces.every((piece) => piece.replaceAll(character, '') === '' && piece.length <= 8), JSON.stringify(pieces));
  }
});
