/** The section `agentfs` of the user's settings: which of it is the server's, which the extension's own. */

export const SECTION = 'agentfs';

/** Where a review is shown: the extension's diff editor, or VS Code's Refactor Preview. */
export type ReviewStyle = 'diff' | 'refactorPreview';
export type TraceLevel = 'off' | 'messages' | 'verbose';

/** The first parts of the extension's own keys; the server does not know them. */
const OWN = new Set(['interpreter', 'review', 'trace']);

/** The extension's own settings, and those of the server's that the client's part of a landing follows. */
export interface Settings {
  interpreter: string;
  style: ReviewStyle;
  trace: TraceLevel;
  save: 'auto' | 'always' | 'never';
}

/** What can be asked for a setting; `vscode.WorkspaceConfiguration` is one. */
export interface Section {
  get(key: string): unknown;
}

/** Read them; a value that is none of those allowed counts as the strictest or plainest one. */
export function readSettings(section: Section): Settings {
  const interpreter = section.get('interpreter');
  return {
    interpreter: typeof interpreter === 'string' ? interpreter.trim() : '',
    style: oneOf(section.get('review.style'), ['diff', 'refactorPreview']),
    trace: oneOf(section.get('trace.server'), ['off', 'messages', 'verbose']),
    save: oneOf(section.get('save'), ['never', 'auto', 'always']),
  };
}

/** The section as the server is told it. */
export function serverSection(section: unknown): unknown {
  if (typeof section !== 'object' || section === null) {
    return section;
  }
  return Object.fromEntries(Object.entries(section).filter(([key]) => !OWN.has(key)));
}

function oneOf<T extends string>(value: unknown, options: readonly [T, ...T[]]): T {
  return options.find((option) => option === value) ?? options[0];
}
