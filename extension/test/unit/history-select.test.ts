import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Envelope, HistoryParams } from '../../src/protocol/types';
import { MOST, selectChanges } from '../../src/history/select';

/** A server whose history has these changes, newest first: "id session connection". The time in seconds is the id. */
function server(told: string[], pageSize = 2): { ask: (method: string, params: unknown) => Promise<Envelope>; asked: HistoryParams[] } {
  const asked: HistoryParams[] = [];
  const all = told.map((each) => {
    const [id = '', session = '', connection = ''] = each.split(' ');
    return { change_id: id, session, connection, time: new Date(Number(id) * 1000).toISOString() };
  });
  const ask = (_: string, params: unknown): Promise<Envelope> => {
    const { session, before } = params as HistoryParams;
    asked.push(params as HistoryParams);
    const fitting = all.filter((one) => (session === undefined || one.session === session) && (before === undefined || Number(one.change_id) < Number(before)));
    const data = { changes: fitting.slice(0, pageSize), more: fitting.length > pageSize };
    return Promise.resolve({ status: 'success', data, text: '', stats: {}, context: { cwd: '.', params_input: null } } as Envelope);
  };
  return { ask, asked };
}

test('all changes of a session are selected, page by page, and none of another connection', async () => {
  const { ask, asked } = server(['7 s k', '6 t k', '5 s k', '4 s l', '3 s k', '2 s k']);
  const found = await selectChanges(ask, { session: 's' }, ({ connection }) => connection === 'k');
  assert.deepEqual(found, { ids: ['7', '5', '3', '2'] });
  assert.deepEqual(asked.map(({ before, limit }) => [before, limit]), [[undefined, MOST], ['5', MOST], ['3', MOST]]);
});

test('what landed after a moment is selected, and older pages are not asked for', async () => {
  const { ask, asked } = server(['5 s k', '4 t k', '3 s l', '2 s k', '1 s k']);
  assert.deepEqual(await selectChanges(ask, {}, () => true, { time: 2500 }), { ids: ['5', '4', '3'] });
  assert.equal(asked.length, 2);
  assert.deepEqual(await selectChanges(ask, {}, () => true, { time: 5000 }), { ids: [] });
});

test('a change and what is newer is selected, also if it is the last of its page', async () => {
  const { ask, asked } = server(['7 s k', '6 s l', '5 s k', '4 s k', '3 s k', '2 s k']);
  const isWanted = ({ connection }: { connection?: string }): boolean => connection === 'k';
  assert.deepEqual(await selectChanges(ask, { session: 's' }, isWanted, { id: '4' }), { ids: ['7', '5', '4'] });
  assert.deepEqual(await selectChanges(ask, { session: 's' }, isWanted, { id: '3' }), { ids: ['7', '5', '4', '3'] });
  assert.deepEqual(asked.map(({ before }) => before), [undefined, '6', undefined, '6', '4'].slice(0, asked.length));
});

test('an empty history has nothing, and what the server can’t tell is said', async () => {
  assert.deepEqual(await selectChanges(server([]).ask, {}, () => true), { ids: [] });
  const failing = { status: 'error', data: {}, text: 'It is not running.', stats: {}, context: { cwd: '.', params_input: null }, error: { code: 'EXECUTION_ERROR', message: '' } };
  assert.deepEqual(await selectChanges(() => Promise.resolve(failing as Envelope), {}, () => true), { error: 'It is not running.' });
});
