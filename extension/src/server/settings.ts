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

/** What holds in a window whatever the settings say. */
export interface Limits {
  /** The user has ended auto mode. */
  isAutoEnded: boolean;
  /** Whether the workspace is trusted; where it is not, every change is reviewed. */
  isTrusted: boolean;
}

/** The section as the server is told it: without the extension's own keys, and within the window's limits. */
export function serverSection(section: unknown, { isAutoEnded, isTrusted }: Limits): unknown {
  if (typeof section !== 'object' || section === null) {
    return section;
  }
  const told: Record<string, unknown> = Object.fromEntries(Object.entries(section).filter(([key]) => !OWN.has(key)));
  if (isAutoEnded || !isTrusted) {
    told['approval'] = { ...(told['approval'] as object | undefined), mode: 'manual' };
  }
  if (!isTrusted && Array.isArray(told['rules'])) {
    told['rules'] = told['rules'].map(reviewed);
  }
  return told;
}

/** A rule that lets no change through unreviewed. */
function reviewed(rule: unknown): unknown {
  if (typeof rule !== 'object' || rule === null) {
    return rule;
  }
  const asked = Object.entries(rule).filter(([key, value]) => CHANGES.has(key) && value === 'allow');
  return { ...rule, ...Object.fromEntries(asked.map(([key]) => [key, 'ask'])) };
}

const CHANGES = new Set(['write', 'edit']);

function oneOf<T extends string>(value: unknown, options: readonly [T, ...T[]]): T {
  return options.find((option) => option === value) ?? options[0];
}
