/** The user's settings in the section `agentfs`: some are for the server, some for the extension. */

export const SECTION = 'agentfs';

/** Where reviews are shown: in the extension's diff editor, in the file itself, or in VS Code's Refactor Preview. */
export type ReviewStyle = 'diff' | 'inline' | 'refactorPreview';
export type TraceLevel = 'off' | 'messages' | 'verbose';

/** The first parts of keys that only the extension uses; the server doesn't know them. */
const OWN = new Set(['decorations', 'interpreter', 'notifications', 'onAccept', 'review', 'statusBar', 'trace']);

/** The extension's own settings, and the server's settings that also affect the extension's part of a landing. */
export interface Settings {
  interpreter: string;
  style: ReviewStyle;
  trace: TraceLevel;
  /** Whether files with pending proposals are marked in the Explorer and on tabs. */
  decorations: boolean;
  /** Whether a notification summarizes what has come while the window was in the background. */
  onReturn: boolean;
  /** Whether the status bar shows the number of pending changes. */
  count: boolean;
  save: 'auto' | 'always' | 'never';
}

/** Where settings are read from; `vscode.WorkspaceConfiguration` is one. */
export interface Section {
  get(key: string): unknown;
}

/** Read the settings; for an invalid value use the strictest or plainest one. */
export function readSettings(section: Section): Settings {
  const interpreter = section.get('interpreter');
  return {
    interpreter: typeof interpreter === 'string' ? interpreter.trim() : '',
    style: oneOf(section.get('review.style'), ['diff', 'inline', 'refactorPreview']),
    trace: oneOf(section.get('trace.server'), ['off', 'messages', 'verbose']),
    decorations: section.get('decorations.enabled') !== false,
    onReturn: section.get('notifications.onReturn') !== false,
    count: section.get('statusBar.count') !== false,
    save: oneOf(section.get('save'), ['never', 'auto', 'always']),
  };
}

/** Limits that override the settings in this window. */
export interface Limits {
  /** The user has ended auto mode. */
  isAutoEnded: boolean;
  /** Whether the workspace is trusted; if not, every change is reviewed. */
  isTrusted: boolean;
  /** Whether VS Code's own switch allows telemetry; if not, the server tells nobody about operations. */
  isTelemetryAllowed: boolean;
}

/** The section to send to the server: without the extension's own keys, and within the window's limits. */
export function serverSection(section: unknown, { isAutoEnded, isTrusted, isTelemetryAllowed }: Limits): unknown {
  if (typeof section !== 'object' || section === null) {
    return section;
  }
  const told: Record<string, unknown> = Object.fromEntries(Object.entries(section).filter(([key]) => !OWN.has(key)));
  if (isAutoEnded || !isTrusted) {
    told['approval'] = { ...(told['approval'] as object | undefined), mode: 'manual' };
  }
  if (!isTelemetryAllowed) {
    told['telemetry'] = { enabled: false };
  }
  if (!isTrusted && typeof told['correction'] === 'object') {
    told['correction'] = { ...told['correction'], formatters: {} }; // they read the workspace's configuration
  }
  if (!isTrusted && Array.isArray(told['rules'])) {
    told['rules'] = told['rules'].map(reviewed);
  }
  return told;
}

/** A copy of a rule that auto-accepts nothing. */
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
