/**
 * Tells whether the window that stored something is still there. Its process doesn't tell: it may outlive the window,
 * and its id may be another one's by now. Doesn't use the vscode API.
 */
import { randomUUID } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import * as path from 'node:path';

/** A window that is busy answers within this time. */
const BUSY_MS = 10_000;

export class Presence {
  /** A socket, or on Windows a pipe, where this window answers as long as it is there. */
  readonly address: string;
  private readonly server;
  private stopped: Promise<unknown> | undefined;

  /** `window` resolves once the window has answered. */
  constructor(window: () => Promise<unknown>) {
    const name = `agentfs-${randomUUID()}`;
    this.address = process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : path.join(tmpdir(), name);
    this.server = createServer((socket) => {
      socket.on('error', () => undefined); // nobody waits any longer
      void window().then(() => true, () => false).then(async (isThere) => {
        await this.stopped;
        return isThere && this.stopped === undefined ? socket.end('here') : socket.destroy();
      });
    });
    this.server.on('error', () => undefined); // other windows then treat this one as gone
    this.server.listen(this.address).unref();
  }

  /** Whether the window with that address is there. */
  isThere(address: string | undefined): Promise<boolean> {
    if (address === undefined || address === this.address) {
      return Promise.resolve(address !== undefined);
    }
    return new Promise((resolve) => {
      const socket = connect(address);
      const end = (answered: boolean): void => {
        socket.destroy();
        resolve(answered);
      };
      socket.setTimeout(BUSY_MS, () => end(false));
      socket.once('data', () => end(true)).once('error', () => end(false)).once('close', () => end(false));
    });
  }

  /** The window is closing. Changes may land until `stopped` settles: only then do others hear that it is gone. */
  async close(stopped: Promise<unknown>): Promise<void> {
    this.stopped = stopped.catch(() => undefined);
    await stopped.finally(() => this.server.close());
  }
}
