import { createSocket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import test from 'ava';
import { encode } from 'dns-packet';
import { systemClock } from '../../src/base/clock.js';
import { contextOf, service } from '../model/mesh-objects.js';
import { eventually } from '../support/eventually.js';
import { createFakeClock } from '../support/fake-clock.js';
import { createGate, framed, LOOPBACK, openStream, opt, question, startDns } from './dns-rig.js';
import { replyWith, startFaultUpstream } from './fault-upstream.js';

const WEB = 'web.default.svc.cluster.local';
const CONTEXT = contextOf([service('default/web')]);

test('malformed messages get an error that is not larger than they are, or no answer', async (t) => {
  const rig = await startDns(t, { context: CONTEXT });
  const header = (fields: { flags?: number; counts?: readonly number[] }): Buffer => {
    const bytes = Buffer.alloc(12);
    bytes.writeUInt16BE(7, 0);
    bytes.writeUInt16BE(fields.flags ?? 0x100, 2);
    for (const [index, count] of (fields.counts ?? [1, 0, 0, 0]).entries()) bytes.writeUInt16BE(count, 4 + 2 * index);
    return bytes;
  };
  const web = encode(question(WEB)).subarray(12);
  const cases: readonly (readonly [string, Buffer, string])[] = [
    ['no question', header({}), 'FORMERR'],
    ['many questions', Buffer.concat([header({ counts: [65_535, 65_535, 65_535, 65_535] }), web]), 'FORMERR'],
    ['a name that points to itself', Buffer.concat([header({}), Buffer.from([0xc0, 12, 0, 1, 0, 1])]), 'FORMERR'],
    ['a dot in a label', Buffer.concat([header({}), Buffer.from([3, 97, 46, 98, 0, 0, 1, 0, 1])]), 'FORMERR'],
    ['no class', Buffer.concat([header({}), web.subarray(0, -2)]), 'FORMERR'],
    ['an update', Buffer.concat([header({ flags: 0x2800 }), web]), 'NOTIMP'],
    ['the class CHAOS', Buffer.concat([header({}), web.subarray(0, -2), Buffer.from([0, 3])]), 'NOTIMP'],
    ['a transfer of the zone', encode(question('cluster.local', 'AXFR')), 'REFUSED'],
  ];
  for (const [what, bytes, rcode] of cases) {
    const answer = await rig.ask(bytes);
    t.is(answer.rcode, rcode, what);
    t.true(answer.bytes <= bytes.length + 11, what);
  }
  const badVersion = await rig.ask(question(WEB, 'A', { additionals: [{ ...opt(1232), ednsVersion: 1 } as never] }));
  t.like(badVersion.additionals?.[0], { type: 'OPT', extendedRcode: 1 });
  // Responses and fragments of headers are ignored; the next query is answered.
  const socket = createSocket('udp4');
  const answers: Buffer[] = [];
  socket.on('message', (bytes) => answers.push(bytes));
  t.teardown(() => socket.close());
  socket.send(header({ flags: 0x8100 }), rig.port, LOOPBACK);
  socket.send(Buffer.from([1, 2, 3]), rig.port, LOOPBACK);
  socket.send(encode(question(WEB)), rig.port, LOOPBACK);
  await eventually('the query is answered', () => answers.length > 0);
  t.is(answers.length, 1);
  t.is(answers[0]?.readUInt16BE(0), 4711);
});

test('an error while an answer is made is told, and ends neither the listener nor the process', async (t) => {
  const rig = await startDns(t, { context: CONTEXT });
  const viewIn = () => {
    throw new RangeError('an object that no answer can be made of');
  };
  rig.observe({ ...CONTEXT, viewIn });
  t.is((await rig.ask(question(WEB))).rcode, 'SERVFAIL');
  const stream = openStream(t, rig.port);
  stream.send(question(WEB));
  await eventually('the query is answered', () => stream.answers.length === 1);
  t.like(stream.answers[0], { rcode: 'SERVFAIL' });
  t.is(rig.records.filter(({ message }) => message === 'DNS query failed').length, 1);
  rig.observe(CONTEXT);
  t.is((await rig.ask(question(WEB))).rcode, 'NOERROR');
});

test('of the queries beyond the rate of a client, some are told to use TCP, and the others get no answer', async (t) => {
  const clock = createFakeClock();
  const rig = await startDns(t, {
    context: CONTEXT,
    settings: { clientAnswersPerSecond: 10 },
    clock: { ...systemClock, monotonicMs: clock.monotonicMs },
  });
  const socket = createSocket('udp4');
  t.teardown(() => socket.close());
  let truncated = 0;
  let answered = 0;
  socket.on('message', (bytes) => {
    if ((bytes.readUInt16BE(2) & 0x200) !== 0) truncated++;
    else answered++;
  });
  for (let id = 0; id < 50; id++) socket.send(encode(question(WEB, 'A', { id })), rig.port, LOOPBACK);
  await eventually('all queries have arrived', async () => (await rig.metric('nav_dns_queries_total')) === 50);
  await eventually('the answers have arrived', () => answered === 10 && truncated === 20);
  const [told] = rig.records.filter(({ message }) => message === 'DNS limit reached');
  t.deepEqual(told?.fields, {
    client: LOOPBACK,
    limit: 'client-rate',
    setting: 'NAV_DNS_CLIENT_ANSWERS_PER_SECOND',
    value: 10,
  });
  t.is(await rig.metric('nav_dns_limits_reached_total', { limit: 'client-rate' }), 40);
  clock.advance(1000);
  t.deepEqual(await rig.resolver.resolve4(WEB), ['10.96.0.1']);
});

test('beyond the rate of all clients nothing is answered, and the next second is', async (t) => {
  const clock = createFakeClock();
  const rig = await startDns(t, {
    context: CONTEXT,
    settings: { answersPerSecond: 5 },
    clock: { ...systemClock, monotonicMs: clock.monotonicMs },
  });
  for (let count = 0; count < 5; count++) await rig.resolver.resolve4(WEB);
  const stream = openStream(t, rig.port);
  stream.send(question(WEB));
  await eventually('the connection is closed', () => stream.socket.destroyed);
  t.is(await rig.metric('nav_dns_limits_reached_total', { limit: 'rate' }), 1);
  clock.advance(1000);
  t.deepEqual(await rig.resolver.resolve4(WEB), ['10.96.0.1']);
});

test('a client has at most half of the queries that wait for upstream servers, and the mesh answers meanwhile', async (t) => {
  const upstream = await startFaultUpstream(t, () => new Promise(() => undefined));
  const rig = await startDns(t, {
    context: CONTEXT,
    upstream: [{ host: LOOPBACK, port: upstream.port }],
    settings: { maxQueries: 20, timeoutMs: 120_000 },
  });
  const stream = openStream(t, rig.port);
  for (let id = 0; id < 15; id++) stream.send(question(`n${id}.example.org`, 'A', { id }));
  await eventually('five queries are refused', () => stream.answers.length === 5);
  t.true(stream.answers.every((answer) => 'rcode' in answer && answer.rcode === 'SERVFAIL'));
  t.is(await rig.metric('nav_dns_limits_reached_total', { limit: 'client-queries' }), 5);
  t.deepEqual(await rig.resolver.resolve4(WEB), ['10.96.0.1']);
});

test('a connection has a limited number of waiting queries, and further ones are read when there are answers', async (t) => {
  const { released, release } = createGate();
  const upstream = await startFaultUpstream(t, async (query) => {
    await released;
    return [replyWith(query, '192.0.2.1')];
  });
  const rig = await startDns(t, {
    upstream: [{ host: LOOPBACK, port: upstream.port }],
    settings: { timeoutMs: 120_000 },
  });
  const stream = openStream(t, rig.port);
  for (let id = 0; id < 200; id++) stream.send(question(`n${id}.example.org`, 'A', { id }));
  await eventually('64 queries wait', () => upstream.queries.length === 64);
  t.is(await rig.metric('nav_dns_queries_total', { transport: 'tcp' }), 64);
  release();
  await eventually('all queries are answered', () => stream.answers.length === 200);
  t.is(await rig.metric('nav_dns_queries_total', { transport: 'tcp' }), 200);
});

test('a client that sends too long a query, or half of one, loses its connection', async (t) => {
  const rig = await startDns(t, { context: CONTEXT, settings: { idleMs: 200 } });
  const long = openStream(t, rig.port);
  long.socket.write(Buffer.from([0x15, 0xff]));
  await eventually('the connection with a long query is closed', () => long.socket.destroyed);
  const half = openStream(t, rig.port);
  half.socket.write(framed(question(WEB)).subarray(0, 20));
  await eventually('the connection with half a query is closed', () => half.socket.destroyed);
  const silent = openStream(t, rig.port);
  await eventually('the silent connection is closed', () => silent.socket.destroyed);
  t.deepEqual([...long.answers, ...half.answers, ...silent.answers], []);
});

test('an address has at most half of the connections', async (t) => {
  const rig = await startDns(t, { context: CONTEXT, settings: { maxConnections: 4 } });
  const first = [openStream(t, rig.port), openStream(t, rig.port)];
  for (const stream of first) stream.send(question(WEB));
  await eventually('two connections are served', () => first.every(({ answers }) => answers.length === 1));
  const third = openStream(t, rig.port);
  await eventually('the third connection is closed', () => third.socket.destroyed);
  t.is(await rig.metric('nav_dns_limits_reached_total', { limit: 'client-connections' }), 1);
  first[0]?.socket.destroy();
  await eventually('a connection is free again', async () => {
    const next = openStream(t, rig.port);
    next.send(question(WEB));
    return eventually('it is served', () => next.answers.length === 1, { timeoutMs: 500 });
  });
});

test('a flood of random names neither stops answers of the mesh nor fills the cache', async (t) => {
  const upstream = await startFaultUpstream(t, (query) => [replyWith(query, '192.0.2.1', 3600)]);
  const rig = await startDns(t, {
    context: CONTEXT,
    upstream: [{ host: LOOPBACK, port: upstream.port }],
    settings: { cacheBytes: 10_000, maxQueries: 100 },
  });
  const socket = createSocket('udp4');
  t.teardown(() => socket.close());
  socket.on('error', () => undefined);
  // In a flood the system may drop a datagram, as in any network.
  const patient = new dns.Resolver({ timeout: 2_000, tries: 10 });
  patient.setServers([`${LOOPBACK}:${rig.port}`]);
  for (let id = 0; id < 3_000; id++) {
    socket.send(encode(question(`r${id}.example.org`, 'A', { id })), rig.port, LOOPBACK);
    if (id % 100 === 99) t.deepEqual(await patient.resolve4(WEB), ['10.96.0.1']);
  }
  t.true((await rig.metric('nav_dns_cache_bytes')) <= 10_000);
});

test('stopping ends waiting queries and connections', async (t) => {
  const upstream = await startFaultUpstream(t, () => []);
  const rig = await startDns(t, {
    upstream: [{ host: LOOPBACK, port: upstream.port }],
    settings: { timeoutMs: 120_000 },
  });
  const stream = openStream(t, rig.port);
  stream.send(question('www.example.org'));
  await eventually('the query waits', () => upstream.queries.length === 1);
  await rig.stop();
  await eventually('the connection is closed', () => stream.socket.destroyed);
  await t.throwsAsync(rig.resolver.resolve4(WEB), { code: dns.CONNREFUSED });
});
