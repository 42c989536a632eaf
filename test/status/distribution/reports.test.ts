import test from 'ava';
import { load } from 'js-yaml';
import { createKindRegistry } from '../../../src/config/kinds.js';
import { aggregateProgress } from '../../../src/status/distribution/aggregate-progress.js';
import {
  type DistributionReport,
  formatReport,
  parseReport,
} from '../../../src/status/distribution/distribution-report.js';
import type { ObjectProgress } from '../../../src/status/distribution/instance-progress.js';
import { createReportShelf, REFRESH_MS, STALE_MS } from '../../../src/status/distribution/report-shelf.js';
import { createResourcePaths } from '../../../src/status/distribution/resource-path.js';

const PATHS = createResourcePaths(createKindRegistry('mesh.internal').definitions);
const KEY = 'QuotaSpec/shop/books';
const NOW = new Date('2026-01-01T00:00:00Z');

function object(version: string, ackedProxies: number, proxies: number, fields: Partial<ObjectProgress> = {}) {
  return { version, proxies, ackedProxies, policyServers: 0, ackedPolicyServers: 0, rejections: [], ...fields };
}

function report(
  reporter: string,
  objects: Readonly<Record<string, ObjectProgress>>,
  revision = '',
): DistributionReport {
  return { reporter, revision, progress: { proxies: 5, policyServers: 1, objects: new Map(Object.entries(objects)) } };
}

test('a report has the expected fields, and reads back unchanged', (t) => {
  const rejection = { proxy: 'web-1.shop', type: 'cds', text: 'no: "x"\nat all', others: ['ServiceEntry/shop/b'] };
  const written = report(
    'meshd-0',
    {
      [KEY]: object('3', 1, 2, { policyServers: 1, rejections: [rejection] }),
      'QuotaSpecBinding/shop/books': object('1', 2, 2, { policyServers: 1, ackedPolicyServers: 1 }),
      'ServiceEntry/shop/a': object('007', 5, 5, { policyServers: 1, ackedPolicyServers: 1 }),
    },
    'canary',
  );
  const text = formatReport(written, PATHS, NOW);
  t.like(load(text), {
    reporter: 'meshd-0',
    dataPlaneCount: 5,
    inProgressResources: { 'config.mesh.internal/v1alpha2/quotaspecs/shop/books/3': 1 },
  });
  const read = parseReport(text, PATHS);
  t.like(read, {
    reporter: 'meshd-0',
    revision: 'canary',
    reportedAtMs: NOW.getTime(),
    progress: { proxies: 5, policyServers: 1 },
  });
  t.deepEqual(Object.fromEntries(read?.progress.objects ?? []), Object.fromEntries(written.progress.objects));
});

test('a report with only the required fields is read', (t) => {
  const text =
    'reporter: a\ndataPlaneCount: 4\ninProgressResources:\n  config.mesh.internal/v1alpha2/quotaspecs/shop/books/2: 3\n  apps/v1/deployments/a/b/1: 1\n';
  const objects = [...(parseReport(text, PATHS)?.progress.objects ?? [])];
  t.deepEqual(objects, [[KEY, object('2', 3, 4)]]);
  t.is(parseReport(text, PATHS)?.reportedAtMs, undefined);
});

for (const text of ['', 'a: [', '[]', 'reporter: 1\ndataPlaneCount: 2', 'reporter: a\ndataPlaneCount: many']) {
  test(`an invalid report is not read: ${JSON.stringify(text)}`, (t) => {
    t.is(parseReport(text, PATHS), undefined);
  });
}

test('the counts of all instances are added', (t) => {
  const reports = [report('a', { [KEY]: object('2', 1, 2) }), report('b', { [KEY]: object('2', 3, 3) })];
  t.deepEqual(aggregateProgress(reports, KEY, '2'), {
    proxies: 5,
    ackedProxies: 4,
    policyServers: 0,
    ackedPolicyServers: 0,
    lagging: [],
    rejections: [],
  });
});

test('an instance with another generation, or without the object, lags, and its proxies count as without the object', (t) => {
  const reports = [
    report('c', {}),
    report('b', { [KEY]: object('1', 3, 3) }),
    report('a', { [KEY]: object('2', 2, 2) }),
  ];
  t.like(aggregateProgress(reports, KEY, '2'), { proxies: 5, ackedProxies: 2, lagging: ['b', 'c'] });
});

test('a report becomes stale after a minute without a change', (t) => {
  const shelf = createReportShelf();
  const put = (text: string, nowMs: number) => shelf.put('a-distribution', { text, report: report('a', {}) }, nowMs);
  put('1', 0);
  put('1', STALE_MS);
  t.is(shelf.fresh(STALE_MS).length, 1);
  t.deepEqual(shelf.stale(STALE_MS), []);
  t.deepEqual(shelf.fresh(STALE_MS + 1), []);
  t.deepEqual(shelf.stale(STALE_MS + 1), ['a-distribution']);
  put('2', STALE_MS + 2);
  t.is(shelf.fresh(2 * STALE_MS).length, 1);
  shelf.put('a-distribution', undefined, 2 * STALE_MS);
  t.deepEqual(shelf.fresh(2 * STALE_MS), []);
});

test('a new report has the age that it states, up to a limit that tolerates wrong clocks', (t) => {
  const firstSeen = (ageMs: number): ReturnType<typeof createReportShelf> => {
    const shelf = createReportShelf();
    shelf.put('a-distribution', { text: '1', report: report('a', {}), ageMs }, 0);
    return shelf;
  };
  t.is(firstSeen(20_000).fresh(40_000).length, 1);
  t.is(firstSeen(20_000).fresh(40_001).length, 0);
  // An old report becomes stale before a whole minute, but not before a running instance would repeat it.
  t.is(firstSeen(3_600_000).fresh(REFRESH_MS + 1000).length, 1);
  t.is(firstSeen(3_600_000).fresh(STALE_MS / 2).length, 0);
  t.is(firstSeen(-3_600_000).fresh(STALE_MS).length, 1);
  t.is(firstSeen(-3_600_000).fresh(STALE_MS + 1).length, 0);
});

test('a changed report is new, independent of the time in it', (t) => {
  const shelf = createReportShelf();
  shelf.put('a-distribution', { text: '1', report: report('a', {}), ageMs: 0 }, 0);
  shelf.put('a-distribution', { text: '2', report: report('a', {}), ageMs: 3_600_000 }, 1000);
  t.is(shelf.fresh(1000 + STALE_MS).length, 1);
});
