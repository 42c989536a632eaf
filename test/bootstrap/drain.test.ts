import { connect } from 'node:http2';
import test from 'ava';
import { createDrain } from '../../src/bootstrap/drain.js';
import { callUnary } from '../attacks/support/raw-http2.js';
import { checkRequestBytes, httpCheck, httpConfigText, readCheckResponse } from '../policy/server/policy-server-rig.js';
import { createFakeClock } from '../support/fake-clock.js';
import { createRecordingLogger } from '../support/recording-logger.js';
import { documents, endpoints, service } from './support/manifests.js';
import { startServer } from './support/running-server.js';
import { startServerProcess } from './support/server-process.js';

const CHECK = '/envoy.service.auth.v3.Authorization/Check';

/** A drain of 5 to 25 seconds on a clock of the test's own. */
function rig() {
  const clock = createFakeClock(1_000_000);
  let unscheduledMs = 0;
  const logger = createRecordingLogger();
  let lastCallMs = 0;
  let asked = 0;
  const drain = createDrain({
    settings: { drainTimeMs: 5_000, drainTimeoutMs: 25_000 },
    lastCallMs: () => lastCallMs,
    askToLeave: () => {
      asked++;
    },
    logger,
    clock: { ...clock, monotonicMs: () => clock.monotonicMs() + unscheduledMs },
  });
  let isOver = false;
  return {
    drain,
    clock,
    logger,
    /** How often callers were asked to leave. */
    asked: () => asked,
    called: () => {
      lastCallMs = clock.monotonicMs() + unscheduledMs;
    },
    /** The process does nothing for so long, not even at the times for which it has scheduled something. */
    pauseProcess: (ms: number) => {
      unscheduledMs += ms;
    },
    begin: () => {
      void drain.begin().then(() => {
        isOver = true;
      });
    },
    /** Whether it has ended after so much more time. */
    after: async (ms: number): Promise<boolean> => {
      clock.advance(ms);
      await Promise.resolve();
      await Promise.resolve();
      return isOver;
    },
  };
}

test('a drain ends when no call has come for its time, counted from the last one', async (t) => {
  const { drain, begin, after, called, asked, logger } = rig();
  t.deepEqual(await drain.probe.check(), { ready: true });
  called();
  begin();
  t.deepEqual(await drain.probe.check(), { ready: false, reason: 'the server was told to end' });
  t.false(await after(4_000));
  t.is(asked(), 0);
  called();
  t.false(await after(4_800));
  t.true(await after(400));
  t.deepEqual(
    logger.records.map(({ level, message }) => [level, message]),
    [['info', 'callers have left']],
  );
});

test('time in which the process is not scheduled is not quiet: calls that came meanwhile are not read yet', async (t) => {
  const { begin, after, called, pauseProcess, logger } = rig();
  called();
  begin();
  t.false(await after(1_000));
  pauseProcess(8_000);
  t.false(await after(100), 'it reads what has come');
  called();
  t.false(await after(4_800));
  t.true(await after(300));
  t.deepEqual(
    logger.records.map(({ message }) => message),
    ['callers have left'],
  );
});

test('a drain that callers do not leave ends at its timeout, and the log names the setting', async (t) => {
  const { begin, after, called, asked, logger } = rig();
  begin();
  for (let second = 0; second < 24; second++) {
    called();
    t.false(await after(1_000), `${second}`);
  }
  called();
  t.true(await after(1_200));
  t.is(asked(), 4, 'callers are asked to leave once in each drain time');
  t.like(logger.records[0], { level: 'warn', fields: { setting: '--drainTimeout' } });
});

test('the end of the server ends its drain', async (t) => {
  const { drain, begin, after } = rig();
  begin();
  drain.cancel();
  t.true(await after(100));
});

test('a server that drains is not ready, and answers checks on', async (t) => {
  const server = await startServer(t, {
    files: { 'web.yaml': documents(service('web'), endpoints('web', '10.0.0.1')) },
    flags: ['--drainTime', '3s', '--drainTimeout', '10m'],
  });
  const open = () => {
    const opened = connect(`http://127.0.0.1:${server.policyPort}`);
    opened.on('error', () => undefined);
    t.teardown(() => opened.destroy());
    return opened;
  };
  let session = open();
  let id = 0;
  const ask = async (): Promise<number> => {
    const bytes = checkRequestBytes(httpCheck({ id: String(++id), path: '/', host: 'web', headers: { ':path': '/' } }));
    const metadata = { 'x-mesh-service': 'web.default.svc.cluster.local', 'x-mesh-client-config': httpConfigText({}) };
    return readCheckResponse(await callUnary(session, CHECK, bytes, metadata)).status.code;
  };
  t.is(await ask(), 0);
  t.is((await server.monitoring.get('/ready')).status, 200);

  const drained = server.drain();
  t.is((await server.monitoring.get('/ready')).status, 503);
  t.is((await server.monitoring.get('/version')).status, 200);
  t.is(await ask(), 0);
  await drained;
  session = open();
  t.is(await ask(), 0, 'it serves until it is stopped');
  await server.stop();
  await t.throwsAsync(ask());
});

test('SIGTERM drains, SIGINT does not; outside a cluster neither does unless --drainTime is given', async (t) => {
  const runs = [
    { signal: 'SIGTERM', flags: ['--drainTime', '300ms'], env: {}, drains: true },
    { signal: 'SIGINT', flags: ['--drainTime', '10m', '--drainTimeout', '10m'], env: {}, drains: false },
    { signal: 'SIGTERM', flags: [], env: {}, drains: false },
    { signal: 'SIGTERM', flags: ['--drainTimeout', '0s'], env: { ORCH_SERVICE_HOST: '127.0.0.1' }, drains: true },
  ] as const;
  for (const { signal, flags, env, drains } of runs) {
    const server = startServerProcess(t, ['--configDir', 'samples/mesh', ...flags], env);
    await server.ports();
    server.process.child.kill(signal);
    t.deepEqual(await server.ended(), { code: 0, signal: null });
    const waited = server
      .log()
      .some(
        ({ msg, drainMs, level }) =>
          (msg === 'callers have left' && Number(drainMs) >= 300) || (level === 'warn' && drainMs !== undefined),
      );
    t.is(waited, drains, `${signal} ${flags.join(' ')}`);
  }
});
