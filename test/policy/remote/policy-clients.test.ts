import test from 'ava';
import { bagOf } from '../../../src/policy/client/attribute-bag.js';
import { createClientStatistics } from '../../../src/policy/client/client-statistics.js';
import { type CacheSwitches, createPolicyClients } from '../../../src/policy/remote/policy-clients.js';
import { type ClientCountersPublisher, createClientCounters } from '../../../src/policy/remote/remote-handler.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { settled } from '../../support/policy-server.js';
import { createRecordingTransport } from '../server/policy-server-rig.js';

const NO_COUNTERS: ClientCountersPublisher = () => undefined;

function createClients(switches: CacheSwitches = {}) {
  const clock = createFakeClock();
  const transport = createRecordingTransport();
  let ids = 0;
  const options = { clock, random: () => 0.5, createId: () => `client${ids++}`, countersOf: () => NO_COUNTERS };
  return { clock, transport, clients: createPolicyClients({ transport, switches }, options) };
}

const attributes = { attributes: {} };

test('calls that differ in their proxy, their clusters and their fail policy share a client', (t) => {
  const { clients } = createClients();
  const first = clients.clientFor({});
  t.is(clients.clientFor({ checkCluster: 'other', reportCluster: 'another' }), first);
  t.is(clients.clientFor({ attributesForMixerProxy: attributes }), first);
  t.is(clients.clientFor({ networkFailPolicy: { policy: 'FAIL_CLOSE', maxRetry: 3 } }), first);
  t.is(clients.clientFor({ disableCheckCache: false, reportBatchMaxEntries: 0 }), first);
  t.is(clients.size, 1);
});

for (const transport of [
  { disableCheckCache: true },
  { disableQuotaCache: true },
  { disableReportBatch: true },
  { reportBatchMaxEntries: 7 },
  { reportBatchMaxTime: '3s' },
  { statsUpdateInterval: '3s' },
]) {
  test(`calls with ${JSON.stringify(transport)} have a client of their own`, (t) => {
    const { clients } = createClients();
    t.not(clients.clientFor(transport), clients.clientFor({}));
    t.is(clients.clientFor({ ...transport }), clients.clientFor(transport));
    t.is(clients.size, 2);
  });
}

test('caches that the configuration turns off for the server are off, whatever proxies want', (t) => {
  const { clients } = createClients({ disableCheckCache: true, disableQuotaCache: true });
  t.is(clients.clientFor({ disableCheckCache: false }), clients.clientFor({ disableQuotaCache: true }));
});

test('clients without a call for ten minutes are closed when another is made', (t) => {
  const { clients, clock } = createClients();
  const unused = clients.clientFor({ reportBatchMaxEntries: 1 });
  const used = clients.clientFor({ reportBatchMaxEntries: 2 });
  clock.advance(599_999);
  t.is(clients.clientFor({ reportBatchMaxEntries: 2 }), used);
  clock.advance(1);
  clients.clientFor({ reportBatchMaxEntries: 3 });
  t.is(clients.size, 2);
  t.is(clients.clientFor({ reportBatchMaxEntries: 2 }), used);
  t.not(clients.clientFor({ reportBatchMaxEntries: 1 }), unused);
});

test('there are never more than 64 clients: the one that was not called for longest is closed', async (t) => {
  const { clients, clock } = createClients();
  const first = clients.clientFor({ reportBatchMaxEntries: 1 });
  for (let entries = 2; entries <= 1000; entries++) {
    clock.advance(1);
    clients.clientFor({ reportBatchMaxEntries: entries });
    if (entries === 50) clients.clientFor({ reportBatchMaxEntries: 1 });
    if (entries === 100) t.is(clients.clientFor({ reportBatchMaxEntries: 1 }), first);
  }
  t.is(clients.size, 64);
  await settled();
  // Each has one timer, that of its statistics.
  t.is(clock.timers, 64);
});

test('closing sends what all clients have to report, also those closed before', async (t) => {
  const { clients, transport, clock } = createClients();
  const bag = bagOf(new Map());
  clients.clientFor({ reportBatchMaxEntries: 2 }).report({ attributes: bag });
  clock.advance(1);
  clients.clientFor({ reportBatchMaxEntries: 3 }).report({ attributes: bag });
  await clients.close();
  t.is(transport.reports.length, 2);
  t.is(clock.timers, 0);
  t.is(clients.size, 0);
});

test('the counters of all clients add up, and never fall when a client is gone', (t) => {
  const sums = new Map<string, number>();
  const countersOf = createClientCounters((counter, by) => sums.set(counter, (sums.get(counter) ?? 0) + by));
  for (let client = 0; client < 3; client++) {
    const statistics = createClientStatistics();
    const publish = countersOf();
    statistics.increment('total_check_calls');
    publish(statistics.snapshot());
    publish(statistics.snapshot());
    statistics.increment('total_check_calls');
    statistics.increment('total_remote_calls');
    publish(statistics.snapshot());
  }
  t.deepEqual(
    [...sums],
    [
      ['total_check_calls', 6],
      ['total_remote_calls', 3],
    ],
  );
});
