import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import { createKindRegistry } from '../../../src/config/kinds.js';
import type { ApiAnswer, ApiRequest } from '../../../src/kubernetes/client/api-sender.js';
import type { DistributionReport } from '../../../src/status/distribution/distribution-report.js';
import { createReportShelf } from '../../../src/status/distribution/report-shelf.js';
import { createResourcePaths } from '../../../src/status/distribution/resource-path.js';
import { createReportCleaner } from '../../../src/status/kubernetes/report-cleaner.js';
import { createReportPublisher, type ReportPublisherOptions } from '../../../src/status/kubernetes/report-publisher.js';
import { createReportSink, REPORT_KEY } from '../../../src/status/kubernetes/report-watch.js';
import { answer } from '../../kubernetes/election/lease-server.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { createRecordingLogger } from '../../support/recording-logger.js';

const PATHS = createResourcePaths(createKindRegistry('mesh.internal').definitions);

function reportOf(proxies: number, objects = 1): DistributionReport {
  const counts = {
    version: '1',
    proxies,
    ackedProxies: proxies,
    policyServers: 0,
    ackedPolicyServers: 0,
    rejections: [],
  };
  const keys = Array.from({ length: objects }, (_, index) => `QuotaSpec/a-namespace/quota-spec-number-${index}`);
  return {
    reporter: 'meshd-0',
    revision: '',
    progress: { proxies, policyServers: 0, objects: new Map(keys.map((key) => [key, counts])) },
  };
}

function createRig({ pod }: Pick<ReportPublisherOptions, 'pod'> = {}) {
  const clock = createFakeClock();
  const logger = createRecordingLogger();
  const requests: ApiRequest[] = [];
  const written: string[] = [];
  let respond: () => ApiAnswer | Promise<ApiAnswer> = () => answer(200);
  const send = async (request: ApiRequest): Promise<ApiAnswer> => {
    requests.push(request);
    const data = (request.body as { data?: Record<string, string> } | undefined)?.data;
    if (data !== undefined) written.push(data[REPORT_KEY] ?? '');
    return await respond();
  };
  return {
    clock,
    send,
    requests,
    written,
    log: logger.records,
    respondWith: (next: typeof respond) => {
      respond = next;
    },
    logger,
    publisher: createReportPublisher({
      namespace: 'mesh-system',
      configMap: 'meshd-0-distribution',
      meshDomain: 'mesh.internal',
      pod,
      paths: PATHS,
      send,
      clock,
      logger,
    }),
  };
}

test('a report is applied to the ConfigMap of the instance, with the label that instances watch', async (t) => {
  const { publisher, requests } = createRig();
  await publisher.publish(reportOf(2));
  t.like(requests[0], {
    method: 'PATCH',
    path: '/api/v1/namespaces/mesh-system/configmaps/meshd-0-distribution',
    query: { fieldManager: 'navigator-status', force: 'true' },
    body: { metadata: { labels: { 'internal.mesh.internal/distribution-report': 'true' } } },
  });
});

test('the state of checks and the number of proxies have keys of their own for kubectl wait', async (t) => {
  const { publisher, requests } = createRig();
  const report = reportOf(2);
  const dataOf = (index: number) =>
    (requests[index]?.body as { data?: Record<string, string> } | undefined)?.data ?? {};
  for (const checks of ['on', 'changing', 'off'] as const) {
    await publisher.publish({ ...report, progress: { ...report.progress, checks } });
  }
  t.deepEqual(
    [0, 1, 2].map((index) => [dataOf(index)['checks'], dataOf(index)['proxies']]),
    [
      ['on', '2'],
      ['changing', '2'],
      ['off', '2'],
    ],
  );
});

test('the pod of the instance owns the report, and an unknown pod does not', async (t) => {
  const metadataOf = async (pod: ReportPublisherOptions['pod']): Promise<object> => {
    const { publisher, requests } = createRig({ pod });
    await publisher.publish(reportOf(2));
    const [{ body } = { body: undefined }] = requests;
    return (body as { readonly metadata: object }).metadata;
  };
  const uid = '6b1e7b5c-0001-4a5e-9e0a-000000000001';
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name: 'meshd-0', uid }];
  t.like(await metadataOf({ name: 'meshd-0', uid }), { ownerReferences });
  t.false('ownerReferences' in (await metadataOf(undefined)));
});

test('a report is written after a change, and every twenty seconds so that it does not become stale', async (t) => {
  const { publisher, clock, written } = createRig();
  for (let second = 0; second < 60; second++) {
    await publisher.publish(reportOf(second < 30 ? 2 : 3));
    clock.advance(1_000);
  }
  t.is(written.length, 4);
  t.is(new Set(written).size, 4);
});

