/** Counts what stands on the screen until it is answered, or goes by itself after a while, which nobody tells. */

/** VS Code takes away a notification after 15 seconds at most, unless the window is not in use meanwhile. */
const LONGEST_MS = 16_000;

export class Standing {
  private readonly ends = new Map<symbol, () => void>();

  /** `whenInUse` resolves once the window is in use; undefined if it is now. */
  constructor(private readonly whenInUse: () => Promise<void> | undefined) {}

  get some(): boolean {
    return this.ends.size > 0;
  }

  /** One more stands. `stays`: until it is answered. Returns how to say that it has gone. */
  add(stays: boolean): () => void {
    const key = Symbol('standing');
    let timer: NodeJS.Timeout | undefined;
    const end = (): void => {
      clearTimeout(timer);
      this.ends.delete(key);
    };
    const wait = (): void => {
      timer = setTimeout(() => {
        const isUsed = this.whenInUse();
        void (isUsed === undefined ? end() : isUsed.then(() => this.ends.has(key) && wait()));
      }, LONGEST_MS);
    };
    this.ends.set(key, end);
    if (!stays) {
      wait();
    }
    return end;
  }

  /** All have gone. */
  clear(): void {
    [...this.ends.values()].forEach((end) => end());
  }
}
