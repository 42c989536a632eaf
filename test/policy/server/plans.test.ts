import { createHash } from 'node:crypto';
import test from 'ava';
import { Registry } from 'prom-client';
import type { ResolvedPlan } from '../../../src/config/plans/resolved-plan.js';
import type { ServiceConfig } from '../../../src/config/policy/client-config.js';
import { createMemoryStore } from '../../../src/policy/quota/memory/memory-store.js';
import { createQuotaHandler } from '../../../src/policy/quota/quota-handler.js';
import { createQuotaMetrics } from '../../../src/policy/quota/quota-metrics.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { eventually } from '../../support/eventually.js';
import { HTTP_LOG_ENTRY, TCP_CHECK } from './adapter/envoy-recordings.js';
import {
  createRig,
  httpCheck,
  httpConfigText,
  logMessageBytes,
  policiesOf,
  type ReadCheckResponse,
  tcpConfigText,
} from './policy-server-rig.js';

const BOOKS = 'books.default.svc.cluster.local';
const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');

const GOLD: ResolvedPlan = {
  match: [],
  limits: [
    { name: 'per-key', requests: 2, per: 'day', window: 'fixed', of: 'key', match: [] },
    { name: 'all', requests: 100, per: 'month', window: 'fixed', of: 'plan', match: [] },
  ],
  anonymous: 'never',
  refund: { responseCodes: ['5xx'] },
  consumers: [{ name: 'default/acme', keys: [hashOf('k1'), hashOf('k2')] }],
};

interface Mesh {
  readonly plans?: Readonly<Record<string, ResolvedPlan>>;
  readonly service?: Partial<ServiceConfig>;
}

function setUp({ plans = { 'default/gold': GOLD }, service = {} }: Mesh = {}) {
  const rig = createRig({ isReportLogged: () => true });
  const quotaLimits = [
    {
      name: 'of-acme',
      maxAmount: 1,
      validDurationMs: 60_000,
      window: 'fixed',
      dimensions: [{ text: 'api.consumer', attribute: 'api.consumer' }],
      overrides: [],
    },
  ] as const;
  const registry = new Registry();
  const quotas = createQuotaHandler({
    limits: quotaLimits,
    clock: rig.clock,
    store: createMemoryStore({ clock: rig.clock, maxCounters: 100 }),
    metrics: createQuotaMetrics(createMetrics(registry)),
  });
  rig.handlers.use([quotas]);
  const observe = (known: Readonly<Record<string, ResolvedPlan>>): void =>
    rig.server.observe({
      ...policiesOf({
        [BOOKS]: {
          mixerAttributes: { attributes: { 'destination.service.host': { stringValue: BOOKS } } },
          plans: ['default/gold'],
          ...service,
        },
      }),
      plan: (name) => known[name],
      planNames: Object.keys(known),
    });
  observe(plans);
  let requests = 0;
  const request = (path: string, http: object = {}) =>
    rig.ask(httpCheck({ id: String(requests++), path, ...http }), { service: BOOKS });
  const hasRefund = (line: string) =>
    eventually(line, async () => (await registry.metrics()).includes(`policy_server_quota_refunds_total{${line}`));
  return { ...rig, observe, request, hasRefund };
}

type Header = { readonly header: { readonly key: string; readonly value: string } };

