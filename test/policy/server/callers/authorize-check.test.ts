import test from 'ava';
import { ALLOWED, type PolicyHandler } from '../../../../src/policy/handlers/policy-handler.js';
import { type Caller, CallerRefusedError } from '../../../../src/policy/server/callers/caller.js';
import type { ServiceOwners } from '../../../../src/policy/server/callers/service-owners.js';
import { loadPolicyProtos } from '../../../../src/policy/wire/policy-protos.js';
import {
  checkRequestBytes,
  createRig,
  httpCheck,
  httpConfigText,
  logMessageBytes,
  policiesOf,
  policyEncoder,
} from '../policy-server-rig.js';

const BOOKS = 'books.shop.svc.cluster.local';
const API = 'api.vendor.example';
const QUOTA = [{ rules: [{ match: [], quotas: [{ quota: 'all', charge: 1 }] }] }];
const SERVICES = {
  [BOOKS]: {
    quotaSpec: QUOTA,
    mixerAttributes: { attributes: { 'destination.service.namespace': { stringValue: 'shop' } } },
  },
  [API]: { quotaSpec: QUOTA },
};

const workload = (namespace: string, serviceAccount = 'default'): Caller => ({
  type: 'workload',
  identity: { trustDomain: 'cluster.local', namespace, serviceAccount },
  address: '10.244.0.6',
});
const SHOP = workload('shop', 'books');
const EVIL = workload('evil');

function config(side: 'inbound' | 'outbound', attributes: Readonly<Record<string, string>>): string {
  const all = { 'context.reporter.kind': side, ...attributes };
  const entries = Object.entries(all).map(([name, stringValue]) => [name, { stringValue }]);
  return httpConfigText({ mixerAttributes: { attributes: Object.fromEntries(entries) } });
}

const inbound = (namespace: string, more: Readonly<Record<string, string>> = {}): string =>
  config('inbound', {
    'context.reporter.uid': `orchestrator://pod-1.${namespace}`,
    'destination.uid': `orchestrator://pod-1.${namespace}`,
    'destination.namespace': namespace,
    ...more,
  });
const outbound = (namespace: string, more: Readonly<Record<string, string>> = {}): string =>
  config('outbound', {
    'context.reporter.uid': `orchestrator://pod-1.${namespace}`,
    'source.uid': `orchestrator://pod-1.${namespace}`,
    'source.namespace': namespace,
    ...more,
  });

const OWNERS: ServiceOwners = {
  ownership: (hostname, { identity }) => {
    if (hostname !== BOOKS) return 'unknown';
    return identity.namespace === 'shop' ? 'own' : identity.namespace === 'twin' ? 'shadowed' : 'foreign';
  },
  isOfNamespace: (hostname, namespace) => hostname === BOOKS && namespace === 'shop',
  isExternal: (hostname) => hostname === API,
  hasOutboundChecks: false,
};

function setUp(owners: Partial<ServiceOwners> = {}) {
  const rig = createRig({ services: SERVICES });
  rig.server.observe({ ...policiesOf(SERVICES), owners: { ...OWNERS, ...owners } });
  return rig;
}

test('a workload of the service is answered, and its request charged', async (t) => {
  const rig = setUp();
  const { status } = await rig.ask(httpCheck(), { caller: SHOP, configText: inbound('shop'), service: BOOKS });
  t.is(status.code, 0);
  t.is(rig.transport.checks.length, 1);
});

const principal = (side: 'source' | 'destination', name: string) => ({
  [side]: { principal: `spiffe://cluster.local/ns/${name.replace('/', '/sa/')}` },
});
const forwarded = (uid: string): object => ({
  headers: {
    'x-mesh-attributes': policyEncoder.attributesSpecText({ attributes: { 'source.uid': { stringValue: uid } } }),
  },
});

const FORGED: readonly (readonly [string, Caller, string, object, RegExp])[] = [
  ["another namespace's service", EVIL, inbound('evil'), httpCheck(), /evil\/default is no workload of the service/],
  ['no configuration, which counts as inbound', EVIL, '', httpCheck(), /is no workload of the service/],
  ['a reporter of another namespace', EVIL, inbound('shop'), httpCheck(), /not in the namespace \\?"shop\\?"/],
  [
    'a source that only the other proxy knows',
    SHOP,
    inbound('shop', { 'source.uid': 'orchestrator://alice.home' }),
    httpCheck(),
    /no say about source\.uid of inbound traffic/,
  ],
  [
    'a destination that only the other proxy knows',
    EVIL,
    outbound('evil', { 'destination.uid': 'orchestrator://books-1.shop' }),
    httpCheck(),
    /no say about destination\.uid of outbound traffic/,
  ],
  ['a source of another namespace', EVIL, outbound('home'), httpCheck(), /not in the namespace/],
  [
    "another workload's principal as source",
    EVIL,
    outbound('evil'),
    httpCheck({}, principal('source', 'home/alice')),
    /is not .*alice.*principal of the source/,
  ],
  [
    "another account's principal as destination",
    SHOP,
    inbound('shop'),
    httpCheck({}, principal('destination', 'shop/other')),
    /principal of the destination/,
  ],
  [
    'forwarded attributes of another namespace for outbound traffic',
    EVIL,
    outbound('evil'),
    httpCheck(forwarded('orchestrator://alice.home')),
    /not in the namespace .*source\.uid/,
  ],
];

