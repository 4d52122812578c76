/**
 * Runs a task one at a time. All requests that come while it runs share one further run. Doesn't use the vscode API.
 */
export class LatestTask {
  /** The run requested last; already resolved before the first. */
  last: Promise<void> = Promise.resolve();
  private isWaiting = false;

  constructor(private readonly task: () => Promise<void>) {}

  /** Resolves or rejects with the next run that begins after this call. */
  run(): Promise<void> {
    if (!this.isWaiting) {
      this.isWaiting = true;
      const begin = (): Promise<void> => {
        this.isWaiting = false;
        return this.task();
      };
      this.last = this.last.then(begin, begin);
    }
    return this.last;
  }
}
