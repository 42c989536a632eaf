import test from 'ava';
import type { ServiceConfig } from '../../../src/config/policy/client-config.js';
import type { NetworkFailPolicy, TransportConfig } from '../../../src/config/policy/transport-config.js';
import type { AttributeValue } from '../../../src/policy/client/attribute-value.js';
import { stringAttribute } from '../../../src/policy/client/attribute-value.js';
import { CallConfigError } from '../../../src/policy/server/call-configs.js';
import { EnvoyMessageError } from '../../../src/policy/server/envoy-codec.js';
import { allow, deny, sendError } from '../../support/policy-server.js';
import { TCP_CHECK } from './adapter/envoy-recordings.js';
import {
  checkRequestBytes,
  createRig,
  grantAll,
  httpCheck,
  httpConfigText,
  type PolicyServerRig,
  policiesOf,
  policyEncoder,
  tcpConfigText,
} from './policy-server-rig.js';

const BOOKS = 'books.default.svc.cluster.local';

const texts = (values: Readonly<Record<string, string>>) => ({
  attributes: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { stringValue: value }])),
});

const forwardedHeader = (values: Readonly<Record<string, string>>): string =>
  policyEncoder.attributesText(new Map(Object.entries(values).map(([name, value]) => [name, stringAttribute(value)])));

/** Charges `all` for every request. */
const CHARGED: Partial<ServiceConfig> = {
  quotaSpec: [{ rules: [{ match: [], quotas: [{ quota: 'all', charge: 1 }] }] }],
};

const transport = (fields: Partial<TransportConfig>): TransportConfig => ({
  disableCheckCache: false,
  disableQuotaCache: false,
  disableReportBatch: false,
  networkFailPolicy: failPolicy('FAIL_OPEN'),
  statsUpdateInterval: '10s',
  checkCluster: 'policy_server',
  reportCluster: 'policy_server',
  reportBatchMaxEntries: 0,
  reportBatchMaxTime: '0s',
  ...fields,
});

function failPolicy(policy: NetworkFailPolicy['policy']): NetworkFailPolicy {
  return { policy, maxRetry: 0, baseRetryWait: '80ms', maxRetryWait: '1s' };
}

function asked({ transport: { checks } }: PolicyServerRig, name: string): AttributeValue['value'] | undefined {
  return checks.at(-1)?.attributes.get(name)?.value;
}

test("attributes apply in the order of ServiceConfig: the filter's, the route's, forwarded ones, those of the request", async (t) => {
  const rig = createRig({
    services: {
      [BOOKS]: {
        mixerAttributes: texts({
          'destination.service.host': BOOKS,
          'destination.service.name': 'of the route',
          'source.uid': 'of the route',
          'request.method': 'of the route',
        }),
      },
    },
  });
  const configText = httpConfigText({
    mixerAttributes: texts({
      'context.reporter.kind': 'inbound',
      'destination.service.name': 'of the filter',
      'source.uid': 'of the filter',
      'request.method': 'of the filter',
    }),
  });
  const header = forwardedHeader({ 'source.uid': 'forwarded', 'source.namespace': 'forwarded' });
  await rig.ask(httpCheck({ headers: { 'x-mesh-attributes': header } }), { configText, service: BOOKS });
  t.is(asked(rig, 'context.reporter.kind'), 'inbound');
  t.is(asked(rig, 'destination.service.name'), 'of the route');
  t.is(asked(rig, 'source.uid'), 'forwarded');
  t.is(asked(rig, 'source.namespace'), 'forwarded');
  t.is(asked(rig, 'request.method'), 'GET');
});

test('forwarded attributes are ignored when the configuration disables them, as on gateways', async (t) => {
  const rig = createRig();
  const configText = httpConfigText({
    ignoreForwardedAttributes: true,
    mixerAttributes: texts({ 'source.uid': 'own' }),
  });
  const { dynamicMetadata } = await rig.ask(
    httpCheck({ headers: { 'x-mesh-attributes': forwardedHeader({ 'source.uid': 'forwarded' }) } }),
    { configText },
  );
  t.is(asked(rig, 'source.uid'), 'own');
  t.false('forwarded_attributes' in dynamicMetadata.fields);
});

