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

/** Ends the load that the agent runs. No request of it has failed. */
export async function endUnharmedLoad(t: ExecutionContext, agent: Agent): Promise<LoadReport> {
  const report = await agent.call('stopLoad', null);
  t.log(`${report.requests} requests, ${report.failures} failed`);
  t.deepEqual(report.samples, []);
  t.is(report.failures, 0);
  return report;
}
