import test from 'ava';
import { tcpClientConfigSchema } from '../../../src/config/policy/client-config.js';
import { createAttributeBag } from '../../../src/policy/client/attribute-bag.js';
import { readAttributes } from '../../../src/policy/client/attributes-from-config.js';
import { compileQuotaSpecs } from '../../../src/policy/client/compile-quota-specs.js';
import { createPolicyClient } from '../../../src/policy/client/policy-client.js';
import { deriveTcpAttributes, deriveTcpReportAttributes } from '../../../src/policy/client/tcp-attributes.js';
import { startTcpReports, tcpReportIntervalMs } from '../../../src/policy/client/tcp-reports.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { allow, createFakePolicyServer } from '../../support/policy-server.js';
import { createTestSchemaCompiler } from '../../support/schema-compiler.js';

const reader = createTestSchemaCompiler().compile(tcpClientConfigSchema, 'reported');

/** Does what a proxy does with the library for one connection that lasts for a minute. */
async function connect(fields: object) {
  const result = reader.read({ transport: { disableReportBatch: true }, ...fields });
  if (result.type === 'invalid') throw new Error(JSON.stringify(result.violations));
  const config = result.value;
  const server = createFakePolicyServer();
  const clock = createFakeClock();
  const client = createPolicyClient(config.transport ?? {}, {
    transport: server,
    clock,
    random: () => 0,
    clientId: '',
  });
  const facts = { id: 'c-1', sourceIp: new Uint8Array([10, 0, 0, 1]), timeNs: 0n, connection: { isMtls: true } };
  const bag = createAttributeBag({
    staticFilter: readAttributes(config.mixerAttributes, 'mixerAttributes'),
    requestDerived: deriveTcpAttributes(facts),
    ignoreForwarded: false,
    isGateway: false,
  });
  const { connectionQuotaSpec } = config;
  const quotas = compileQuotaSpecs(connectionQuotaSpec ? [connectionQuotaSpec] : []).chargesFor(bag);
  const checked = client.check({ attributes: bag, quotas, service: config });
  server.checks[0]?.answer({ precondition: allow(), quotas: new Map() });
  const { status } = await checked;
  const total = { received: 0n, sent: 0n };
  const close = startTcpReports({
    clock,
    intervalMs: tcpReportIntervalMs(config.reportInterval),
    total: () => total,
    report: (event) =>
      client.report({ attributes: bag.overlaid(deriveTcpReportAttributes(event, bag)), service: config }),
  });
  for (let second = 0; second < 60; second++) clock.advance(1000);
  close();
  const reports = server.reports.flatMap(({ request }) => request.attributes);
  return {
    status,
    checks: server.checks.map(({ request }) => request),
    reports,
    events: reports.map((each) => each.get('connection.event')?.value),
  };
}

test('mixerAttributes are sent in both Check and Report', async (t) => {
  const { checks, reports } = await connect({
    mixerAttributes: { attributes: { 'destination.uid': { stringValue: 'db' } } },
  });
  const bags = [checks[0]?.attributes, ...reports];
  t.is(bags.length, 9);
  t.true(bags.every((bag) => bag?.get('destination.uid')?.value === 'db'));
});

test('disableCheckCalls: the connection is allowed, Check is not called, Report is', async (t) => {
  const { status, checks, events } = await connect({ disableCheckCalls: true });
  t.is(status.code, 'OK');
  t.deepEqual(checks, []);
  t.is(events.length, 8);
});

test('disableReportCalls: Report is not called, Check is', async (t) => {
  const { checks, events } = await connect({ disableReportCalls: true });
  t.is(checks.length, 1);
  t.deepEqual(events, []);
});

test('connectionQuotaSpec: a new connection is charged the quotas of the rules that it matches, once', async (t) => {
  const protocol = (exact: string) => [{ clause: { 'context.protocol': { exact } } }];
  const { checks } = await connect({
    connectionQuotaSpec: {
      rules: [
        { match: protocol('tcp'), quotas: [{ quota: 'connections', charge: 2 }] },
        { match: protocol('http'), quotas: [{ quota: 'requests' }] },
      ],
    },
  });
  t.deepEqual(
    checks.map(({ quotas }) => [...quotas].map(([quota, { amount }]) => [quota, amount])),
    [[['connections', 2]]],
  );
});

test('without connectionQuotaSpec, a connection is charged nothing', async (t) => {
  t.deepEqual([...((await connect({})).checks[0]?.quotas ?? [])], []);
});

test('reportInterval: a long connection is reported every 10 s unless given, and not below every second', async (t) => {
  const continued = async (fields: object) =>
    (await connect(fields)).events.filter((event) => event === 'continue').length;
  t.is(await continued({}), 6);
  t.is(await continued({ reportInterval: '30s' }), 2);
  t.is(await continued({ reportInterval: '1ms' }), 60);
});
