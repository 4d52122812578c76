/**
 * A task that is asked for more often than it has to run: one at a time, and for all who ask while it runs one more run
 * afterwards. Free of the vscode API.
 */
export class LatestTask {
  /** The run that was asked for last; resolved before the first. */
  last: Promise<void> = Promise.resolve();
  private isWaiting = false;

  constructor(private readonly task: () => Promise<void>) {}

  /** Resolves or rejects as the run does that begins after this call. */
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
