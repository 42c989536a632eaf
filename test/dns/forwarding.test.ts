import { promises as dns } from 'node:dns';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'ava';
import { encode } from 'dns-packet';
import { systemClock } from '../../src/base/clock.js';
import { createPlainServer } from '../../src/dns/upstream/upstream-servers.js';
import { findFreePort } from '../counterparts/free-ports.js';
import { contextOf, endpoints, service, serviceEntry } from '../model/mesh-objects.js';
import { eventually } from '../support/eventually.js';
import { createFakeClock } from '../support/fake-clock.js';
import { createSelfSignedCertificate } from '../support/self-signed-certificate.js';
import { createGate, LOOPBACK, openStream, opt, question, startDns } from './dns-rig.js';
import { reply, replyWith, startFaultUpstream } from './fault-upstream.js';

const HOST = { host: LOOPBACK };
const SOA = {
  type: 'SOA' as const,
  name: 'example.org',
  ttl: 900,
  data: {
    mname: 'ns.example.org',
    rname: 'admin.example.org',
    serial: 1,
    refresh: 1,
    retry: 1,
    expire: 1,
    minimum: 30,
  },
};

test('another Navigator as upstream server answers over UDP, and over TCP what is too large for UDP', async (t) => {
  const many = Array.from({ length: 100 }, (_, index) => `10.1.0.${index + 1}`);
  const other = await startDns(t, {
    context: contextOf([
      service('default/big', { clusterIP: 'None' }),
      endpoints('default/big', many),
      serviceEntry('default/one', { hosts: ['one.example.com'], addresses: ['192.0.2.7'] }),
    ]),
  });
  const rig = await startDns(t, { upstream: [{ ...HOST, port: other.port }] });
  t.deepEqual(await rig.resolver.resolve4('one.example.com'), ['192.0.2.7']);
  t.deepEqual((await rig.resolver.resolve4('big.default.svc.cluster.local')).sort(), many.sort());
  await t.throwsAsync(rig.resolver.resolve4('x.big.default.svc.cluster.local'), { code: dns.NOTFOUND });
  t.is(await other.metric('nav_dns_queries_total', { transport: 'tcp' }), 1);
  // c-ares asks with EDNS, gets a truncated answer, and asks again over TCP.
  t.is(await rig.metric('nav_dns_queries_total', { transport: 'tcp' }), 1);
  t.true((await rig.metric('nav_dns_upstream_seconds')) >= 0);
});

test('no answer over UDP is larger than the client says, or than 1232 bytes', async (t) => {
  const many = Array.from({ length: 60 }, (_, index) => `10.1.0.${index + 1}`);
  const rig = await startDns(t, {
    context: contextOf([service('default/big', { clusterIP: 'None' }), endpoints('default/big', many)]),
  });
  const name = 'big.default.svc.cluster.local';
  for (const [size, limit] of [
    [undefined, 512],
    [512, 512],
    [100, 512],
    [1000, 1000],
    [65_535, 1232],
  ] as const) {
    const additionals = size === undefined ? [] : [opt(size)];
    const answer = await rig.ask(question(name, 'A', { additionals }));
    t.true(answer.flag_tc && answer.answers?.length === 0 && answer.bytes <= limit, `${size}: ${answer.bytes}`);
  }
  const stream = openStream(t, rig.port);
  stream.send(question(name));
  await eventually('the answer comes over TCP', () => stream.answers.length === 1);
  t.is(stream.answers[0]?.answers?.length, 60);
});

test('answers are cached for their TTL, and absences for the minimum of the SOA record', async (t) => {
  const clock = createFakeClock();
  const upstream = await startFaultUpstream(t, (query) => [
    query.name.startsWith('gone')
      ? reply(query, { flags: 0x183, authorities: [SOA] })
      : replyWith(query, '192.0.2.1', 60),
  ]);
  // Time moves only for the cache; timers of requests are real.
  const rig = await startDns(t, {
    upstream: [{ ...HOST, port: upstream.port }],
    clock: { ...systemClock, monotonicMs: clock.monotonicMs },
  });
  const ttl = async () => (await rig.resolver.resolve4('www.example.org', { ttl: true }))[0]?.ttl;
  t.is(await ttl(), 60);
  clock.advance(20_000);
  t.is(await ttl(), 40);
  t.is(upstream.queries.length, 1);
  await t.throwsAsync(rig.resolver.resolve4('gone.example.org'), { code: dns.NOTFOUND });
  clock.advance(29_000);
  await t.throwsAsync(rig.resolver.resolve4('gone.example.org'), { code: dns.NOTFOUND });
  t.is(upstream.queries.length, 2);
  clock.advance(1_000);
  await t.throwsAsync(rig.resolver.resolve4('gone.example.org'), { code: dns.NOTFOUND });
  t.is(upstream.queries.length, 3);
  clock.advance(10_000);
  t.is(await ttl(), 60);
  t.is(upstream.queries.length, 4);
  t.is(await rig.metric('nav_dns_answers_total', { source: 'cache' }), 1);
});

