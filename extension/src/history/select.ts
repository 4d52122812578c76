/** Selects changes of the server's history, whether or not they are loaded. */
import { EditorMethod, type HistoryParams, type LandedChange } from '../protocol/types';
import type { Ask } from '../server/agentRequests';
import { changesOf } from './records';

/** The most changes that one request lists, and that can be undone together. */
export const MOST = 1000;

/** The ids of the wanted changes, newest first, or why the server can't tell. `after`: only those that landed later, in ms since 1970. */
export async function selectChanges(
  ask: Ask,
  params: Pick<HistoryParams, 'session'>,
  isWanted: (change: LandedChange) => boolean,
  after = 0,
): Promise<{ ids: string[] } | { error: string }> {
  const ids: string[] = [];
  for (let before: string | undefined; ;) {
    const page = { ...params, limit: MOST, ...(before === undefined ? {} : { before }) };
    const { error, data, text } = await ask(EditorMethod.userHistory, page);
    if (error !== undefined) {
      return { error: text };
    }
    const changes = changesOf(data);
    const later = changes.filter(({ time }) => Date.parse(time) > after);
    ids.push(...later.filter(isWanted).map(({ change_id: id }) => id));
    before = changes.at(-1)?.change_id;
    if (data['more'] !== true || before === undefined || later.length < changes.length) {
      return { ids };
    }
  }
}
