/** The server's process: how it is started, what is said of its end, and that none outlives its connection. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import type { LogOutputChannel } from 'vscode';

export interface Command {
  command: string;
  args: readonly string[];
  cwd: string;
}

/** So long after its connection is over the process may still clear up. */
const END_MS = 2000;

/** So long after its end its last words are waited for: another process may hold its standard error open. */
const LAST_WORDS_MS = 500;

/** Characters of standard error that are kept for them. */
const KEPT = 2000;

export class ServerProcess {
  /** How it ended, or why it could not be started: a signal, the last line of standard error, or an exit code. */
  readonly ended: Promise<string>;
  private notifyEnd: (how: string) => void = () => undefined;
  private child: ChildProcessWithoutNullStreams | undefined;
  private isWanted = true;

  constructor(
    private readonly command: Command,
    private readonly channel: Pick<LogOutputChannel, 'debug' | 'info' | 'warn' | 'error'>,
  ) {
    this.ended = new Promise((resolve) => (this.notifyEnd = resolve));
  }

  /** Start it. Rejects where the system can't. */
  async start(): Promise<ChildProcessWithoutNullStreams> {
    const { command, args, cwd } = this.command;
    const child = spawn(command, args, { cwd });
    child.once('error', (error) => this.notifyEnd(error.message));
    await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    this.child = child;
    this.channel.info(`Started process ${child.pid}: ${[command, ...args].join(' ')}`);
    child.on('error', (error) => this.channel.warn(String(error)));
    // What is written to a process that is gone: its end is told by the exit, and the client answers for the rest.
    child.stdin.on('error', (error) => this.channel.debug(String(error)));
    this.watchEnd(child);
    if (!this.isWanted) {
      this.end();
    }
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

  private watchEnd(child: ChildProcessWithoutNullStreams): void {
    let words = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (words = (words + text).slice(-KEPT)));
    child.once('exit', (code, signal) => {
      const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
      this.channel[this.isWanted ? 'error' : 'info'](`Process ${child.pid} ${how}`);
      const tell = (): void => this.notifyEnd(signal ?? (words.trim().split('\n').at(-1) || `exit code ${code}`));
      const timer = setTimeout(tell, LAST_WORDS_MS);
      child.once('close', () => {
        clearTimeout(timer);
        tell();
      });
    });
  }
}