test('the bytes of the cache are limited: the answers used longest ago leave first', async (t) => {
  const upstream = await startFaultUpstream(t, (query) => [replyWith(query, '192.0.2.1')]);
  const rig = await startDns(t, { upstream: [{ ...HOST, port: upstream.port }], settings: { cacheBytes: 2_000 } });
  for (let index = 0; index < 20; index++) await rig.resolver.resolve4(`n${index}.example.org`);
  t.true((await rig.metric('nav_dns_cache_bytes')) <= 2_000);
  t.true((await rig.metric('nav_dns_cache_bytes')) > 0);
  await rig.resolver.resolve4('n19.example.org');
  t.is(upstream.queries.length, 20);
  await rig.resolver.resolve4('n0.example.org');
  t.is(upstream.queries.length, 21);
});

test('each query has its own port and a random id, and responses with another id or question are not taken', async (t) => {
  const upstream = await startFaultUpstream(t, (query) => [
    { ...replyWith(query, '203.0.113.66'), id: ((query.packet.id ?? 0) + 1) % 65_536 },
    { ...replyWith(query, '203.0.113.66'), questions: [{ type: 'A', name: `x${query.name.slice(1)}` }] },
    { ...replyWith(query, '203.0.113.66'), type: 'query' },
    Buffer.from('short'),
    replyWith(query, '192.0.2.1'),
  ]);
  const rig = await startDns(t, { upstream: [{ ...HOST, port: upstream.port }], settings: { cacheBytes: 0 } });
  for (let index = 0; index < 20; index++) {
    t.deepEqual(await rig.resolver.resolve4(`n${index}.example.org`), ['192.0.2.1']);
  }
  t.true(new Set(upstream.queries.map(({ packet }) => packet.id)).size > 15);
  t.true(new Set(upstream.queries.map(({ port }) => port)).size > 15);
});

test('a sender that guesses ids makes the query go over TCP', async (t) => {
  const upstream = await startFaultUpstream(t, (query) =>
    query.transport === 'tcp'
      ? [replyWith(query, '192.0.2.1')]
      : Array.from({ length: 20 }, (_, index) => ({
          ...replyWith(query, '203.0.113.66'),
          id: ((query.packet.id ?? 0) + 1 + index) % 65_536,
        })),
  );
  const rig = await startDns(t, { upstream: [{ ...HOST, port: upstream.port }] });
  t.deepEqual(await rig.resolver.resolve4('www.example.org'), ['192.0.2.1']);
});

test('beyond the limit of sockets, queries share a connection', async (t) => {
  const { released, release } = createGate();
  const { port, queries } = await startFaultUpstream(t, async (query) => {
    await released;
    return [replyWith(query, '192.0.2.1')];
  });
  const server = createPlainServer({ ...HOST, port }, systemClock, 2);
  t.teardown(() => server.stop());
  const ask = (name: string) => {
    const message = encode(question(name));
    return server.exchange({ message, question: message.subarray(12) }, 60_000);
  };
  const answers = ['a', 'b', 'c', 'd'].map((name) => ask(`${name}.example.org`));
  await eventually('all queries have arrived', () => queries.length === 4);
  const over = (transport: string) => queries.filter((query) => query.transport === transport);
  t.is(new Set(over('udp').map((query) => query.port)).size, 2);
  t.deepEqual(
    over('tcp').map(({ name }) => name),
    ['c.example.org', 'd.example.org'],
  );
  t.is(new Set(over('tcp').map((query) => query.port)).size, 1);
  release();
  for (const answer of await Promise.all(answers)) t.is(answer.answers, 1);
  await ask('e.example.org');
  t.is(queries.at(-1)?.transport, 'udp');
});

test('a query with the id and question of one that waits is no loop if another port sent it', async (t) => {
  const { released, release } = createGate();
  const upstream = await startFaultUpstream(t, async (query) => {
    if (query.transport === 'udp') return [reply(query, { flags: 0x380 })];
    await released;
    return [replyWith(query, '192.0.2.1')];
  });
  const rig = await startDns(t, { upstream: [{ ...HOST, port: upstream.port }], settings: { timeoutMs: 60_000 } });
  const first = rig.resolver.resolve4('www.example.org');
  const asked = await eventually('it is asked over TCP', () =>
    upstream.queries.find(({ transport }) => transport === 'tcp'),
  );
  const stream = openStream(t, rig.port);
  stream.send(question('www.example.org', 'A', { id: asked.packet.id ?? 0 }));
  await eventually(
    'the second query has arrived',
    async () => (await rig.metric('nav_dns_queries_total', { transport: 'tcp' })) === 1,
  );
  release();
  t.deepEqual(await first, ['192.0.2.1']);
  await eventually('the second query is answered', () => stream.answers.length === 1);
  t.like(stream.answers[0], { rcode: 'NOERROR' });
  t.is(await rig.metric('nav_dns_upstream_failures_total', { reason: 'loop' }), 0);
});

