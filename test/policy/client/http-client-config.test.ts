import test from 'ava';
import { httpClientConfigSchema } from '../../../src/config/policy/client-config.js';
import { type AttributeBag, createAttributeBag } from '../../../src/policy/client/attribute-bag.js';
import { readAttributes } from '../../../src/policy/client/attributes-from-config.js';
import { compileApiSpecs } from '../../../src/policy/client/compile-api-specs.js';
import { compileQuotaSpecs } from '../../../src/policy/client/compile-quota-specs.js';
import { headerMapOf } from '../../../src/policy/client/header-map.js';
import { deriveHttpAttributes } from '../../../src/policy/client/http-attributes.js';
import { deriveHttpReportAttributes } from '../../../src/policy/client/http-report-attributes.js';
import { createPolicyClient, serviceConfigFor } from '../../../src/policy/client/policy-client.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { allow, createFakePolicyServer } from '../../support/policy-server.js';
import { createTestSchemaCompiler } from '../../support/schema-compiler.js';

const reader = createTestSchemaCompiler().compile(httpClientConfigSchema, 'reported');

function read(fields: object) {
  const result = reader.read(fields);
  if (result.type === 'invalid') throw new Error(JSON.stringify(result.violations));
  return result.value;
}

function texts(values: Readonly<Record<string, string>>) {
  return {
    attributes: Object.fromEntries(Object.entries(values).map(([name, stringValue]) => [name, { stringValue }])),
  };
}

interface Exchange {
  readonly destinationService?: string;
  readonly target?: string;
  readonly forwarded?: Readonly<Record<string, string>>;
}

/** Does what a proxy does with the library for one request: Check, then Report. Returns what the policy server got. */
async function exchange(fields: object, { destinationService, target = '/', forwarded = {} }: Exchange = {}) {
  const config = read({ transport: { disableReportBatch: true }, ...fields });
  const server = createFakePolicyServer();
  const clock = createFakeClock();
  const client = createPolicyClient(config.transport ?? {}, {
    transport: server,
    clock,
    random: () => 0,
    clientId: '',
  });
  const service = serviceConfigFor(config, destinationService);
  const request = {
    method: 'GET',
    host: 'h',
    target,
    headers: headerMapOf([]),
    timeNs: 0n,
    connection: { isMtls: false },
  };
  const bag = createAttributeBag({
    staticFilter: readAttributes(config.mixerAttributes, 'mixerAttributes'),
    staticRoute: readAttributes(service?.mixerAttributes, 'mixerAttributes'),
    forwardedRoute: readAttributes(texts(forwarded), 'forwarded'),
    requestDerived: deriveHttpAttributes(request, compileApiSpecs(service?.httpApiSpec ?? [])),
    ignoreForwarded: config.ignoreForwardedAttributes,
    isGateway: false,
  });
  const quotas = compileQuotaSpecs(service?.quotaSpec ?? []).chargesFor(bag);
  const checked = client.check({ attributes: bag, quotas, service });
  server.checks[0]?.answer({ precondition: allow(), quotas: new Map() });
  await checked;
  const reported = bag.overlaid(deriveHttpReportAttributes({ responseCode: 200, decision: {} }, bag));
  client.report({ attributes: reported, service });
  return { check: server.checks[0]?.request, report: server.reports[0]?.request.attributes[0] };
}

function value(bag: AttributeBag | undefined, name: string): unknown {
  return bag?.get(name)?.value;
}

const TWO_SERVICES = {
  serviceConfigs: {
    'web.shop': { mixerAttributes: texts({ 'destination.service': 'web.shop' }) },
    'pay.shop': { mixerAttributes: texts({ 'destination.service': 'pay.shop' }) },
  },
  defaultDestinationService: 'pay.shop',
};

test('serviceConfigs: a request gets the configuration of its destination.service', async (t) => {
  for (const destinationService of ['web.shop', 'pay.shop']) {
    const { check } = await exchange(TWO_SERVICES, { destinationService });
    t.is(value(check?.attributes, 'destination.service'), destinationService);
  }
});

