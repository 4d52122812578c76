/** Derives rules for the encodings that the editor uses for files by name. Doesn't use the vscode API. */
import type { EncodingRule } from '../protocol/types';

/** A pattern in the syntax of `fnmatch` for file names that identify a language. */
export interface Association {
  /** Higher kinds win if several match; among equal kinds the one with the greater `length` wins. */
  kind: 'extension' | 'pattern' | 'filename' | 'user';
  pattern: string;
  /** The length of the glob that it comes from. */
  length: number;
  language: string;
}

/** A language in an extension's manifest. */
export interface ContributedLanguage {
  id?: unknown;
  extensions?: unknown;
  filenames?: unknown;
  filenamePatterns?: unknown;
}

const WEIGHT: Readonly<Record<Association['kind'], number>> = { extension: 0, pattern: 1, filename: 2, user: 3 };

/** The editor's own language, which is in no manifest. */
export const BUILT_IN: readonly ContributedLanguage[] = [{ id: 'plaintext', extensions: ['.txt'] }];

/** VS Code reads and writes these in UTF-8, whatever `files.encoding` is. */
const ALWAYS_UTF8: EncodingRule = { files: ['.vscode/**', '*.code-workspace', '*.ipynb'], encoding: 'utf8' };

export function associationsOf(contributed: readonly ContributedLanguage[]): Association[] {
  return contributed.flatMap(({ id, extensions, filenames, filenamePatterns }) => {
    const language = typeof id === 'string' ? id : '';
    const of = (kind: Association['kind'], names: unknown, patternsOf: (name: string) => string[]): Association[] =>
      stringsIn(names).flatMap((name) => associated(kind, name, patternsOf(name), language));
    return [
      ...of('extension', extensions, (name) => [`*${literal(name)}`]),
      ...of('filename', filenames, (name) => [literal(name)]),
      ...of('pattern', filenamePatterns, patternsFor),
    ];
  });
}

/** Read the setting `files.associations`. */
export function usersAssociations(setting: unknown): Association[] {
  return Object.entries((setting ?? {}) as Record<string, unknown>).flatMap(([glob, language]) =>
    associated('user', glob, patternsFor(glob), String(language)),
  );
}

function associated(kind: Association['kind'], glob: string, patterns: string[], language: string): Association[] {
  return patterns.map((pattern) => ({ kind, pattern, length: glob.length, language }));
}

/**
 * Encoding rules; the last one that matches a file applies. The encoding is `base` except for the languages in
 * `ofLanguage`.
 */
export function rulesFor(
  base: string,
  ofLanguage: ReadonlyMap<string, string>,
  associations: readonly Association[],
): EncodingRule[] {
  const ofBase = { files: ['*'], encoding: base };
  if (![...ofLanguage.values()].some((encoding) => encoding !== base)) {
    return base === 'utf8' ? [] : [ofBase, ALWAYS_UTF8];
  }
  const sorted = associations
    .map(({ kind, pattern, length, language }) => ({ kind, pattern, length, encoding: ofLanguage.get(language) ?? base }))
    .sort(
      (one, other) =>
        WEIGHT[one.kind] - WEIGHT[other.kind] ||
        one.length - other.length ||
        (one.kind === 'user' ? 0 : one.encoding.localeCompare(other.encoding)), // of the user's, the last one wins
    );
  const ofNames = sorted.reduce<EncodingRule[]>(
    (rules, { pattern, encoding }) => {
      const last = rules.at(-1);
      if (last?.encoding !== encoding) {
        rules.push({ files: [pattern], encoding });
      } else if (rules.length > 1) {
        last.files.push(pattern); // the first rule matches every file
      }
      return rules;
    },
    [ofBase],
  );
  return [...ofNames, ALWAYS_UTF8];
}

function stringsIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : [];
}

/** A glob that matches exactly this name. */
function literal(name: string): string {
  return name.replace(/[[*?]/g, '[$&]');
}

/** As many of one glob count: a workspace can write groups whose product never ends. */
const MAX_ALTERNATIVES = 1000;

/** More of them in one glob are unheard of, and each doubles the patterns. */
const MAX_ANY_FOLDERS = 3;

/**
 * The patterns for a glob as VS Code reads it. With a slash, it must match the absolute path: what does not start with
 * `**\/` matches nothing, except for absolute globs, which the server has no patterns for. In a pattern with a slash, `*`
 * also matches slashes, so `**\/a/*.b` covers the folders below, too.
 */
function patternsFor(glob: string): string[] {
  return alternatives(glob.trim().replace(/\/$/, '')).flatMap((one) => {
    const pattern = withSets(one);
    if (!glob.includes('/') || pattern === undefined) {
      return pattern ?? [];
    }
    const [, below] = /^\/?(?:\*\*\/)+(.*)/s.exec(pattern) ?? [];
    if (below === undefined || below.split('/**/').length > MAX_ANY_FOLDERS + 1) {
      return [];
    }
    return below.includes('/') ? anyFolders(`**/${below.replaceAll('?', '[!/]')}`) : [below];
  });
}

/** `/**\/` also stands for no folder. */
function anyFolders(pattern: string): string[] {
  const at = pattern.indexOf('/**/');
  if (at < 0) {
    return [pattern];
  }
  const before = pattern.slice(0, at);
  return anyFolders(pattern.slice(at + 4)).flatMap((rest) => [`${before}/${rest}`, `${before}/**/${rest}`]);
}

/**
 * Expands `{a,b}` into several globs. In VS Code a group ends at the first brace that closes, and what follows a brace
 * that opens within it, or is never closed, does not count. Nor does an empty last choice.
 */
function alternatives(glob: string): string[] {
  const [, before = '', inner, after = ''] = /^([^{]*)(?:\{([^}]*)\}(.*))?/s.exec(glob) ?? [];
  const start = before.replaceAll('}', '');
  if (inner === undefined) {
    return [start];
  }
  const choices = inner.replace(/\{.*/s, '').split(',');
  if (choices.length > 1 && inner.endsWith(',')) {
    choices.pop();
  }
  const all = alternatives(after).flatMap((rest) => choices.map((choice) => `${start}${choice}${rest}`));
  return all.slice(0, MAX_ALTERNATIVES);
}

/** With sets of characters as `fnmatch` has them; undefined if VS Code matches nothing, as for a stray `]`. */
function withSets(glob: string): string | undefined {
  const [text = '', set, after = ''] = /^([^[\]]*)(\[[^][^\]]*\])?(.*)/s.exec(glob)?.slice(1) ?? [];
  if (set === undefined) {
    return after.startsWith(']') ? undefined : text; // a set that is never closed does not count
  }
  const rest = withSets(after);
  return rest === undefined ? undefined : `${text}${set.replace(/^\[\^/, '[!')}${rest}`;
}