test('a caller can forward only its identity and the called service', async (t) => {
  const rig = createRig();
  const header = forwardedHeader({ 'source.uid': 'caller', 'request.api_key': 'stolen', 'destination.uid': 'another' });
  await rig.ask(httpCheck({ headers: { 'x-mesh-attributes': header } }));
  t.is(asked(rig, 'source.uid'), 'caller');
  t.is(asked(rig, 'request.api_key'), 'k1');
  t.is(asked(rig, 'destination.uid'), undefined);
});

test('a caller cannot assign a request to another service', async (t) => {
  const own = { 'destination.service.host': BOOKS, 'destination.service.name': 'books' };
  const rig = createRig({ services: { [BOOKS]: { mixerAttributes: texts(own) } } });
  const header = forwardedHeader({
    'source.uid': 'caller',
    'destination.service.host': 'orders.shop',
    'destination.service.name': 'orders',
    'destination.service.uid': 'mesh://shop/services/orders',
  });
  await rig.ask(httpCheck({ headers: { 'x-mesh-attributes': header } }), { service: BOOKS });
  t.is(asked(rig, 'source.uid'), 'caller');
  t.is(asked(rig, 'destination.service.host'), BOOKS);
  t.is(asked(rig, 'destination.service.name'), 'books');
  t.is(asked(rig, 'destination.service.uid'), undefined);

  await rig.ask(httpCheck({ headers: { 'x-mesh-attributes': header } }), { service: 'unknown.shop' });
  t.is(
    asked(rig, 'destination.service.host'),
    'orders.shop',
    'for a service that nobody here knows, it is all there is',
  );
});

for (const header of ['not base64!', 'AAAA', '////////', ',', '=', 'QUJD', 'x'.repeat(70_000)]) {
  test(`the forwarded attributes ${header.slice(0, 12)} of ${header.length} characters, which are none, count as none`, async (t) => {
    const rig = createRig();
    const { status } = await rig.ask(httpCheck({ headers: { 'x-mesh-attributes': header } }));
    t.is(status.code, 0);
    t.is(asked(rig, 'source.uid'), undefined);
  });
}

test('the service is the one of the route, else of the chain, else of the configuration', async (t) => {
  const named = (name: string) => ({ mixerAttributes: texts({ 'destination.service.name': name }) });
  const rig = createRig({
    services: { 'route.host': named('route'), 'chain.host': named('chain'), default: named('default') },
  });
  const configText = httpConfigText({ defaultDestinationService: 'default' });
  const ofRoute = httpCheck({}, { contextExtensions: { 'destination.service.host': 'route.host' } });
  const serviceOf = async (message: object, service?: string) => {
    const { dynamicMetadata } = await rig.ask(message, { configText, service });
    return [asked(rig, 'destination.service.name'), dynamicMetadata.fields['service']?.['stringValue']];
  };
  t.deepEqual(await serviceOf(ofRoute, 'chain.host'), ['route', 'route.host']);
  t.deepEqual(await serviceOf(httpCheck(), 'chain.host'), ['chain', 'chain.host']);
  t.deepEqual(await serviceOf(httpCheck()), ['default', 'default']);
});

test('a service that is not known is checked without quotas, and counted', async (t) => {
  const rig = createRig({ services: { [BOOKS]: CHARGED } });
  const { status } = await rig.ask(httpCheck(), { service: 'nobody.example' });
  t.is(status.code, 0);
  t.is(rig.transport.checks.at(-1)?.quotas.size, 0);
  t.is(
    await rig.series('policy_server_unknown_service_checks_total{protocol="http"}'),
    'policy_server_unknown_service_checks_total{protocol="http"} 1',
  );
});