test('defaultDestinationService: a request that names no service gets the configuration of that one', async (t) => {
  t.is(value((await exchange(TWO_SERVICES)).check?.attributes, 'destination.service'), 'pay.shop');
  const empty = await exchange(TWO_SERVICES, { destinationService: '' });
  t.is(value(empty.check?.attributes, 'destination.service'), 'pay.shop');
});

test('an unconfigured service has no configuration, for any name', (t) => {
  for (const service of ['other.shop', 'constructor', '__proto__']) {
    t.is(serviceConfigFor(read(TWO_SERVICES), service), undefined);
  }
  t.is(serviceConfigFor(read({}), undefined), undefined);
});

test('mixerAttributes are sent in both Check and Report', async (t) => {
  const { check, report } = await exchange({ mixerAttributes: texts({ 'destination.uid': 'pod-1' }) });
  t.is(value(check?.attributes, 'destination.uid'), 'pod-1');
  t.is(value(report, 'destination.uid'), 'pod-1');
});

test("mixerAttributes are sent in both Check and Report, and take precedence over the client's own", async (t) => {
  const { check, report } = await exchange({
    mixerAttributes: texts({ a: 'client', b: 'client' }),
    serviceConfigs: { web: { mixerAttributes: texts({ b: 'service' }) } },
    defaultDestinationService: 'web',
  });
  for (const bag of [check?.attributes, report]) {
    t.deepEqual([value(bag, 'a'), value(bag, 'b')], ['client', 'service']);
  }
});

test('ignoreForwardedAttributes: attributes of request headers count when false, and not when true', async (t) => {
  const fields = { mixerAttributes: texts({ 'source.uid': 'own' }) };
  const forwarded = { 'source.uid': 'told' };
  for (const [ignoreForwardedAttributes, expected] of [
    [false, 'told'],
    [true, 'own'],
  ] as const) {
    const { check, report } = await exchange({ ...fields, ignoreForwardedAttributes }, { forwarded });
    t.is(value(check?.attributes, 'source.uid'), expected);
    t.is(value(report, 'source.uid'), expected);
  }
});

const POLICIES = {
  httpApiSpec: [
    { patterns: [{ httpMethod: 'GET', uriTemplate: '/pets', attributes: texts({ 'api.operation': 'list' }) }] },
  ],
  quotaSpec: [
    {
      rules: [{ match: [{ clause: { 'api.operation': { exact: 'list' } } }], quotas: [{ quota: 'lists', charge: 3 }] }],
    },
    { rules: [{ quotas: [{ quota: 'requests' }] }] },
  ],
};

test('httpApiSpec: the API attributes of its specs are sent in Check and Report', async (t) => {
  const fields = { serviceConfigs: { web: POLICIES }, defaultDestinationService: 'web' };
  const { check, report } = await exchange(fields, { target: '/pets' });
  t.is(value(check?.attributes, 'api.operation'), 'list');
  t.is(value(report, 'api.operation'), 'list');
});

test('quotaSpec: Check asks for the quotas of all matching rules', async (t) => {
  const fields = { serviceConfigs: { web: POLICIES }, defaultDestinationService: 'web' };
  const amounts = async (target: string) =>
    [...((await exchange(fields, { target })).check?.quotas ?? [])].map(([quota, { amount }]) => [quota, amount]);
  t.deepEqual(await amounts('/pets'), [
    ['lists', 3],
    ['requests', 1],
  ]);
  t.deepEqual(await amounts('/cats'), [['requests', 1]]);
});

test('transport: its settings are those of the client, with the defaults of TransportConfig where it has none', async (t) => {
  t.truthy((await exchange({ transport: { disableReportBatch: true } })).report);
  t.is((await exchange({ transport: {} })).report, undefined, 'reports wait for their batch');
});
