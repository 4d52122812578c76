/** Runs asynchronous work in sequence. Doesn't use the vscode API. */
export class SerialQueue {
  private last: Promise<unknown> = Promise.resolve();

  /** Run `work` after all earlier work has settled; returns its result. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.last.then(work);
    this.last = done.catch(() => undefined);
    return done;
  }
}