test('a failed write of a report is logged once and retried with backoff', async (t) => {
  const { publisher, clock, requests, log, respondWith } = createRig();
  respondWith(() => answer(403, { message: 'configmaps is forbidden' }));
  for (let tick = 0; tick < 120; tick++) {
    await publisher.publish(reportOf(tick));
    clock.advance(500);
  }
  t.true(requests.length < 15, `${requests.length} requests`);
  t.is(log.length, 1);
  t.regex(
    String(log[0]?.fields['err']),
    /configmaps is forbidden; let the service account create and patch configmaps/,
  );
  respondWith(() => answer(200));
  clock.advance(10_000);
  await publisher.publish(reportOf(1));
  t.is(log.at(-1)?.message, 'distribution report can be written again');
});

test('a report that is too large for a ConfigMap is logged and not sent', async (t) => {
  const { publisher, requests, log } = createRig();
  await publisher.publish(reportOf(1, 20_000));
  t.is(requests.length, 0);
  t.regex(String(log[0]?.fields['err']), /too many objects/);
});

test('a withdrawn report is not written again, and the withdrawal waits for the write under way', async (t) => {
  const { publisher, requests, respondWith } = createRig();
  let finish = (): void => undefined;
  respondWith(
    () =>
      new Promise((resolve) => {
        finish = () => resolve(answer(200));
      }),
  );
  const publishing = publisher.publish(reportOf(1));
  const withdrawing = publisher.withdraw();
  await nextTurn();
  t.is(requests.length, 1);
  respondWith(() => answer(200));
  finish();
  await Promise.all([publishing, withdrawing]);
  await publisher.publish(reportOf(2));
  t.deepEqual(
    requests.map(({ method }) => method),
    ['PATCH', 'DELETE'],
  );
});

test('the stale report of a killed instance is removed, and a failed removal is retried only after a while', async (t) => {
  const { clock, send, logger, requests, log, respondWith } = createRig();
  const shelf = createReportShelf();
  const cleaner = createReportCleaner({ namespace: 'mesh-system', shelf, send, clock, logger });
  shelf.put('meshd-9-distribution', { text: '1', report: reportOf(1) }, clock.monotonicMs());
  respondWith(() => answer(500));
  for (let second = 0; second < 100; second++) {
    await cleaner.clean();
    clock.advance(1_000);
  }
  t.deepEqual(
    requests.map(({ method, path }) => `${method} ${path}`),
    ['DELETE /api/v1/namespaces/mesh-system/configmaps/meshd-9-distribution'],
  );
  respondWith(() => answer(200));
  clock.advance(60_000);
  await cleaner.clean();
  t.is(log.at(-1)?.level, 'info');
});

test('the shelf follows the watched ConfigMaps, and an unreadable one is logged once', (t) => {
  const { clock, logger, log } = createRig();
  const shelf = createReportShelf();
  const sink = createReportSink({ shelf, paths: PATHS, clock, logger, onChange: () => undefined });
  const configMap = (name: string, text: string | undefined, resourceVersion = '1') => ({
    metadata: { name, resourceVersion },
    data: text === undefined ? undefined : { [REPORT_KEY]: text },
  });
  const fresh = (): readonly string[] => shelf.fresh(clock.monotonicMs()).map(({ reporter }) => reporter);
  const list = sink.replace();
  list.add([configMap('a', '{"reporter": "a", "dataPlaneCount": 1}'), configMap('b', 'not a report')]);
  list.commit();
  sink.apply([
    { type: 'MODIFIED', object: configMap('b', undefined, '2') },
    { type: 'ADDED', object: configMap('c', 'reporter: c\ndataPlaneCount: 2') },
  ]);
  t.deepEqual(fresh(), ['a', 'c']);
  t.is(log.length, 1);
  sink.apply([{ type: 'DELETED', object: configMap('a', undefined) }]);
  t.deepEqual(fresh(), ['c']);
  sink.replace().commit();
  t.deepEqual(fresh(), []);
  t.true(sink.isEmpty());
});

test('a new leader does not wait a minute for the report of a killed instance', (t) => {
  const { clock, logger } = createRig();
  const shelf = createReportShelf();
  const sink = createReportSink({ shelf, paths: PATHS, clock, logger, onChange: () => undefined });
  const reportedAt = new Date(clock.now().getTime() - 40_000).toISOString();
  const text = JSON.stringify({ reporter: 'killed', dataPlaneCount: 1, reportedAt });
  const list = sink.replace();
  const metadata = { name: 'killed-distribution', resourceVersion: '1' };
  list.add([Object.assign({ metadata }, { data: { [REPORT_KEY]: text } })]);
  list.commit();
  t.is(shelf.fresh(clock.monotonicMs()).length, 1);
  clock.advance(26_000);
  t.deepEqual(shelf.fresh(clock.monotonicMs()), []);
});