const API: Partial<ServiceConfig> = {
  httpApiSpec: [
    {
      attributes: texts({ 'api.service': 'books' }),
      patterns: [
        { httpMethod: 'GET', uriTemplate: '/books/{id}', attributes: texts({ 'api.operation': 'get' }) },
        { httpMethod: 'POST', uriTemplate: '/books', attributes: texts({ 'api.operation': 'add' }) },
      ],
      apiKeys: [],
    },
  ],
  quotaSpec: [
    {
      rules: [
        { match: [{ clause: { 'api.operation': { exact: 'add' } } }], quotas: [{ quota: 'writes', charge: 5 }] },
        { match: [{ clause: { 'request.api_key': { prefix: '' } } }], quotas: [{ quota: 'per-key', charge: 1 }] },
        { match: [], quotas: [{ quota: 'all', charge: 1 }] },
      ],
    },
  ],
};

test('a request is charged by the rules for its API operation and key, all quotas in one call', async (t) => {
  const rig = createRig({ services: { [BOOKS]: API } });
  const charged = async (http: object) => {
    await rig.ask(httpCheck(http), { service: BOOKS });
    return Object.fromEntries(
      [...(rig.transport.checks.at(-1)?.quotas ?? [])].map(([name, { amount }]) => [name, amount]),
    );
  };
  t.deepEqual(await charged({ path: '/books/1?key=k1' }), { 'per-key': 1, all: 1 });
  t.deepEqual(await charged({ path: '/books', method: 'POST', headers: { 'x-api-key': 'k2' } }), {
    writes: 5,
    'per-key': 1,
    all: 1,
  });
  t.is(asked(rig, 'request.api_key'), 'k2');
  t.deepEqual(await charged({ path: '/elsewhere' }), { all: 1 });
  t.is(rig.transport.checks.length, 3);
});

test('an exhausted quota refuses with 429, its name and retry-after', async (t) => {
  const rig = createRig({ services: { [BOOKS]: API } });
  rig.transport.answer = () => ({
    precondition: allow(),
    quotas: new Map([
      ['all', { grantedAmount: 0, retryAfterMs: 12_345 }],
      ['per-key', { grantedAmount: 1 }],
    ]),
  });
  const { status, deniedResponse } = await rig.ask(httpCheck(), { service: BOOKS });
  t.is(status.code, 8);
  t.is(deniedResponse?.status.code, 429);
  t.is(deniedResponse?.body, 'Quota is exhausted for: all');
  t.deepEqual(
    deniedResponse?.headers.map(({ header }) => [header.key, header.value]),
    [
      ['content-type', 'text/plain; charset=utf-8'],
      ['retry-after', '13'],
    ],
  );
});

test('attempts at one Check have one deduplication id; no two requests have the same', async (t) => {
  const rig = createRig({ services: { [BOOKS]: CHARGED, 'other.host': CHARGED } });
  const idOf = async (message: object, service = BOOKS) => {
    await rig.ask(message, { service });
    return rig.transport.checks.at(-1)?.deduplicationId;
  };
  const first = await idOf(httpCheck());
  t.is(await idOf(httpCheck({ headers: { 'x-request-id': 'chosen by the caller' } })), first);
  const others = [
    await idOf(httpCheck({ id: '1' })),
    await idOf(httpCheck(), 'other.host'),
    await idOf({ attributes: { request: { time: { seconds: 1 }, http: { id: '9334399171164779405' } } } }),
    await idOf(httpCheck({ id: '' })),
    await idOf(httpCheck({ id: '' })),
  ];
  t.is(new Set([first, ...others]).size, 6);
});

test('a service with disabled checks is not checked', async (t) => {
  const rig = createRig({ services: { [BOOKS]: { ...CHARGED, disableCheckCalls: true } } });
  t.is((await rig.ask(httpCheck(), { service: BOOKS })).status.code, 0);
  t.is((await rig.ask(TCP_CHECK, { configText: tcpConfigText({ disableCheckCalls: true }) })).status.code, 0);
  t.is(rig.transport.checks.length, 0);
});