function headersOf(headers: readonly Header[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(headers.map(({ header }) => [header.key, header.value]));
}

function refused({ deniedResponse }: ReadCheckResponse): Readonly<Record<string, unknown>> {
  return { status: deniedResponse?.status.code, body: deniedResponse?.body, ...headersOf(deniedResponse?.headers) };
}

function toldIn({ okResponse }: ReadCheckResponse): string | undefined {
  const { responseHeadersToAdd } = okResponse as { readonly responseHeadersToAdd?: readonly Header[] };
  return headersOf(responseHeadersToAdd)['ratelimit'];
}

test('a key is admitted up to its limits, with the rest in headers, and then gets 429 with the time to wait', async (t) => {
  const { request: ask } = setUp();
  const first = await ask('/?key=k1');
  t.is(first.status.code, 0);
  t.regex(toldIn(first) ?? '', /^"per-key";r=1;t=\d+, "all";r=99;t=\d+$/);
  t.regex(toldIn(await ask('/?key=k1')) ?? '', /^"per-key";r=0;t=\d+, "all";r=98;t=\d+$/);
  const answer = refused(await ask('/?key=k1'));
  t.like(answer, {
    status: 429,
    body: 'Quota is exhausted for: per-key',
    'ratelimit-policy': '"per-key";q=2;w=86400, "all";q=100;w=2678400',
  });
  const [, wait] = /^"per-key";r=0;t=(\d+)$/.exec(String(answer['ratelimit'])) ?? [];
  t.is(answer['retry-after'], wait);
  t.regex(toldIn(await ask('/?key=k2')) ?? '', /^"per-key";r=1;/, 'another key of the consumer has its own limit');
});

test('requests without a known key are refused before anything is counted', async (t) => {
  const { request: ask, series } = setUp({
    service: { quotaSpec: [{ rules: [{ match: [], quotas: [{ quota: 'of-acme', charge: 1 }] }] }] },
  });
  t.like(refused(await ask('/')), {
    status: 401,
    'www-authenticate': 'ApiKey',
    body: 'The request has no API key, and this API needs one',
  });
  t.like(refused(await ask('/?key=guess')), { status: 401, body: 'The API key of the request is not known' });
  t.is((await ask('/?key=k1')).status.code, 0, 'the quota of all requests is still there');
  t.is(
    await series('policy_server_plan_refusals_total{reason="unknownKey"}'),
    'policy_server_plan_refusals_total{reason="unknownKey"} 1',
  );
});

test('refusals of plans are not counted while checks of the service are off', async (t) => {
  const { request: ask, scrape } = setUp({ service: { disableCheckCalls: true } });
  t.is((await ask('/?key=guess')).status.code, 0);
  t.false((await scrape()).includes('policy_server_plan_refusals_total{'));
});

test('limits of plans are counted for a proxy that counts fast quotas itself, and those quotas are not', async (t) => {
  const { ask } = setUp({
    service: {
      quotaSpec: [{ enforcement: 'fast', rules: [{ match: [], quotas: [{ quota: 'of-acme', charge: 1 }] }] }],
    },
  });
  const configText = httpConfigText({ countsFastQuotas: true });
  const codes: unknown[] = [];
  for (const id of ['a', 'b', 'c']) {
    const answer = await ask(httpCheck({ id, path: '/?key=k1' }), { configText, service: BOOKS });
    codes.push(answer.status.code === 0 ? 200 : refused(answer)['status']);
  }
  t.deepEqual(codes, [200, 200, 429], 'the limit of the key is 2, and that of the quota 1');
});

test('conditions and dimensions of QuotaSpecs read consumer and plan', async (t) => {
  const clause = { 'api.consumer': { exact: 'default/acme' }, 'api.plan': { prefix: 'default/' } };
  const { request: ask } = setUp({
    service: {
      quotaSpec: [
        {
          rateLimitHeaders: true,
          rules: [{ match: [{ clause }], quotas: [{ quota: 'of-acme', charge: 1 }] }],
        },
      ],
    },
  });
  t.regex(toldIn(await ask('/?key=k1')) ?? '', /, "of-acme";r=0;t=\d+$/);
  t.like(refused(await ask('/?key=k2')), { status: 429, body: 'Quota is exhausted for: of-acme' });
});

test('a connection has no key, so it is refused where requests need one', async (t) => {
  const rig = setUp();
  const call = { service: BOOKS, configText: tcpConfigText({}) };
  t.is((await rig.ask(TCP_CHECK, call)).status.code, 16);
  rig.observe({ 'default/gold': { ...GOLD, anonymous: 'withoutKey' } });
  t.is((await rig.ask(TCP_CHECK, call)).status.code, 0);
});

test('without its plan, the fail policy decides about a service', async (t) => {
  const failPolicy = { maxRetry: 0, baseRetryWait: '80ms', maxRetryWait: '1s' };
  for (const [policy, code] of [
    ['FAIL_CLOSE', 14],
    ['FAIL_OPEN', 0],
  ] as const) {
    const { request: ask } = setUp({ plans: {}, service: { networkFailPolicy: { policy, ...failPolicy } } });
    t.is((await ask('/?key=k1')).status.code, code);
  }
});

test('a plan with an expression is compiled once, and a changed plan is in force for the next request', async (t) => {
  const { request: ask, observe } = setUp({
    plans: { 'default/gold': { ...GOLD, match: [{ clause: { 'request.path': { regex: '/books/.*' } } }] } },
  });
  t.is((await ask('/books/1?key=k1')).status.code, 0);
  t.like(refused(await ask('/orders?key=k1')), { status: 403 });
  observe({ 'default/gold': { ...GOLD, consumers: [] } });
  t.like(refused(await ask('/books/1?key=k1')), { status: 401 });
});

test('a service that does not check refuses nothing', async (t) => {
  const { request: ask } = setUp({ service: { disableCheckCalls: true } });
  t.is((await ask('/')).status.code, 0);
});

/** Sends the log entry of a request, with the metadata that its check has left. */
function sendLog(server: ReturnType<typeof setUp>['server'], { dynamicMetadata }: ReadCheckResponse, code: number) {
  const entry = {
    ...HTTP_LOG_ENTRY,
    commonProperties: {
      ...HTTP_LOG_ENTRY.commonProperties,
      metadata: { filterMetadata: { 'envoy.filters.http.ext_authz': dynamicMetadata } },
    },
    response: { ...HTTP_LOG_ENTRY.response, responseCode: { value: code } },
  };
  const node = { id: 'sidecar~10.0.0.9~books-1.default~default.svc.cluster.local' };
  const message = { identifier: { node, logName: 'inbound' }, httpLogs: { logEntry: [entry] } };
  return server.openLogStream().take(logMessageBytes(message));
}

test('the report of a failed request gives it back, and the report of another one does not', async (t) => {
  const { request: ask, server, hasRefund } = setUp();
  const failed = await ask('/?key=k1');
  const good = await ask('/?key=k1');
  await sendLog(server, good, 200);
  await sendLog(server, failed, 503);
  await hasRefund('result="refunded"} 1');
  await sendLog(server, failed, 503);
  await hasRefund('result="used"} 1');
  t.regex(toldIn(await ask('/?key=k1')) ?? '', /^"per-key";r=0;/);
  t.like(refused(await ask('/?key=k1')), { status: 429 });
});

test('a report names plan and consumer, and a part of the hash of the key', async (t) => {
  const { request: ask, server, log } = setUp();
  await sendLog(server, await ask('/?key=k1'), 200);
  const { fields } = log.find(({ message }) => message === 'report') ?? {};
  const keyId = `sha256:${hashOf('k1').slice(0, 12)}`;
  t.like(fields?.['report'], {
    'api.plan': 'default/gold',
    'api.consumer': 'default/acme',
    'api.key_id': keyId,
    'request.api_key': keyId,
  });
});
