/** Texts of proposals: line ends, bytes, and where two of them begin to differ. No I/O, no vscode. */

/** `text` with `\n` as its only line end, as the protocol has it. */
export function normalise(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** `text`, which has `\n` line ends, with those of the file, as far as an editor can hold them. */
export function withEol(text: string, eol: string): string {
  return eol === 'crlf' ? text.replace(/\n/g, '\r\n') : text;
}

/**
 * UTF-8, with a byte-order mark where the editor would take the bytes for another encoding without one: its
 * setting for encodings counts for every document, a mark before it.
 */
export function toBytes(text: string, marked: boolean): Uint8Array {
  return new TextEncoder().encode(marked ? `\ufeff${text}` : text);
}

/** What the editor saved, without the mark that `toBytes` or the editor put there. */
export function fromBytes(bytes: Uint8Array): string {
  return new TextDecoder('utf-8').decode(bytes);
}

/** The 0-based line, in both texts, at which they begin to differ; undefined where they are equal. */
export function firstDifference(before: string, after: string): number | undefined {
  if (before === after) {
    return undefined;
  }
  let line = 0;
  const shorter = Math.min(before.length, after.length);
  for (let at = 0; at < shorter && before.charCodeAt(at) === after.charCodeAt(at); at += 1) {
    if (before.charCodeAt(at) === 10) {
      line += 1;
    }
  }
  return line;
}
