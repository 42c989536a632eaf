import anyTest, { type TestFn } from 'ava';
import type { QuotaLimit } from '../../../../src/config/policy-server/policy-server-config.js';
import type { BucketKind } from '../../../../src/model/policy/fast/bucket-kinds.js';
import { findEnvoy } from '../../../counterparts/find-envoy.js';
import { findFreePort } from '../../../counterparts/free-ports.js';
import { eventually } from '../../../support/eventually.js';
import { type FastEnvoy, type FastEnvoyOptions, startFastEnvoy } from './fast-envoy.js';
import { type FastServer, startFastServer } from './fast-server.js';

const binary = findEnvoy();
if ('missing' in binary && process.env['REQUIRE_COUNTERPARTS'] === '1') throw new Error(binary.missing);
const testWithEnvoy = 'value' in binary ? (anyTest as TestFn) : (anyTest as TestFn).skip;

const WEB = 'web.default.svc.cluster.local';
const SECOND = 1000;
/** An answer later than this shows that a process was not scheduled. */
const LONGEST_MS = 500;
/** Rounds of nine seconds each. */
const MAX_ROUNDS = 6;
/** Seconds of steady load that a test needs at least. */
const MIN_STEADY = 3;

const limitOf = (name: string, maxAmount: number, validDurationMs: number): QuotaLimit => ({
  ...{ name, maxAmount, validDurationMs, window: 'rolling', dimensions: [], overrides: [] },
});
const kindOf = (quota: string): BucketKind => ({ conditions: [], charges: new Map([[quota, 1]]), keys: [] });

async function startMesh(limit: QuotaLimit, proxies: number, options: Partial<FastEnvoyOptions> = {}) {
  // A port that stays free while no server listens on it.
  const port = await findFreePort();
  const server = await startFastServer({ limits: [limit], service: WEB, charges: { [limit.name]: 1 }, port });
  const envoys = await Promise.all(
    Array.from({ length: proxies }, () =>
      startFastEnvoy({
        binary: 'value' in binary ? binary.value : '',
        policyPort: server.port,
        service: WEB,
        kinds: [kindOf(limit.name)],
        ...options,
      }),
    ),
  );
  const stop = async (running: FastServer = server): Promise<void> => {
    await Promise.all(envoys.map((envoy) => envoy.stop()));
    await running.stop();
  };
  return { server, envoys, stop };
}

interface LoadedSecond {
  /** Requests that passed. */
  passed: number;
  /** The longest time from the moment at which a request was due to its answer. */
  longestMs: number;
}