for (const [policy, code] of [
  ['FAIL_OPEN', 0],
  ['FAIL_CLOSE', 14],
] as const) {
  test(`when the backend cannot be reached, ${policy} of the proxy's configuration decides`, async (t) => {
    const rig = createRig({ services: { [BOOKS]: CHARGED } });
    rig.transport.answer = () => Promise.reject(sendError());
    const configText = httpConfigText({ transport: transport({ networkFailPolicy: failPolicy(policy) }) });
    const { status, deniedResponse } = await rig.ask(httpCheck(), { configText, service: BOOKS });
    t.is(status.code, code);
    const headers = deniedResponse?.headers.map(({ header: { key, value } }) => `${key}: ${value}`);
    const said = ['content-type: text/plain; charset=utf-8', 'retry-after: 1', 'x-mesh-policy-unavailable: backend'];
    t.deepEqual(headers, policy === 'FAIL_OPEN' ? undefined : said);
    t.is(deniedResponse?.body, policy === 'FAIL_OPEN' ? undefined : 'connection refused');
    const answer = policy === 'FAIL_OPEN' ? 'allowed' : 'refused';
    const answers = `policy_server_fail_policy_answers_total{protocol="http",reason="backend",answer="${answer}"}`;
    t.is(await rig.series(answers), `${answers} 1`);
  });

  test(`${policy} of a service overrides the one of the proxy's configuration`, async (t) => {
    const rig = createRig({ services: { [BOOKS]: { ...CHARGED, networkFailPolicy: failPolicy(policy) } } });
    rig.transport.answer = () => Promise.reject(sendError());
    const other = policy === 'FAIL_OPEN' ? 'FAIL_CLOSE' : 'FAIL_OPEN';
    const configText = httpConfigText({ transport: transport({ networkFailPolicy: failPolicy(other) }) });
    t.is((await rig.ask(httpCheck(), { configText, service: BOOKS })).status.code, code);
  });
}

for (const [policy, code] of [
  ['FAIL_OPEN', 0],
  ['FAIL_CLOSE', 13],
] as const) {
  test(`after an internal failure ${policy} answers the Check; the failure is counted and logged`, async (t) => {
    const rig = createRig({ services: { [BOOKS]: CHARGED } });
    rig.server.observe({
      find: () => {
        throw new Error('a bug');
      },
    });
    const configText = httpConfigText({ transport: transport({ networkFailPolicy: failPolicy(policy) }) });
    const { status, deniedResponse } = await rig.ask(httpCheck(), { configText, service: BOOKS });
    t.is(status.code, code);
    t.is(deniedResponse?.status.code, policy === 'FAIL_OPEN' ? undefined : 500);
    const answer = policy === 'FAIL_OPEN' ? 'allowed' : 'refused';
    t.truthy(
      await rig.series(`policy_server_fail_policy_answers_total{protocol="http",reason="internal",answer="${answer}"}`),
    );
    await rig.ask(httpCheck(), { configText, service: BOOKS });
    const failures = 'policy_server_check_failures_total{reason="internal"}';
    t.is(await rig.series(failures), `${failures} 2`);
    // The second is within the interval in which one message is not repeated.
    t.is(rig.log.filter(({ level }) => level === 'error').length, 1);
    t.true(rig.log[0]?.fields['err'] instanceof Error);
    rig.server.observe(policiesOf({ [BOOKS]: CHARGED }));
    t.is((await rig.ask(httpCheck(), { configText, service: BOOKS })).status.code, 0);
    t.is(rig.transport.checks.length, 1);
  });
}

