import type { ExecutionContext } from 'ava';
import type { LoadReport } from '../counterparts/agent/calls.js';
import type { Agent } from '../counterparts/agent.js';
import { type EventuallyOptions, eventually } from '../support/eventually.js';

/** Waits for so many more requests of the load that the agent runs. */
export async function moreRequests(agent: Agent, count: number, patience?: EventuallyOptions): Promise<void> {
  const { requests } = await agent.call('readLoad', null);
  await eventually(
    `${count} more requests`,
    async () => (await agent.call('readLoad', null)).requests >= requests + count,
    patience,
  );
}

/**
 * Acts while each of the agents runs a load, and returns for each the number of requests that ended meanwhile, with those
 * that were in flight before. Further requests of each end before and after it.
 */
export async function requestsDuring(agents: readonly Agent[], act: () => Promise<void>): Promise<readonly number[]> {
  const read = () => Promise.all(agents.map(async (agent) => (await agent.call('readLoad', null)).requests));
  const more = () => Promise.all(agents.map((agent) => moreRequests(agent, 10)));
  await more();
  const before = await read();
  await act();
  const after = await read();
  await more();
  return after.map((count, index) => count - (before[index] ?? 0));
}

/** Ends the load that the agent runs. No request of it has failed. */
export async function endUnharmedLoad(t: ExecutionContext, agent: Agent): Promise<LoadReport> {
  const report = await agent.call('stopLoad', null);
  t.log(`${report.requests} requests, ${report.failures} failed`);
  t.deepEqual(report.samples, []);
  t.is(report.failures, 0);
  return report;
}
