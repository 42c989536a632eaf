import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { ExecutionContext } from 'ava';
import type { StatusChange } from '../counterparts/agent/calls.js';
import { eventually } from '../support/eventually.js';
import type { PolicyMesh } from './policy-mesh.js';

/** Unless told otherwise. */
const IN_FORCE_MS = 1000;
/** Requests that must meet the new state alone before a change counts as complete. */
const REQUESTS_AFTER_CHANGE = 300;
const CONCURRENCY = 2;
/** On its way a change waits for a processor about so often, each time for at most the longest stall of this process. */
const STALLS = 4;
const NANOSECONDS_PER_MILLISECOND = 1e6;
/** The unit of /proc/stat. */
const MILLISECONDS_PER_TICK = 10;

/** A change of the policies, after which every request has the status. */
export interface Change {
  readonly what: string;
  /** Comes first and changes nothing. */
  prepare?(): Promise<void>;
  make(): Promise<void>;
  readonly status: 200 | 429;
}

/** Milliseconds since its start for which each virtual processor could not run. */
function stolenByProcessor(): readonly number[] {
  const lines = readFileSync('/proc/stat', 'utf8').split('\n');
  return lines.filter((line) => /^cpu\d/.test(line)).map((line) => Number(line.split(/ +/)[8]) * MILLISECONDS_PER_TICK);
}

/** Measures from now on for how long processors are not available. */
function watchProcessors() {
  const stolen = stolenByProcessor();
  const stalls = monitorEventLoopDelay({ resolution: 5 });
  stalls.enable();
  return {
    read: () => ({
      stallMs: Math.round(stalls.max / NANOSECONDS_PER_MILLISECOND),
      stolenMs: Math.max(...stolenByProcessor().map((each, index) => each - (stolen[index] ?? 0))),
    }),
    stop: () => stalls.disable(),
  };
}

/** How often listeners were replaced as a whole or in part, at both sidecars. */
async function listenerChanges({ client, server }: PolicyMesh): Promise<readonly (number | undefined)[]> {
  const stats = await Promise.all([client.envoy.stats(), server.envoy.stats()]);
  return stats.flatMap((each) =>
    ['listener_added', 'listener_modified', 'listener_removed', 'listener_in_place_updated'].map((name) =>
      each.get(`listener_manager.${name}`),
    ),
  );
}

/**
 * Makes the changes one after another under load, and returns how long each took until all requests had its status.
 *
 * @param deciders number of policy servers that decide in turns; they need not switch at the same moment
 * @param withinMs longest time until no request meets the old state
 */
export async function changeUnderLoad(
  t: ExecutionContext,
  policy: PolicyMesh,
  service: string,
  changes: readonly Change[],
  deciders = 1,
  withinMs = IN_FORCE_MS,
): Promise<void> {
  const { agent } = policy.client;
  const request = policy.request(service);
  const listeners = await listenerChanges(policy);
  const read = () => agent.call('readLoad', null);
  await agent.call('startLoad', { request, concurrency: CONCURRENCY, expected: [200, 429] });
  try {
    await eventually('the load runs', async () => (await read()).requests > 100);
    for (const { what, prepare, make, status } of changes) {
      await prepare?.();
      const processors = watchProcessors();
      const writtenAt = Date.now();
      await make();
      let lastAt = 0;
      // At the first look after the last change: the requests after it may wait for a processor too.
      let { stallMs, stolenMs } = processors.read();
      const settled = await eventually(`${what}: ${status}`, async () => {
        const report = await read();
        const last = report.changes.at(-1);
        if (last !== undefined && last.at !== lastAt) {
          lastAt = last.at;
          ({ stallMs, stolenMs } = processors.read());
        }
        const isSettled = last?.status === status && report.requests >= last.after + REQUESTS_AFTER_CHANGE;
        return isSettled ? report.changes : undefined;
      });
      processors.stop();
      const since = settled.filter(({ at }) => at >= writtenAt);
      const took = (since.at(-1)?.at ?? Number.NaN) - writtenAt;
      t.log(`${what}: in force after ${took} ms; longest stall ${stallMs} ms, stolen from a processor ${stolenMs} ms`);
      if (deciders === 1) t.true(stragglersOf(since) <= CONCURRENCY - 1, `${what}: ${JSON.stringify(since)}`);
      const unavailableMs = Math.max(STALLS * stallMs, stolenMs);
      t.true(
        took <= withinMs + unavailableMs,
        `${what}: ${took} ms; processors were unavailable for ${unavailableMs} ms`,
      );
    }
  } finally {
    const report = await agent.call('stopLoad', null);
    t.deepEqual(report.samples, []);
    t.is(report.failures, 0);
    t.log(`${report.requests} requests, none failed`);
  }
  t.deepEqual(await listenerChanges(policy), listeners, 'no listener was replaced');
}

/** Answers of the state before that came after the first of the new one: to requests that were in flight. */
function stragglersOf(changes: readonly StatusChange[]): number {
  const last = changes.at(-1);
  return changes.reduce((sum, { status, after }, index) => {
    const next = changes[index + 1];
    return next === undefined || status === last?.status ? sum : sum + next.after - after;
  }, 0);
}
