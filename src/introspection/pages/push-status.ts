import type { Finding } from '../../model/finding.js';
import { JsonRecord, type JsonSource } from '../json-source.js';
import { compareText } from '../order.js';
import { json, type Page } from '../page.js';

/** {proxy, message} by metric and key; an empty object before the first push. */
export const pushStatus: Page = {
  path: '/debug/push_status',
  description: 'Problems of the last push, for example conflicts and services without endpoints',
  audience: 'operator',
  handle: (views) => json(new JsonRecord(byMetric(views.pushStatus() ?? []))),
};

function* byMetric(findings: readonly Finding[]): Generator<readonly [string, JsonSource]> {
  for (const metric of [...new Set(findings.map((finding) => finding.metric))].sort(compareText)) {
    const found = findings.filter((finding) => finding.metric === metric);
    yield [metric, new JsonRecord([...byKey(found)].sort(([first], [second]) => compareText(first, second)))];
  }
}

/** Keeps one finding per key, that of the first proxy, because the gauges count keys. */
function byKey(findings: readonly Finding[]): ReadonlyMap<string, object> {
  const sorted = findings.toSorted((first, second) => compareText(second.proxy ?? '', first.proxy ?? ''));
  return new Map(sorted.map(({ key, proxy, message }) => [key, { ...(proxy ? { proxy } : {}), message }]));
}
