import type { Finding } from '../../model/finding.js';
import { JsonRecord, type JsonSource } from '../json-source.js';
import { compareText } from '../order.js';
import { json, type Page } from '../page.js';

/** Metric, then key, then {proxy, message}; an empty object before the first push (BEHAVIOUR 2). */
export const pushStatus: Page = {
  path: '/debug/push_status',
  description: 'What the last push met: conflicts, services without endpoints and the like',
  audience: 'operator',
  handle: (views) => json(new JsonRecord(byMetric(views.pushStatus() ?? []))),
};

function* byMetric(findings: readonly Finding[]): Generator<readonly [string, JsonSource]> {
  for (const metric of [...new Set(findings.map((finding) => finding.metric))].sort(compareText)) {
    const found = findings.filter((finding) => finding.metric === metric);
    yield [metric, new JsonRecord([...byKey(found)].sort(([first], [second]) => compareText(first, second)))];
  }
}

/** Of findings with one key, the first proxy's stands for all, as the gauges count keys. */
function byKey(findings: readonly Finding[]): ReadonlyMap<string, object> {
  const sorted = findings.toSorted((first, second) => compareText(second.proxy ?? '', first.proxy ?? ''));
  return new Map(sorted.map(({ key, proxy, message }) => [key, { ...(proxy ? { proxy } : {}), message }]));
}
