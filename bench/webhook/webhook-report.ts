import { formatTable } from '../report/table.js';
import type { WebhookResult } from './measure-webhook.js';
import type { WebhookWorkloadSize } from './webhook-workload.js';

/** The goal for QuotaSpecs of 100 rules, at 200 requests per second on one core. */
const GOAL_P99_MS = 5;

/** Whether validation is as fast as it should be. */
export function isWebhookGoalMet({ p99Ms, failed }: WebhookResult): boolean {
  return failed === 0 && p99Ms < GOAL_P99_MS;
}

/** Results of the webhook and the floor in the same run. */
export interface WebhookResults {
  readonly server: WebhookResult;
  readonly floor: WebhookResult;
}

/** The results as text for a person, with a line break at its end. */
export function formatWebhookReport(
  size: WebhookWorkloadSize,
  perSecond: number,
  { server, floor }: WebhookResults,
): string {
  return [
    `Validation of QuotaSpecs of ${size.rules} rules over HTTPS, with warnings, in a mesh of ${size.services} services`,
    `${perSecond} requests per second`,
    '',
    ...formatTable([
      ['', 'requests', 'failed', 'p50 ms', 'p99 ms', 'max ms', 'late p99', 'CPU us/request'],
      rowOf('server', server),
      rowOf('floor', floor),
      [
        'ratio',
        '',
        '',
        ratio(server.p50Ms, floor.p50Ms),
        ratio(server.p99Ms, floor.p99Ms),
        '',
        '',
        ratioOfCpu(server, floor),
      ],
    ]),
    '',
    `Goal for 100 rules at 200 per second on one core: p99 below ${GOAL_P99_MS} ms: ${
      isWebhookGoalMet(server) ? 'met' : 'missed'
    }.`,
    "Latency counts from when a request was due, so that late p99, the generator's own delay, is in it.",
    'The floor parses the same reviews, over HTTPS as well, and allows them.',
    '',
  ].join('\n');
}

function rowOf(name: string, result: WebhookResult): readonly string[] {
  const { requests, failed, p50Ms, p99Ms, maxMs, lateP99Ms, cpuUsPerRequest } = result;
  const times = [p50Ms, p99Ms, maxMs, lateP99Ms].map((ms) => ms.toFixed(2));
  return [name, String(requests), String(failed), ...times, cpuUsPerRequest?.toFixed(0) ?? ''];
}

function ratioOfCpu(server: WebhookResult, floor: WebhookResult): string {
  const [ours, least] = [server.cpuUsPerRequest, floor.cpuUsPerRequest];
  return ours === undefined || least === undefined ? '' : ratio(ours, least);
}

function ratio(value: number, floor: number): string {
  return `${(value / floor).toFixed(2)}x`;
}
