/** Derives rules for the encodings that the editor uses for files by name. Doesn't use the vscode API. */
import type { EncodingRule } from '../protocol/types';

/** A glob for file names that identify a language. */
export interface Association {
  /** Higher kinds win if several match; among equal kinds the longer glob wins. */
  kind: 'extension' | 'pattern' | 'filename' | 'user';
  glob: string;
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

export function associationsOf(contributed: readonly ContributedLanguage[]): Association[] {
  return contributed.flatMap(({ id, extensions, filenames, filenamePatterns }) => {
    const language = typeof id === 'string' ? id : '';
    const of = (kind: Association['kind'], names: unknown, globsOf: (name: string) => string[]): Association[] =>
      stringsIn(names).flatMap(globsOf).map((glob) => ({ kind, glob, language }));
    return [
      ...of('extension', extensions, (name) => [`*${literal(name)}`]),
      ...of('filename', filenames, (name) => [literal(name)]),
      ...of('pattern', filenamePatterns, alternatives),
    ];
  });
}

/** Read the setting `files.associations`. */
export function usersAssociations(setting: unknown): Association[] {
  return Object.entries((setting ?? {}) as Record<string, unknown>).flatMap(([globs, language]) =>
    alternatives(globs).map((glob) => ({ kind: 'user' as const, glob, language: String(language) })),
  );
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
    return base === 'utf8' ? [] : [ofBase];
  }
  const sorted = associations
    .map(({ kind, glob, language }) => ({ kind, glob, encoding: ofLanguage.get(language) ?? base }))
    .sort(
      (one, other) =>
        WEIGHT[one.kind] - WEIGHT[other.kind] ||
        one.glob.length - other.glob.length ||
        one.encoding.localeCompare(other.encoding),
    );
  return sorted.reduce<EncodingRule[]>(
    (rules, { glob, encoding }) => {
      const last = rules.at(-1);
      if (last?.encoding !== encoding) {
        rules.push({ files: [glob], encoding });
      } else if (rules.length > 1) {
        last.files.push(glob); // the first rule matches every file
      }
      return rules;
    },
    [ofBase],
  );
}

function stringsIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : [];
}

/** A glob that matches exactly this name. */
function literal(name: string): string {
  return name.replace(/[[*?]/g, '[$&]');
}

/** Expands `{a,b}` into several globs. */
function alternatives(glob: string): string[] {
  const braces = /^(.*?)\{([^{}]*)\}(.*)$/s.exec(glob);
  if (braces === null) {
    return [glob];
  }
  const [, before = '', inner = '', after = ''] = braces;
  return inner.split(',').flatMap((one) => alternatives(`${before}${one}${after}`));
}
