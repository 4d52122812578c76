/** Has asynchronous work done one after the other. No vscode. */
export class SerialQueue {
  private last: Promise<unknown> = Promise.resolve();

  /** Run `work` when all that came before is over, however that ended; what it resolves or rejects with. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.last.then(work);
    this.last = done.catch(() => undefined);
    return done;
  }
}
