/**
 * Stores what users typed into proposals as files in the extension's own folder, so that it survives reloads, crashes
 * and conflicts. Doesn't use the vscode API.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { SerialQueue } from '../util/serialQueue';
import type { Presence } from './presence';

/** The user's version of a proposed file; texts have `\n` line ends. */
export interface Draft {
  /** The proposal's id. */
  id: string;
  path: string;
  uri: string;
  agent: string;
  explanation: string;
  base: string;
  text: string;
  /** When it was last typed in, in ms. */
  at: number;
  /** Its review has ended, and the user was told that the draft is kept. */
  over: boolean;
}

/** How many drafts one window keeps; the oldest are deleted first. */
const MAX_DRAFTS = 100;

/** `window`: the address of the window that stored it. */
interface Stored extends Draft {
  window?: string;
}

export class DraftStore {
  private readonly writes = new SerialQueue();
  private isFailing = false;

  /**
   * `folder` is shared by all windows and created on demand; `presence` is this window's. `failed` runs when a draft
   * can't be stored, but not again until one could.
   */
  constructor(
    private readonly folder: string,
    private readonly presence: Presence,
    private readonly failed: (error: unknown) => void,
  ) {}

  /**
   * All drafts for which `isHere` is true, newest first, except those of a review whose window, this or another one, is
   * there and will handle its end. Skips files that can't be read.
   */
  async load(isHere: (draft: Draft) => boolean): Promise<Draft[]> {
    const asked = (await this.readAll()).filter((draft) => !draft.over && isHere(draft)).map(({ window }) => window);
    const gone = new Set<string | undefined>();
    await Promise.all([...new Set(asked)].map(async (one) => (await this.presence.isThere(one)) || gone.add(one)));
    return this.writes.run(async () => {
      const here = (await this.readAll()).filter((draft) => isHere(draft) && (draft.over || gone.has(draft.window)));
      const drafts = here.sort((one, other) => other.at - one.at);
      await Promise.all(drafts.slice(MAX_DRAFTS).map((old) => rm(this.fileOf(old), { force: true })));
      return drafts.slice(0, MAX_DRAFTS);
    });
  }

  /** Store a draft, replacing the one of the same file and proposal. Reports a failure to `failed`. */
  async put(draft: Draft): Promise<void> {
    try {
      await this.write(draft);
      this.isFailing = false;
    } catch (error) {
      if (!this.isFailing) {
        this.isFailing = true;
        this.failed(error);
      }
    }
  }

  remove(draft: Pick<Draft, 'id' | 'path'>): Promise<void> {
    return this.writes.run(() => rm(this.fileOf(draft), { force: true }));
  }

  private write(draft: Draft): Promise<void> {
    return this.writes.run(async () => {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      const file = this.fileOf(draft);
      await writeFile(`${file}.new`, JSON.stringify({ ...draft, window: this.presence.address }), { mode: 0o600 });
      await rename(`${file}.new`, file);
    });
  }

  private fileOf({ id, path: own }: Pick<Draft, 'id' | 'path'>): string {
    const name = createHash('sha256').update(`${id}\n${own}`).digest('hex').slice(0, 32);
    return path.join(this.folder, `${name}.json`);
  }

  private async readAll(): Promise<Stored[]> {
    const names = await readdir(this.folder).catch((): string[] => []);
    const found = await Promise.all(names.filter((name) => name.endsWith('.json')).map((name) => this.read(name)));
    return found.flatMap((draft) => draft ?? []);
  }

  private async read(name: string): Promise<Stored | undefined> {
    try {
      const draft = JSON.parse(await readFile(path.join(this.folder, name), 'utf8')) as Partial<Stored>;
      const texts = [draft.id, draft.path, draft.uri, draft.agent, draft.explanation, draft.base, draft.text];
      return texts.every((text) => typeof text === 'string') ? (draft as Stored) : undefined;
    } catch {
      return undefined;
    }
  }
}
