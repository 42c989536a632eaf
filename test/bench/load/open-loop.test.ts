import test from 'ava';
import { runOpenLoop } from '../../../bench/load/open-loop.js';

const turn = (): Promise<void> => new Promise(setImmediate);

/** A clock that advances by one step at each reading. */
function steppingClock(stepMs: number) {
  let nowMs = 0;
  return () => {
    nowMs += stepMs;
    return nowMs;
  };
}

test('requests are sent on schedule, however long the responses take', async (t) => {
  const sent: number[] = [];
  const answers: (() => void)[] = [];
  const nowMs = steppingClock(0.25);
  const running = runOpenLoop({
    perSecond: 100,
    seconds: 0.1,
    nowMs,
    until: turn,
    send: (index) => {
      sent.push(index);
      return new Promise((resolve) => answers.push(() => resolve(true)));
    },
  });
  while (sent.length < 10) await new Promise(setImmediate);
  t.deepEqual(sent, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 'none was answered yet');
  for (const answer of answers) answer();
  const samples = await running;
  t.is(samples.length, 10);
  t.true(samples.every(({ isGood }) => isGood));
});

test('latency is measured from the due time of a request, not from its sending', async (t) => {
  let nowMs = 0;
  const running = runOpenLoop({
    perSecond: 1000,
    seconds: 0.003,
    nowMs: () => nowMs,
    until: turn,
    send: async () => {
      nowMs += 40;
      return true;
    },
  });
  const samples = await running;
  // The first send keeps the generator busy for 40 ms: the others were due during that time.
  t.deepEqual(
    samples.map(({ lateMs }) => lateMs),
    [0, 39, 78],
  );
  t.true(samples.every(({ latencyMs, lateMs }) => latencyMs >= lateMs + 40));
});

test('an unexpected response and a missing response are failed samples', async (t) => {
  const samples = await runOpenLoop({
    perSecond: 1000,
    seconds: 0.003,
    nowMs: steppingClock(0.5),
    until: turn,
    send: (index) => (index === 2 ? Promise.reject(new Error('reset')) : Promise.resolve(index === 0)),
  });
  t.deepEqual(
    samples.map(({ isGood }) => isGood),
    [true, false, false],
  );
});
