/** The agents' programs that `agentfs-lsp connect` knows. Doesn't use the vscode API. */

export interface Program {
  /** What the command takes. */
  readonly name: string;
  readonly title: string;
  /** Its settings in a workspace folder. */
  readonly files: readonly string[];
}

export const PROGRAMS: readonly Program[] = [
  { name: 'claude-code', title: 'Claude Code', files: ['.mcp.json', '.claude/settings.json'] },
  { name: 'codex', title: 'Codex', files: ['.codex/config.toml'] },
  { name: 'gemini', title: 'Gemini CLI', files: ['.gemini/settings.json'] },
  { name: 'opencode', title: 'opencode', files: ['opencode.json'] },
  { name: 'vscode', title: 'VS Code', files: ['.vscode/mcp.json'] },
];

const SCRIPT = 'run_server.py';

/** No settings are longer. */
const MAX_UNITS = 1_000_000;

/** A string in JSON or TOML, perhaps without its end: a text of nothing but beginnings would take time squared. */
const STRING = /"[^"\\\n]*(?:\\.[^"\\\n]*)*"?/g;

/** What the settings of a program start that is in the folder of an extension: each update has a folder of its own. */
export function launchersIn(settings: string): readonly string[] {
  const found = settings.length > MAX_UNITS ? [] : [...settings.matchAll(STRING)];
  return found.flatMap(([quoted]) => {
    if (!quoted.endsWith(`${SCRIPT}"`)) {
      return []; // most strings, without parsing them
    }
    try {
      const text = JSON.parse(quoted) as string;
      return isLauncher(text) ? [text] : [];
    } catch {
      return []; // TOML has escapes that JSON lacks, but `agentfs-lsp connect` writes none of them
    }
  });
}

/** Whether it is the path of the script with which our extension starts its server. */
function isLauncher(path: string): boolean {
  const [script, folder, extension] = path.split(/[\\/]+/).reverse();
  return script === SCRIPT && folder === 'bundled' && extension?.includes('agentfs') === true;
}

/** An entry for any program that speaks the Model Context Protocol, as most have it in their settings. */
export function entryOf(command: readonly string[]): string {
  const [program, ...args] = command;
  return JSON.stringify({ mcpServers: { agentfs: { command: program, args } } }, undefined, 2);
}

/** The command as a POSIX shell takes it. */
export function shellLine(command: readonly string[]): string {
  return command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`)).join(' ');
}
