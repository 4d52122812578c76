/** One event and those who listen to it; free of the vscode API, so that what uses it can be tested anywhere. */
export class Signal<T> {
  private readonly listeners = new Set<(value: T) => void>();

  /** Call `listener` from now on. Disposing the result ends that. */
  readonly subscribe = (listener: (value: T) => void): { dispose(): void } => {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  };

  fire(value: T): void {
    for (const listener of [...this.listeners]) {
      listener(value);
    }
  }
}