test('a call with an unreadable configuration is an error, because even its fail policy is unknown', async (t) => {
  const rig = createRig();
  const check = () => rig.server.checks.check(checkRequestBytes(httpCheck()), { configText: 'no message' });
  const error = await t.throwsAsync(check, { instanceOf: CallConfigError });
  t.regex(error?.message ?? '', /x-mesh-client-config is not a base64 HttpClientConfig/);
  await t.throwsAsync(() => rig.server.checks.check(Buffer.from('ff', 'hex'), {}), { instanceOf: EnvoyMessageError });
  t.is(
    await rig.series('policy_server_check_failures_total{reason="config"}'),
    'policy_server_check_failures_total{reason="config"} 1',
  );
  t.is(
    await rig.series('policy_server_check_failures_total{reason="message"}'),
    'policy_server_check_failures_total{reason="message"} 1',
  );
});

test('a handler in this process decides about every request, for any cache setting', async (t) => {
  const rig = createRig({ services: { [BOOKS]: CHARGED } });
  rig.transport.answer = (request) => ({ ...grantAll(request), precondition: allow() });
  for (let index = 0; index < 3; index++) await rig.ask(httpCheck({ id: `${index}` }), { service: BOOKS });
  t.is(rig.transport.checks.length, 3);
});

test('answers of a remote server are cached as configured', async (t) => {
  const rig = createRig({ isLocal: false });
  const metadataOf = async (configText: string) => (await rig.ask(httpCheck(), { configText })).dynamicMetadata.fields;
  const cached = httpConfigText({ transport: transport({}) });
  const uncached = httpConfigText({ transport: transport({ disableCheckCache: true }) });
  t.false((await metadataOf(cached))['check_cache_hit']?.['boolValue']);
  t.true((await metadataOf(cached))['check_cache_hit']?.['boolValue']);
  t.is(rig.transport.checks.length, 1);
  t.false((await metadataOf(uncached))['check_cache_hit']?.['boolValue']);
  t.false((await metadataOf(uncached))['check_cache_hit']?.['boolValue']);
  t.is(rig.transport.checks.length, 3);
});

test('proxies with different identities and fail policies share the answers of a remote server', async (t) => {
  const rig = createRig({ isLocal: false });
  for (const [index, policy] of (['FAIL_OPEN', 'FAIL_CLOSE', 'FAIL_OPEN'] as const).entries()) {
    const own = texts({ 'source.uid': `orchestrator://proxy-${index}` });
    const configText = httpConfigText({
      transport: transport({ networkFailPolicy: failPolicy(policy), attributesForMixerProxy: own }),
      mixerAttributes: own,
    });
    await rig.ask(httpCheck(), { configText });
  }
  t.is(rig.transport.checks.length, 1);
});

test('a denial reaches the caller with its status and text', async (t) => {
  const rig = createRig();
  rig.transport.answer = () => ({ precondition: deny('not for you'), quotas: new Map() });
  const { deniedResponse, dynamicMetadata } = await rig.ask(httpCheck());
  t.is(deniedResponse?.status.code, 403);
  t.is(deniedResponse?.body, 'not for you');
  t.is(dynamicMetadata.fields['check_error_code']?.['numberValue'], 7);
  t.is(dynamicMetadata.fields['check_error_message']?.['stringValue'], 'not for you');
});

const CONNECTION = {
  connectionId: 'f42f5233-5749-4924-a540-12fd4dc01cf4',
  connectionTimeNs: 1_795_271_864_587_166_000n,
};

test("a TCP connection is checked with its service's quotas, and known by the id of the access log", async (t) => {
  const rig = createRig({
    services: { [BOOKS]: { ...CHARGED, mixerAttributes: texts({ 'destination.service.host': BOOKS }) } },
  });
  const configText = tcpConfigText({ mixerAttributes: texts({ 'destination.uid': 'orchestrator://books-1.default' }) });
  const { status, deniedResponse, okResponse } = await rig.ask(TCP_CHECK, {
    configText,
    service: BOOKS,
    ...CONNECTION,
  });
  t.is(status.code, 0);
  t.falsy(deniedResponse);
  t.falsy(okResponse);
  t.deepEqual([...(rig.transport.checks[0]?.quotas ?? [])], [['all', { amount: 1, bestEffort: false }]]);
  t.is(asked(rig, 'connection.id'), CONNECTION.connectionId);
  t.is(asked(rig, 'context.time'), CONNECTION.connectionTimeNs);
  t.is(asked(rig, 'context.protocol'), 'tcp');
  t.is(asked(rig, 'destination.uid'), 'orchestrator://books-1.default');
  t.is(asked(rig, 'destination.service.host'), BOOKS);
});