test('equal questions at the same time are asked once', async (t) => {
  const { released, release } = createGate();
  const upstream = await startFaultUpstream(t, async (query) => {
    await released;
    return [replyWith(query, '192.0.2.1')];
  });
  const rig = await startDns(t, { upstream: [{ ...HOST, port: upstream.port }], settings: { timeoutMs: 120_000 } });
  const stream = openStream(t, rig.port);
  for (let id = 1; id <= 50; id++) stream.send(question('www.example.org', 'A', { id }));
  stream.send(question('other.example.org', 'A', { id: 51 }));
  await eventually('both questions arrive', () => upstream.queries.length === 2);
  release();
  await eventually('all clients have answers', () => stream.answers.length === 51);
  t.deepEqual(
    stream.answers.map(({ id }) => id ?? 0).sort((a, b) => a - b),
    Array.from({ length: 51 }, (_, index) => index + 1),
  );
  t.is(upstream.queries.length, 2);
});

test('a server that fails is followed by the next one, and silence of all ends with SERVFAIL', async (t) => {
  const failing = await startFaultUpstream(t, (query) => [reply(query, { flags: 0x182 })]);
  const silent = await startFaultUpstream(t, () => []);
  const good = await startFaultUpstream(t, (query) => [replyWith(query, '192.0.2.1')]);
  const upstream = [failing, silent, good].map(({ port }) => ({ ...HOST, port }));
  const rig = await startDns(t, { upstream, settings: { timeoutMs: 3_000 } });
  t.deepEqual(await rig.resolver.resolve4('a.example.org'), ['192.0.2.1']);
  t.deepEqual(await rig.resolver.resolve4('b.example.org'), ['192.0.2.1']);
  // A silent server is asked last for some time.
  t.is(silent.queries.length, 1);
  t.is(await rig.metric('nav_dns_upstream_failures_total', { reason: 'timeout' }), 1);
  t.is(rig.records.filter(({ message }) => message === 'upstream DNS server gives no answer').length, 1);
  const alone = await startDns(t, { upstream: [{ ...HOST, port: silent.port }], settings: { timeoutMs: 100 } });
  await t.throwsAsync(alone.resolver.resolve4('a.example.org'), { code: dns.SERVFAIL });
});

test('DNS_SERVER is asked over TLS, on one connection, and must have a certificate of the given roots', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'dns-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const certificate = createSelfSignedCertificate();
  const rootsFile = path.join(folder, 'roots.pem');
  await writeFile(rootsFile, certificate.certificate);
  const upstream = await startFaultUpstream(t, (query) => [replyWith(query, '192.0.2.1')], certificate);
  const tlsServer = { host: 'localhost', port: upstream.port };
  const rig = await startDns(t, { settings: { tlsServer, rootsFile } });
  for (const name of ['a', 'b', 'c']) {
    t.deepEqual(await rig.resolver.resolve4(`${name}.example.org`), ['192.0.2.1']);
  }
  t.is(new Set(upstream.queries.map(({ port }) => port)).size, 1);
  t.deepEqual([...new Set(upstream.queries.map(({ transport }) => transport))], ['tcp']);
  const untrusting = await startDns(t, { settings: { tlsServer, timeoutMs: 5_000 } });
  await t.throwsAsync(untrusting.resolver.resolve4('a.example.org'), { code: dns.SERVFAIL });
  t.is(upstream.queries.length, 3);
});

test('this process is not asked as its own upstream server', async (t) => {
  const port = await findFreePort();
  const address = { ...HOST, port };
  const rig = await startDns(t, { upstream: [address], settings: { address } });
  await t.throwsAsync(rig.resolver.resolve4('www.example.org'), { code: dns.REFUSED });
  const [told] = rig.records.filter(
    ({ message }) => message === 'upstream DNS server is this process and is not asked',
  );
  t.deepEqual(told?.fields, { server: `${LOOPBACK}:${port}` });
});

test('a query that comes back from its upstream server ends as a loop', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'dns-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const { certificate, key } = createSelfSignedCertificate();
  const rootsFile = path.join(folder, 'roots.pem');
  await writeFile(rootsFile, certificate);
  const port = await findFreePort();
  const material = {
    current: () => ({ certificate: { privateKey: key, certificateChain: certificate }, clientRoots: [] }),
    onChange: () => () => undefined,
  };
  // The address of a name is not compared with the own address.
  const rig = await startDns(t, {
    settings: { address: { ...HOST, port }, tlsServer: { host: 'localhost', port }, rootsFile, timeoutMs: 60_000 },
    material,
  });
  await t.throwsAsync(rig.resolver.resolve4('www.example.org'), { code: dns.SERVFAIL });
  t.is(await rig.metric('nav_dns_upstream_failures_total', { reason: 'loop' }), 1);
  t.is(await rig.metric('dns_tls_req'), 1);
  t.is(await rig.metric('dns_tls_pending'), 0);
});