/** Sends so many requests a second to each proxy. */
async function loadBySecond(envoys: readonly FastEnvoy[], perSecond: number, seconds: number) {
  const bySecond = Array.from({ length: seconds }, (): LoadedSecond => ({ passed: 0, longestMs: 0 }));
  const start = performance.now();
  const calls: Promise<void>[] = [];
  const send = async (envoy: FastEnvoy, second: LoadedSecond | undefined, dueMs: number): Promise<void> => {
    const { status } = await envoy.get();
    if (second === undefined) return;
    if (status === 200) second.passed++;
    second.longestMs = Math.max(second.longestMs, performance.now() - dueMs);
  };
  for (let sent = 0; sent < perSecond * seconds; ) {
    const passedS = (performance.now() - start) / SECOND;
    for (; sent < Math.min(passedS, seconds) * perSecond; sent++) {
      const second = bySecond[Math.floor(sent / perSecond)];
      const dueMs = start + (sent / perSecond) * SECOND;
      for (const envoy of envoys) calls.push(send(envoy, second, dueMs));
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await Promise.all(calls);
  return bySecond;
}

/** The same, with the requests that passed by second. */
async function load(...of: Parameters<typeof loadBySecond>): Promise<readonly number[]> {
  return (await loadBySecond(...of)).map(({ passed }) => passed);
}

/**
 * The requests that passed in each second of steady load. Leaves out the first second, each second with a late answer, and
 * the one after it: while a process gets no processor time, proxies save tokens, or refuse the burst that follows.
 */
function steadyOf(seconds: readonly LoadedSecond[]): readonly number[] {
  const isSteady = (second: LoadedSecond | undefined) => second !== undefined && second.longestMs < LONGEST_MS;
  return seconds.flatMap((second, index) => (isSteady(second) && isSteady(seconds[index - 1]) ? [second.passed] : []));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

testWithEnvoy(
  'four proxies under steady load let less than a tenth more than the limit of a second through',
  async (t) => {
    const { envoys, stop } = await startMesh(limitOf('rate', 200, SECOND), 4);
    let steady: readonly number[] = [];
    for (let rounds = 0; rounds < MAX_ROUNDS && steady.length < 8; rounds++) {
      const seconds = await loadBySecond(envoys, 100, 9);
      t.log(`a limit of 200 a second, by second: ${seconds.map(({ passed }) => passed).join(' ')}`);
      steady = [...steady, ...steadyOf(seconds)];
    }
    await stop();
    t.true(steady.length >= MIN_STEADY, `${steady.length} seconds were steady`);
    t.true(sum(steady) < 220 * steady.length, 'overshoot');
    t.true(sum(steady) > 160 * steady.length, 'what the limit allows is used');
  },
);

testWithEnvoy(
  'four proxies under steady load let less than a tenth more than the limit of a minute through',
  async (t) => {
    const { server, envoys, stop } = await startMesh(limitOf('minute', 600, 60 * SECOND), 4);
    // Steady load begins with the first assignments. What passes before them depends on how long they take.
    const first = await Promise.all(envoys.map((envoy) => envoy.get()));
    await eventually('the first assignments', () => server.assigned() >= envoys.length);
    const passed = first.length + sum(await load(envoys, 60, 7));
    await stop();
    t.log(`a limit of 600 a minute: ${passed} passed`);
    t.true(passed < 660, `${passed} passed`);
    t.true(passed > 540, `${passed} passed`);
  },
);

testWithEnvoy('a proxy whose share is too small gets what the others do not use', async (t) => {
  const { envoys, stop } = await startMesh(limitOf('rate', 100, SECOND), 2);
  const [busy, idle] = envoys;
  if (busy === undefined || idle === undefined) return t.fail();
  await idle.get();
  const passed: number[] = [];
  await eventually('nearly the whole limit, after a report', async () => {
    passed.push(...(await load([busy], 120, 2)));
    return sum(passed.slice(-2)) > 170;
  });
  await stop();
  t.log(`a limit of 100 a second at one of two proxies, by second: ${passed.join(' ')}`);
  t.true(sum(passed.slice(0, 2)) < 170, 'it has the share of one of two proxies first');
});

testWithEnvoy(
  'without a policy server, FAIL_CLOSE refuses requests once the last assignment has expired',
  async (t) => {
    const { server, envoys, stop } = await startMesh(limitOf('minute', 1000, 60 * SECOND), 1, { failsClosed: true });
    const [envoy] = envoys;
    if (envoy === undefined) return t.fail();
    await envoy.get();
    await eventually('the first assignment', () => server.shares.heldOf('fast 6:minute7:rolling5:60000').size > 0);
    await server.stop();
    t.is((await envoy.get()).status, 200, 'the last assignment counts');
    await eventually('the assignment has expired', async () => (await envoy.get()).status === 503);
    const refused = await envoy.get();
    t.is(refused.headers['x-mesh-policy-unavailable'], 'unreachable');
    t.regex(refused.body, /No policy server answers/);
    const restarted = await startFastServer({
      limits: [limitOf('minute', 1000, 60 * SECOND)],
      service: WEB,
      charges: { minute: 1 },
      port: server.port,
    });
    await eventually('the proxy reports to the new server', async () => (await envoy.get()).status === 200);
    await stop(restarted);
  },
);