for (const [what, caller, configText, message, reason] of FORGED) {
  test(`refused before anything is charged: ${what}`, async (t) => {
    const rig = setUp({ hasOutboundChecks: true });
    const call = { caller, configText, service: BOOKS };
    const error = await t.throwsAsync(rig.server.checks.check(checkRequestBytes(message), call), {
      instanceOf: CallerRefusedError,
      message: reason,
    });
    t.is(error?.code, 'PERMISSION_DENIED');
    t.is(rig.transport.checks.length, 0);
    t.is(
      await rig.series(`policy_server_refused_calls_total{reason="${error?.reason}"}`),
      `policy_server_refused_calls_total{reason="${error?.reason}"} 1`,
    );
    const [record] = rig.log.filter(({ message }) => message === 'policy call refused');
    t.regex(String(record?.fields['reason']), reason);
  });
}

test('the route of a forged request cannot name a service that the metadata did not', async (t) => {
  const rig = setUp();
  const message = httpCheck({}, { contextExtensions: { 'destination.service.host': BOOKS } });
  await t.throwsAsync(
    rig.server.checks.check(checkRequestBytes(message), { caller: EVIL, configText: inbound('evil') }),
    { instanceOf: CallerRefusedError },
  );
});

test('a caller cannot set the charges of its connections', async (t) => {
  const rig = setUp();
  const type = loadPolicyProtos().type('mesh.policy.v1.TcpClientConfig');
  const forged = type.encode(type.fromObject({ connectionQuotaSpec: { rules: [{ quotas: [{ quota: 'all' }] }] } }));
  const configText = Buffer.from(forged.finish()).toString('base64');
  const message = { attributes: { source: {}, destination: {} } };
  await t.throwsAsync(
    rig.server.checks.check(checkRequestBytes(message), {
      caller: SHOP,
      configText,
      service: BOOKS,
    }),
    { instanceOf: CallerRefusedError, message: /connectionQuotaSpec/ },
  );
  t.is(rig.transport.checks.length, 0);
});

test('outbound traffic is allowed without charge where the mesh does not check on that side', async (t) => {
  const rig = setUp();
  const { status } = await rig.ask(httpCheck(), { caller: EVIL, configText: outbound('evil'), service: BOOKS });
  t.is(status.code, 0);
  t.is(rig.transport.checks.length, 0);
  t.is(await rig.series('policy_server_uncharged_checks_total'), 'policy_server_uncharged_checks_total 1');
  t.true(rig.log.some(({ message }) => message === 'outbound check allowed without charge'));
});

test('outbound traffic is charged where the mesh checks on that side, and to services outside of the mesh', async (t) => {
  const everywhere = setUp({ hasOutboundChecks: true });
  await everywhere.ask(httpCheck(), { caller: EVIL, configText: outbound('evil'), service: BOOKS });
  t.is(everywhere.transport.checks.length, 1);
  const outside = setUp();
  await outside.ask(httpCheck(), { caller: EVIL, configText: outbound('evil'), service: API });
  t.is(outside.transport.checks.length, 1);
});

const router = (namespace: string): string => {
  const attributes = {
    'context.reporter.kind': 'outbound',
    'context.reporter.uid': `orchestrator://router-1.${namespace}`,
    'source.uid': `orchestrator://router-1.${namespace}`,
  };
  const entries = Object.entries(attributes).map(([name, stringValue]) => [name, { stringValue }]);
  const mixerAttributes = { attributes: Object.fromEntries(entries) };
  return httpConfigText({ ignoreForwardedAttributes: true, mixerAttributes });
};
const CLIENT_OF_ROUTER = httpCheck({}, { source: { principal: 'partner.example.com' } });

test('a router of a gateway namespace charges services of the mesh, whatever certificate its client has', async (t) => {
  const rig = setUp();
  const call = { caller: workload('edge'), configText: router('edge'), service: BOOKS };
  t.is((await rig.ask(CLIENT_OF_ROUTER, call)).status.code, 0);
  t.is(rig.transport.checks.length, 1);
  await t.throwsAsync(rig.ask(httpCheck(), { ...call, configText: router('home') }), {
    instanceOf: CallerRefusedError,
    message: /not in the namespace/,
  });
});