test('attempts at the Check of a connection have one deduplication id; without its id every Check has its own', async (t) => {
  const rig = createRig({ services: { [BOOKS]: CHARGED } });
  for (const call of [CONNECTION, CONNECTION, {}, {}]) await rig.ask(TCP_CHECK, { service: BOOKS, ...call });
  const ids = rig.transport.checks.map(({ deduplicationId }) => deduplicationId);
  t.is(ids[0], ids[1]);
  t.is(new Set(ids).size, 3);
  t.not(
    rig.transport.checks[2]?.attributes.get('connection.id')?.value,
    rig.transport.checks[3]?.attributes.get('connection.id')?.value,
  );
});

test('the quota spec of a TCP configuration takes the place of those of the service', async (t) => {
  const rig = createRig({ services: { [BOOKS]: CHARGED } });
  const connectionQuotaSpec = { rules: [{ match: [], quotas: [{ quota: 'connections', charge: 2 }] }] };
  // A configuration that did not come from our own discovery may have it.
  const text = policyEncoder.tcpClientConfig({
    disableCheckCalls: false,
    disableReportCalls: false,
    reportInterval: '10s',
    connectionQuotaSpec,
  });
  await rig.ask(TCP_CHECK, { service: BOOKS, configText: text.toString('base64') });
  t.deepEqual([...(rig.transport.checks[0]?.quotas.keys() ?? [])], ['connections']);
});

test('checks are counted by protocol and code, with the time that they took', async (t) => {
  const rig = createRig();
  await rig.ask(httpCheck());
  rig.transport.answer = () => ({ precondition: deny('no'), quotas: new Map() });
  await rig.ask(httpCheck());
  await rig.ask(TCP_CHECK);
  const scrape = await rig.scrape();
  t.true(scrape.includes('policy_server_checks_total{protocol="http",code="OK"} 1\n'));
  t.true(scrape.includes('policy_server_checks_total{protocol="http",code="PERMISSION_DENIED"} 1\n'));
  t.true(scrape.includes('policy_server_checks_total{protocol="tcp",code="PERMISSION_DENIED"} 1\n'));
  t.true(scrape.includes('policy_server_check_duration_seconds_count{protocol="http"} 2\n'));
});

test('new policies hold from the next request on', async (t) => {
  const rig = createRig({ services: { [BOOKS]: CHARGED } });
  const charged = async () => {
    await rig.ask(httpCheck(), { service: BOOKS });
    return [...(rig.transport.checks.at(-1)?.quotas.keys() ?? [])];
  };
  t.deepEqual(await charged(), ['all']);
  rig.server.observe(policiesOf({ [BOOKS]: API }));
  t.deepEqual(await charged(), ['per-key', 'all']);
  rig.server.observe(policiesOf({}));
  t.deepEqual(await charged(), []);
});

test('the Check of a proxy that counts fast quotas itself charges the exact ones alone, and another Check all', async (t) => {
  const rig = createRig({
    services: {
      [BOOKS]: {
        quotaSpec: [
          { enforcement: 'fast', rules: [{ match: [], quotas: [{ quota: 'fast', charge: 1 }] }] },
          { rules: [{ match: [], quotas: [{ quota: 'exact', charge: 1 }] }] },
        ],
      },
    },
  });
  for (const countsFastQuotas of [true, false]) {
    const configText = httpConfigText(countsFastQuotas ? { countsFastQuotas } : {});
    await rig.ask(httpCheck(), { configText, service: BOOKS });
  }
  t.deepEqual(
    rig.transport.checks.map(({ quotas }) => [...quotas.keys()]),
    [['exact'], ['fast', 'exact']],
  );
});
