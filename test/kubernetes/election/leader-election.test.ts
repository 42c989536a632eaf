import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import type { SendRequest } from '../../../src/kubernetes/client/api-sender.js';
import { createLeaderElection, type LeaderElection } from '../../../src/kubernetes/election/leader-election.js';
import { createFakeClock, type FakeClock } from '../../support/fake-clock.js';
import { createRecordingLogger } from '../../support/recording-logger.js';
import { answer, createLeaseServer } from './lease-server.js';

interface Candidate {
  readonly election: LeaderElection;
  readonly changes: readonly boolean[];
  readonly log: ReturnType<typeof createRecordingLogger>['records'];
}

function candidate(clock: FakeClock, send: SendRequest, identity: string): Candidate {
  const changes: boolean[] = [];
  const logger = createRecordingLogger();
  const election = createLeaderElection({
    lease: { namespace: 'mesh-system', name: 'mesh-status-leader' },
    identity,
    send,
    clock,
    logger,
    random: () => 0,
    onChange: (isLeader) => changes.push(isLeader),
  });
  return { election, changes, log: logger.records };
}

/** Time passes in small steps, with the answers in between. */
async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 500) {
    clock.advance(500);
    for (let turn = 0; turn < 5; turn++) await nextTurn();
  }
}

test('the first one leads, and renews for as long as it lives; the other waits', async (t) => {
  const clock = createFakeClock();
  const server = createLeaseServer();
  const [a, b] = [candidate(clock, server.send, 'a'), candidate(clock, server.send, 'b')];
  a.election.start();
  await pass(clock, 500);
  b.election.start();
  await pass(clock, 300_000);
  t.true(a.election.isLeader);
  t.deepEqual([a.changes, b.changes], [[true], []]);
  t.is(server.holder, 'a');
});

test('a leader that stops gives the lease back, and another leads within seconds', async (t) => {
  const clock = createFakeClock();
  const server = createLeaseServer();
  const [a, b] = [candidate(clock, server.send, 'a'), candidate(clock, server.send, 'b')];
  a.election.start();
  await pass(clock, 500);
  b.election.start();
  await pass(clock, 500);
  await a.election.stop();
  t.deepEqual(a.changes, [true, false]);
  t.is(server.holder, '');
  await pass(clock, 2_000);
  t.true(b.election.isLeader);
});

test('a leader that cannot renew acts no more after fifteen seconds, and another leads after thirty', async (t) => {
  const clock = createFakeClock();
  const server = createLeaseServer();
  let isCut = false;
  const cut: SendRequest = (request) =>
    isCut ? Promise.reject(new Error('connect ECONNREFUSED')) : server.send(request);
  const [a, b] = [candidate(clock, cut, 'a'), candidate(clock, server.send, 'b')];
  a.election.start();
  await pass(clock, 500);
  b.election.start();
  await pass(clock, 500);
  isCut = true;
  await pass(clock, 15_000);
  t.false(a.election.isLeader);
  t.false(b.election.isLeader);
  await pass(clock, 30_000);
  t.true(b.election.isLeader);
  isCut = false;
  await pass(clock, 30_000);
  t.deepEqual([a.changes, b.changes], [[true, false], [true]]);
  const warnings = a.log.filter(({ level }) => level === 'warn');
  t.is(warnings.length, 1);
});

test('a leader whose requests are never answered acts no more after fifteen seconds', async (t) => {
  const clock = createFakeClock();
  const server = createLeaseServer();
  const a = candidate(clock, server.send, 'a');
  a.election.start();
  await pass(clock, 500);
  server.setFault('silence');
  await pass(clock, 15_000);
  t.deepEqual(a.changes, [true, false]);
});

test('a short outage changes no leader', async (t) => {
  const clock = createFakeClock();
  const server = createLeaseServer();
  const a = candidate(clock, server.send, 'a');
  a.election.start();
  await pass(clock, 500);
  server.setFault(answer(503));
  await pass(clock, 10_000);
  server.setFault(undefined);
  await pass(clock, 60_000);
  t.deepEqual(a.changes, [true]);
});

test('the leader creates a removed lease again', async (t) => {
  const clock = createFakeClock();
  const server = createLeaseServer();
  const a = candidate(clock, server.send, 'a');
  a.election.start();
  await pass(clock, 500);
  server.remove();
  await pass(clock, 10_000);
  t.is(server.holder, 'a');
  t.deepEqual(a.changes, [true]);
});

test('of two that want a free lease at the same moment one gets it', async (t) => {
  const clock = createFakeClock();
  const server = createLeaseServer();
  const all = ['a', 'b', 'c'].map((identity) => candidate(clock, server.send, identity));
  for (const { election } of all) election.start();
  await pass(clock, 20_000);
  t.is(all.filter(({ election }) => election.isLeader).length, 1);
});

test('a lease that may not be written is reported once, with the remedy', async (t) => {
  const clock = createFakeClock();
  const server = createLeaseServer();
  server.setFault(answer(403, { message: 'leases is forbidden' }));
  const a = candidate(clock, server.send, 'a');
  a.election.start();
  await pass(clock, 60_000);
  t.deepEqual(
    a.log.map(({ level, fields }) => [level, fields['remedy']]),
    [['warn', 'let the service account get, create and update leases']],
  );
  server.setFault(undefined);
  await pass(clock, 10_000);
  t.true(a.election.isLeader);
});

test('no timer is left after a stop', async (t) => {
  const clock = createFakeClock();
  const server = createLeaseServer();
  const [a, b] = [candidate(clock, server.send, 'a'), candidate(clock, server.send, 'b')];
  a.election.start();
  await pass(clock, 500);
  b.election.start();
  await pass(clock, 500);
  await b.election.stop();
  await a.election.stop();
  t.is(clock.timers, 0);
  t.deepEqual(b.changes, []);
});
