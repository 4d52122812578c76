/** Tells whether something has only just happened, as seen on the screen. */

/** A press this soon may have been meant for what was there before. It is more than what separates the clicks of a double click. */
const MOMENT_MS = 1000;

export class LastMoment {
  private begunAt = -Infinity;
  private unheard = 0;
  private at = -Infinity;

  /**
   * `caughtUp` resolves once all earlier presses are reported: while the extension host is busy, they arrive together
   * with what they came after.
   */
  constructor(
    private readonly caughtUp: () => Promise<void>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** It happens. */
  async note(): Promise<void> {
    this.begunAt = this.now();
    this.unheard += 1;
    try {
      await this.caughtUp();
    } finally {
      this.unheard -= 1;
      this.at = this.now();
    }
  }

  /** Whether it has happened within the last moment, and after `since`. */
  isRecent(since = -Infinity): boolean {
    return this.begunAt > since && (this.unheard > 0 || this.now() - this.at < MOMENT_MS);
  }
}
