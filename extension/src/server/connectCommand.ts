/** Runs `agentfs-lsp connect`, which proposes the change of an agent's settings like any other, or lists what is set up. */
import { execFile } from 'node:child_process';
import * as vscode from 'vscode';
import type { Server } from './client';

/**
 * A program whose settings name our server. `own_tools`: what becomes of its own tools that change files. `told`: if they are
 * overridden, which setting allows what another denies, in VS Code's language.
 */
export interface SetUp {
  name: string;
  title: string;
  own_tools: 'denied' | 'deniable' | 'overridden' | 'undeniable';
  told?: string;
}

/** `lines`: what the command says, in VS Code's language. */
export interface Result {
  outcome: 'done' | 'rejected' | 'failed';
  agents: readonly SetUp[];
  lines: readonly string[];
}

/** The exit code if the user rejects the change. */
const REJECTED = 3;

export class ConnectCommand {
  constructor(private readonly server: Server) {}

  /** Propose the change of a program's settings in the folder. The review is of a session whose name ends with `session`. */
  propose(program: string, root: string, session: string, only: boolean): Promise<Result> {
    return this.run(['--session', session, '--workspace', root, ...(only ? ['--only'] : []), program]);
  }

  /** The programs that are set up in the folder. */
  async list(root: string): Promise<readonly SetUp[]> {
    return (await this.run(['--list', '--workspace', root])).agents;
  }

  private run(options: readonly string[]): Promise<Result> {
    const { command, args, cwd } = this.server.command;
    const LC_ALL = vscode.env.language.startsWith('zh') ? 'zh_CN.UTF-8' : 'C.UTF-8';
    return new Promise((resolve) => {
      const child = execFile(command, [...args, 'connect', '--json', ...options], { cwd, env: { ...process.env, LC_ALL } }, (error, stdout, stderr) => {
        const said = parsed(stdout);
        const { agents = [], lines = [(stderr || error?.message || '').trim()] } = said ?? {};
        const isRejected = error?.code === REJECTED;
        resolve({ outcome: isRejected ? 'rejected' : error !== null || said === undefined ? 'failed' : 'done', agents, lines });
      });
      child.stdin?.end();
    });
  }
}

function parsed(text: string): Pick<Result, 'agents' | 'lines'> | undefined {
  try {
    return JSON.parse(text) as Pick<Result, 'agents' | 'lines'>;
  } catch {
    return undefined; // it failed before it could say anything
  }
}
