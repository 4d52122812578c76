/**
 * What users typed into proposals, as files in a folder of the extension's own, so that no reload, crash or conflict
 * takes it. No vscode.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { SerialQueue } from '../util/serialQueue';

/** A file of a proposal with what the user made of it; texts have `\n` line ends. */
export interface Draft {
  /** The proposal's. */
  id: string;
  path: string;
  uri: string;
  agent: string;
  explanation: string;
  base: string;
  text: string;
  /** When it was typed, in ms. */
  at: number;
  /** Its review is over, and the user was told that the draft is kept. */
  over: boolean;
}

/** More are not kept in one window; the oldest go first. */
const MOST = 100;

/** `process`: the id of the one that kept it, a window's. */
interface Stored extends Draft {
  process?: number;
}

export class DraftStore {
  private readonly writes = new SerialQueue();

  /** `folder`, of all windows, is made when it is needed. */
  constructor(private readonly folder: string) {}

  /**
   * Every draft that was kept of files that are `here`, newest first, but for those of reviews that wait in another
   * window. What can't be read is none.
   */
  load(isHere: (draft: Draft) => boolean): Promise<Draft[]> {
    return this.writes.run(async () => {
      const names = await readdir(this.folder).catch((): string[] => []);
      const found = await Promise.all(names.filter((name) => name.endsWith('.json')).map((name) => this.read(name)));
      const here = found.flatMap((one) => (one !== undefined && !isElsewhere(one) && isHere(one) ? [one] : []));
      const drafts = here.sort((one, other) => other.at - one.at);
      await Promise.all(drafts.slice(MOST).map((old) => rm(this.fileOf(old), { force: true })));
      return drafts.slice(0, MOST);
    });
  }

  /** Keep a draft in place of what was kept of that file of that proposal. */
  put(draft: Draft): Promise<void> {
    return this.writes.run(async () => {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      const file = this.fileOf(draft);
      await writeFile(`${file}.new`, JSON.stringify({ ...draft, process: process.pid }), { mode: 0o600 });
      await rename(`${file}.new`, file);
    });
  }

  remove(draft: Pick<Draft, 'id' | 'path'>): Promise<void> {
    return this.writes.run(() => rm(this.fileOf(draft), { force: true }));
  }

  private fileOf({ id, path: own }: Pick<Draft, 'id' | 'path'>): string {
    const name = createHash('sha256').update(`${id}\n${own}`).digest('hex').slice(0, 32);
    return path.join(this.folder, `${name}.json`);
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

/** Whether the review of a draft waits in another window, which will say how it ends. */
function isElsewhere({ over, process: id }: Stored): boolean {
  if (over || id === undefined || id === process.pid) {
    return false;
  }
  try {
    return process.kill(id, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
