/** Runs `agentfs-lsp connect`, which proposes the change of an agent's settings like any other, or lists what is set up. */
import { runCommand } from './cli';
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

  private async run(options: readonly string[]): Promise<Result> {
    const { code, stdout, stderr } = await runCommand(this.server, ['connect', '--json', ...options]);
    const said = parsed(stdout);
    const { agents = [], lines = [stderr] } = said ?? {};
    return { outcome: code === REJECTED ? 'rejected' : code !== 0 || said === undefined ? 'failed' : 'done', agents, lines };
  }
}

function parsed(text: string): Pick<Result, 'agents' | 'lines'> | undefined {
  try {
    return JSON.parse(text) as Pick<Result, 'agents' | 'lines'>;
  } catch {
    return undefined; // it failed before it could say anything
  }
}
