/** The server's process: how it is started, what the log says of it, and that none outlives its connection. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import type { LogOutputChannel } from 'vscode';

export interface Command {
  command: string;
  args: readonly string[];
  cwd: string;
}

/** So long after its connection is over the process may still clear up. */
const END_MS = 2000;

export class ServerProcess {
  private child: ChildProcessWithoutNullStreams | undefined;
  private isWanted = true;

  constructor(
    private readonly command: Command,
    private readonly channel: Pick<LogOutputChannel, 'debug' | 'info' | 'warn' | 'error'>,
  ) {}

  /** Start it. Rejects where the system can't. */
  async start(): Promise<ChildProcessWithoutNullStreams> {
    const { command, args, cwd } = this.command;
    const child = spawn(command, args, { cwd });
    await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    this.child = child;
    this.channel.info(`Started process ${child.pid}: ${[command, ...args].join(' ')}`);
    child.on('error', (error) => this.channel.warn(String(error)));
    // What is written to a process that is gone: its end is told by the exit, and the client answers for the rest.
    child.stdin.on('error', (error) => this.channel.debug(String(error)));
    child.once('exit', (code, signal) => {
      const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
      this.channel[this.isWanted ? 'error' : 'info'](`Process ${child.pid} ${how}`);
    });
    return child;
  }

  /** Nobody talks to it any more: it ends by itself, or is killed. */
  end(): void {
    this.isWanted = false;
    const { child } = this;
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
      child.once('exit', () => clearTimeout(timer));
      child.stdin.end();
    }
  }

  /** It is about to be told to stop: its end is no surprise. */
  expectEnd(): void {
    this.isWanted = false;
  }
}
