import { boundQuotaSpec } from '../counterparts/policy-manifests.js';
import { eventually } from '../support/eventually.js';
import { createPolicyMesh } from './policy-mesh.js';
import { reportsOf } from './policy-reports.js';
import { policyOf, policyTests } from './policy-tests.js';

const { available, test, e2eTest } = policyTests();

const TCP_PORT = 9000;
/** How often an open connection is reported (docs/reference/policy-client.md#tcpclientconfig); nothing configures it. */
const REPORT_INTERVAL_MS = 10_000;

test.before(async (t) => {
  if (available === undefined) return;
  t.context.policy = await createPolicyMesh(available, {
    services: [],
    flags: ['--log_as_json'],
    tcpServices: ['store', 'shut', 'free'],
    specs: {
      'store.yaml': boundQuotaSpec({ name: 'store' }, ['store'], [{ quotas: [{ quota: 'connections', charge: 1 }] }]),
      'shut.yaml': boundQuotaSpec({ name: 'shut' }, ['shut'], [{ quotas: [{ quota: 'shut', charge: 1 }] }]),
    },
    limits: [
      { name: 'connections', maxAmount: 5, dimensions: ['source.ip'] },
      { name: 'shut', maxAmount: 1 },
    ],
    policyConfig: { reports: { log: true } },
  });
});

e2eTest(
  'a connection quota per source allows exactly its amount for each source and closes other connections',
  async (t) => {
    const policy = policyOf(t.context);
    const store = { address: policy.addressOf('store'), port: TCP_PORT, send: 'hello' };
    const other = await policy.mesh.addSidecar({ name: 'other', address: '10.244.0.30' });
    await other.envoy.ready();
    const [here, there] = await Promise.all([
      policy.client.agent.call('holdTcp', { ...store, count: 20 }),
      other.agent.call('holdTcp', { ...store, count: 3 }),
    ]);
    t.like(here, { open: 5, closed: 15 });
    t.like(there, { open: 3, closed: 0 });
    t.like(await other.agent.call('holdTcp', { ...store, count: 7 }), { open: 5, closed: 5 });

    t.like(await policy.client.agent.call('sayOnHeldTcp', 'still there?'), { open: 5 }, 'what was let through stays');
    await policy.client.agent.call('releaseTcp', null);
    await other.agent.call('releaseTcp', null);
    const again = await policy.client.agent.call('holdTcp', { ...store, count: 3 });
    t.like(again, { open: 0, closed: 3 }, 'a quota counts connections that began, not those that are open');
    await policy.client.agent.call('releaseTcp', null);
  },
);

e2eTest('a connection is reported when it opens, while it is open, and when it closes, with its bytes', async (t) => {
  const policy = policyOf(t.context);
  const { discovery } = policy.mesh;
  const { agent } = policy.client;
  const inbound = { reporter: 'inbound', service: 'free.default.svc.cluster.local' };
  const events = (event: string) => discovery.metric('policy_server_connection_events_total', { ...inbound, event });
  const free = { address: policy.addressOf('free'), port: TCP_PORT };
  const startedMs = performance.now();
  await agent.call('holdTcp', { ...free, count: 2, send: 'four' });
  await eventually('both are reported as opened', async () => (await events('open')) === 2);
  const logged = () =>
    reportsOf(discovery).filter(
      (report) =>
        report['context.reporter.kind'] === 'inbound' && report['destination.service.host'] === inbound.service,
    );
  await eventually('both are reported as going on', () => {
    const going = logged().filter((report) => report['connection.event'] === 'continue');
    return new Set(going.map((report) => report['connection.id'])).size === 2;
  });
  t.true(performance.now() - startedMs >= REPORT_INTERVAL_MS, 'the first such report comes after an interval');
  await agent.call('sayOnHeldTcp', 'sixsix');
  const carried = await agent.call('releaseTcp', null);
  t.like(carried, { closed: 2, sentBytes: 20 });
  await eventually('both are reported as closed', async () => (await events('close')) === 2);
  const openMs = performance.now() - startedMs;
  t.is(await events('open'), 2);
  t.is(await discovery.metric('policy_server_connection_received_bytes_total', inbound), carried.sentBytes);
  t.is(await discovery.metric('policy_server_connection_sent_bytes_total', inbound), carried.receivedBytes);

  // Metrics may be read before the log.
  const reports = await eventually('both are logged as closed', () => {
    const all = logged();
    return all.filter((report) => report['connection.event'] === 'close').length === 2 && all;
  });
  const ids = new Set(reports.map((report) => report['connection.id']));
  t.is(ids.size, 2);
  for (const id of ids) {
    const ofOne = reports.filter((report) => report['connection.id'] === id);
    const told = ofOne.map((report) => report['connection.event']);
    const going = told.filter((event) => event === 'continue').length;
    t.true(going >= 1 && going <= Math.ceil(openMs / REPORT_INTERVAL_MS), `${told} in ${openMs} ms`);
    t.deepEqual(told, ['open', ...Array.from({ length: going }, () => 'continue'), 'close']);
    t.is(ofOne.at(-1)?.['connection.received.bytes_total'], 10);
  }
  t.is(await events('continue'), reports.filter((report) => report['connection.event'] === 'continue').length);
});

e2eTest('a rejected connection is not reported as opened', async (t) => {
  const policy = policyOf(t.context);
  const { discovery } = policy.mesh;
  const { agent } = policy.client;
  const inbound = { reporter: 'inbound', service: 'shut.default.svc.cluster.local' };
  const held = await agent.call('holdTcp', {
    address: policy.addressOf('shut'),
    port: TCP_PORT,
    count: 6,
    send: 'hello',
  });
  t.like(held, { open: 1, closed: 5 });
  await agent.call('releaseTcp', null);
  const events = (event: string) => discovery.metric('policy_server_connection_events_total', { ...inbound, event });
  await eventually('the allowed connection is reported as closed', async () => (await events('close')) > 0);
  // It is the last of the six in the one stream of the sidecar's log.
  t.is(await events('open'), 1);
  t.is(await events('close'), 1);
});
