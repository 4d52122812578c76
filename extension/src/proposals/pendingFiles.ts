/** Finds the pending proposals of a file. Doesn't use the vscode API. */
import type { ProposedFile } from '../protocol/types';
import type { Review } from './review';

export class PendingFiles {
  private readonly found = new Map<string, Map<Review, ProposedFile>>();

  /** `keyOf` makes one key of all ways to write a URI. */
  constructor(private readonly keyOf: (uri: string) => string) {}

  /** The keys of all files with pending proposals. */
  get all(): readonly string[] {
    return [...this.found.keys()];
  }

  /** The reviews that change a file, and what is proposed for it, in order of arrival. */
  get(key: string): readonly (readonly [Review, ProposedFile])[] {
    return [...(this.found.get(key) ?? [])];
  }

  /** Note whether a review is pending. Returns the keys of the files for which that is new. */
  update(review: Review, isPending: boolean): readonly string[] {
    const entries = review.proposed.files.map((file) => [this.keyOf(file.uri), file] as const);
    const changed = entries.filter(([key, file]) => (isPending ? this.add(key, review, file) : this.remove(key, review)));
    return changed.map(([key]) => key);
  }

  private add(key: string, review: Review, file: ProposedFile): boolean {
    const known = this.found.get(key) ?? new Map<Review, ProposedFile>();
    const isNew = !known.has(review);
    this.found.set(key, known.set(review, file));
    return isNew;
  }

  private remove(key: string, review: Review): boolean {
    const known = this.found.get(key);
    const isRemoved = known?.delete(review) === true;
    if (known?.size === 0) {
      this.found.delete(key);
    }
    return isRemoved;
  }
}
