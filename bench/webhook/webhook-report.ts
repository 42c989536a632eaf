import { formatTable } from '../report/table.js';
import type { WebhookResult } from './measure-webhook.js';
import type { WebhookWorkloadSize } from './webhook-workload.js';

/** The goal for QuotaSpecs of 100 rules, at 200 requests per second on one core. */
const GOAL_P99_MS = 5;

/** Whether validation is as fast as it should be. */
export function isWebhookGoalMet({ p99Ms, failed }: WebhookResult): boolean {
  return failed === 0 && p99Ms < GOAL_P99_MS;
}

/** The result as text for a person, with a line break at its end. */
export function formatWebhookReport(size: WebhookWorkloadSize, perSecond: number, result: WebhookResult): string {
  const { requests, failed, p50Ms, p99Ms, maxMs, lateP99Ms, cpuUsPerRequest } = result;
  return [
    `Validation of QuotaSpecs of ${size.rules} rules over HTTPS, with warnings, in a mesh of ${size.services} services`,
    '',
    ...formatTable([
      ['per second', 'requests', 'failed', 'p50 ms', 'p99 ms', 'max ms', 'late p99', 'CPU us/request'],
      [
        String(perSecond),
        String(requests),
        String(failed),
        p50Ms.toFixed(2),
        p99Ms.toFixed(2),
        maxMs.toFixed(2),
        lateP99Ms.toFixed(2),
        cpuUsPerRequest?.toFixed(0) ?? '',
      ],
    ]),
    '',
    `Goal for 100 rules at 200 per second on one core: p99 below ${GOAL_P99_MS} ms: ${
      isWebhookGoalMet(result) ? 'met' : 'missed'
    }.`,
    "Latency counts from when a request was due, so that late p99, the generator's own delay, is in it.",
    '',
  ].join('\n');
}