test('other proxies of a gateway namespace, and routers of other namespaces, charge no services of the mesh', async (t) => {
  const rig = setUp();
  await rig.ask(httpCheck(), { caller: workload('edge'), configText: outbound('edge'), service: BOOKS });
  await rig.ask(httpCheck(), { caller: EVIL, configText: router('evil'), service: BOOKS });
  t.is(rig.transport.checks.length, 0);
  await t.throwsAsync(rig.ask(CLIENT_OF_ROUTER, { caller: EVIL, configText: router('evil'), service: BOOKS }), {
    message: /principal of the source/,
  });
});

for (const [what, call, owners, receipt] of [
  ['a router of a gateway namespace', { caller: workload('edge'), configText: router('edge') }, {}, 'quotas'],
  ['a router of the namespace of the service', { caller: SHOP, configText: router('shop') }, {}, 'quotas'],
  ['another router', { caller: EVIL, configText: router('evil') }, { hasOutboundChecks: true }, 'counters'],
  ['a router without an identity', { configText: router('any') }, {}, 'counters'],
  ['a sidecar', { caller: EVIL, configText: outbound('evil') }, { hasOutboundChecks: true }, undefined],
  ['a router, for a service outside of the mesh,', { configText: router('any'), service: API }, {}, undefined],
] as const) {
  test(`${what} gets ${receipt === undefined ? 'no receipt' : `a receipt for ${receipt}`}`, async (t) => {
    const rig = setUp(owners);
    const asked: unknown[] = [];
    const handler: PolicyHandler = {
      name: 'recording',
      check: (check) => {
        asked.push(check.receipt);
        return ALLOWED;
      },
      answer: () => ({ quotas: new Map() }),
      close: async () => {},
    };
    rig.handlers.use([handler]);
    await rig.ask(httpCheck({ headers: { 'x-mesh-charge-receipt': 'forged' } }), { service: BOOKS, ...call });
    t.deepEqual(asked, [receipt && { type: 'issue', scope: receipt, service: BOOKS }]);
  });
}

test('a separate policy server follows the setting for outbound traffic', async (t) => {
  let isAllowed = false;
  const rig = createRig({ services: SERVICES, allowsOutboundChecks: () => isAllowed });
  const ask = () => rig.ask(httpCheck(), { caller: EVIL, configText: outbound('evil'), service: BOOKS });
  await ask();
  t.is(rig.transport.checks.length, 0);
  isAllowed = true;
  await ask();
  t.is(rig.transport.checks.length, 1);
});

test('where only configurations are known, workloads of the service’s namespace own it', async (t) => {
  const rig = createRig({ services: SERVICES });
  await rig.ask(httpCheck(), { caller: SHOP, configText: inbound('shop'), service: BOOKS });
  t.is(rig.transport.checks.length, 1);
  await t.throwsAsync(rig.ask(httpCheck(), { caller: EVIL, configText: inbound('evil'), service: BOOKS }), {
    instanceOf: CallerRefusedError,
  });
  t.is(rig.transport.checks.length, 1);
});

test('a namespace that has a service of the same host by itself charges no quota of the other', async (t) => {
  const rig = setUp();
  const { status } = await rig.ask(httpCheck(), {
    caller: workload('twin'),
    configText: inbound('twin'),
    service: BOOKS,
  });
  t.is(status.code, 0);
  t.is(rig.transport.checks.length, 0);
});

test('callers over plaintext, where the listener takes them, are taken at their word', async (t) => {
  const rig = setUp();
  await rig.ask(httpCheck(), { configText: inbound('shop'), service: BOOKS });
  t.is(rig.transport.checks.length, 1);
});

const logOf = (node: string, service: string): Buffer =>
  logMessageBytes({
    identifier: { logName: 'inbound', node: { id: node } },
    httpLogs: {
      logEntry: [{ commonProperties: { upstreamCluster: `inbound|80|http|${service}` }, request: {}, response: {} }],
    },
  });
const reported = 'policy_server_requests_total';

test('an access log is taken from the proxy that its node names, about services that it serves', async (t) => {
  const rig = setUp();
  const own = 'sidecar~10.244.0.6~books-1.shop~shop.svc.cluster.local';
  await rig.server.openLogStream(SHOP).take(logOf(own, BOOKS));
  t.true((await rig.scrape()).includes(`${reported}{reporter="inbound",service="${BOOKS}"`));

  const other = setUp();
  await t.throwsAsync(other.server.openLogStream(EVIL).take(logOf(own, BOOKS)), { instanceOf: CallerRefusedError });
  const evil = 'sidecar~10.244.0.7~evil-1.evil~evil.svc.cluster.local';
  await other.server.openLogStream(EVIL).take(logOf(evil, BOOKS));
  t.false((await other.scrape()).includes(`${reported}{`));
});
