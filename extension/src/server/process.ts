/** The server's process: starts it, reports how it ended, and makes sure that it doesn't outlive its connection. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import type { LogOutputChannel } from 'vscode';

export interface Command {
  command: string;
  args: readonly string[];
  cwd: string;
}

/** How long the process may clean up after its connection has ended. */
const END_MS = 2000;

/** How long to wait for the rest of the output after the process has ended: another process may hold it open. */
const LAST_WORDS_MS = 500;

/** How many characters of standard error to keep. */
const KEPT = 2000;

export class ServerProcess {
  /** How it ended, or why it failed to start: a signal, the last line of standard error, or an exit code. */
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

  /** Start it. Rejects if the system can't. */
  async start(): Promise<ChildProcessWithoutNullStreams> {
    const { command, args, cwd } = this.command;
    const child = spawn(command, args, { cwd });
    child.once('error', (error) => this.notifyEnd(error.message));
    await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    this.child = child;
    this.channel.info(`Started process ${child.pid}: ${[command, ...args].join(' ')}`);
    child.on('error', (error) => this.channel.warn(String(error)));
    // Ignore writes to a process that has ended: its exit is reported below, and the client fails the requests.
    child.stdin.on('error', (error) => this.channel.debug(String(error)));
    this.watchEnd(child);
    if (!this.isWanted) {
      this.end();
    }
    return child;
  }

  /** The connection has ended: close its input, and kill it if it doesn't end. */
  end(): void {
    this.isWanted = false;
    const { child } = this;
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
      child.once('exit', () => clearTimeout(timer));
      child.stdin.end();
    }
  }

  /** Its end is expected from now on. */
  expectEnd(): void {
    this.isWanted = false;
  }

  private watchEnd(child: ChildProcessWithoutNullStreams): void {
    let words = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (words = (words + text).slice(-KEPT)));
    child.once('exit', (code, signal) => {
      const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
      this.channel[this.isWanted ? 'error' : 'info'](`Process ${child.pid} ${how}`);
      const tell = (): void => {
        child.stdout.destroy(); // closes the connection
        this.notifyEnd(signal ?? (words.trim().split('\n').at(-1) || `exit code ${code}`));
      };
      const timer = setTimeout(tell, LAST_WORDS_MS);
      child.once('close', () => {
        clearTimeout(timer);
        tell();
      });
    });
  }
}
