/** Selects changes of the server's history, whether or not they are loaded. */
import { EditorMethod, type HistoryParams, type LandedChange } from '../protocol/types';
import type { Ask } from '../server/agentRequests';
import { changesOf } from './records';

/** The most changes that one request lists, and that can be undone together. */
export const MOST = 1000;

/** Which changes not to select: those that landed at a time, in ms since 1970, or before; or before the change with an id. */
export type Since = { time: number } | { id: string };

/** The ids of the wanted changes, newest first, or why the server can't tell. */
export async function selectChanges(
  ask: Ask,
  params: Pick<HistoryParams, 'session'>,
  isWanted: (change: LandedChange) => boolean,
  since: Since = { time: 0 },
): Promise<{ ids: string[] } | { error: string }> {
  const ids: string[] = [];
  for (let before: string | undefined; ;) {
    const page = { ...params, limit: MOST, ...(before === undefined ? {} : { before }) };
    const { error, data, text } = await ask(EditorMethod.userHistory, page);
    if (error !== undefined) {
      return { error: text };
    }
    const changes = changesOf(data);
    const { later, isAll } = laterOf(changes, since);
    ids.push(...later.filter(isWanted).map(({ change_id: id }) => id));
    before = changes.at(-1)?.change_id;
    if (data['more'] !== true || before === undefined || !isAll) {
      return { ids };
    }
  }
}

/** The changes since then, and whether older ones may be, too. */
function laterOf(changes: readonly LandedChange[], since: Since): { later: readonly LandedChange[]; isAll: boolean } {
  if ('time' in since) {
    const later = changes.filter(({ time }) => Date.parse(time) > since.time);
    return { later, isAll: later.length === changes.length };
  }
  const at = changes.findIndex(({ change_id: id }) => id === since.id);
  return at < 0 ? { later: changes, isAll: true } : { later: changes.slice(0, at + 1), isAll: false };
}
