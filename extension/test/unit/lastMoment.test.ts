import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LastMoment } from '../../src/util/lastMoment';

/** A moment, a clock to set, and what lets all earlier presses be reported. */
function moment(): { moment: LastMoment; clock: { now: number }; catchUp: () => void } {
  const clock = { now: 5000 };
  let catchUp = (): void => undefined;
  const caughtUp = (): Promise<void> => new Promise((resolve) => (catchUp = resolve));
  return { moment: new LastMoment(caughtUp, () => clock.now), clock, catchUp: () => catchUp() };
}

test('what has happened is recent for a second', async () => {
  const { moment: went, clock, catchUp } = moment();
  assert.equal(went.isRecent(), false);
  const noted = went.note();
  catchUp();
  await noted;
  clock.now += 999;
  assert.equal(went.isRecent(), true);
  clock.now += 1;
  assert.equal(went.isRecent(), false);
});

test('while the extension host is busy, the moment begins only when earlier presses are reported', async () => {
  const { moment: went, clock, catchUp } = moment();
  const noted = went.note();
  clock.now += 3000;
  assert.equal(went.isRecent(), true);
  catchUp();
  await noted;
  clock.now += 500;
  assert.equal(went.isRecent(), true);
});

test('what was shown after it is not concerned', async () => {
  const { moment: went, clock, catchUp } = moment();
  const noted = went.note();
  clock.now += 10;
  const shownAt = clock.now;
  catchUp();
  await noted;
  assert.equal(went.isRecent(shownAt - 20), true);
  assert.equal(went.isRecent(shownAt), false);
});

test('a clock that is set meanwhile changes nothing', async (t) => {
  let clock = 5000;
  t.mock.method(Date, 'now', () => clock);
  const went = new LastMoment(() => Promise.resolve());
  await went.note();
  clock += 3_600_000;
  assert.equal(went.isRecent(), true);
});
