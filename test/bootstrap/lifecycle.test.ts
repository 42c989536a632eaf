import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import test from 'ava';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { createTempFolder } from '../sources/support/temp-folder.js';
import { eventually } from '../support/eventually.js';
import { createRunningClock } from '../support/running-clock.js';
import { startStopwatch } from '../support/stopwatch.js';
import { connectClient } from '../xds/grpc-client.js';
import { openUnreadStream } from '../xds/unread-stream.js';
import { createHttpReader } from './support/http-reader.js';
import { startServerProcess } from './support/server-process.js';

const ADS = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';
const NODE = 'sidecar~10.244.0.21~books-1.shop~shop.svc.cluster.local';
const MESH = ['--configDir', 'samples/mesh'];

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test.serial(`${signal} ends streams with UNAVAILABLE and the process with 0 within two seconds`, async (t) => {
    const server = startServerProcess(t, MESH);
    const { grpc } = await server.ports();
    const client = connectClient(grpc, ADS);
    t.teardown(() => client.close());
    client.send({ node: NODE, typeUrl: TypeUrl.cluster });
    await client.response(0);
    const stopwatch = startStopwatch();
    server.process.child.kill(signal);
    t.is((await client.ended()).details, 'server is shutting down');
    t.deepEqual(await server.ended(), { code: 0, signal: null });
    t.true(stopwatch.stop() < 2000);
    t.is((await server.logged('discovery server stops'))['signal'], signal);
    await server.logged('discovery server has stopped');
  });
}

test.serial('with an empty --grpcAddr no plaintext xDS is served, and everything else is', async (t) => {
  const server = startServerProcess(t, [...MESH, '--grpcAddr=']);
  const { grpc, http } = await server.ports();
  t.true(Number.isNaN(grpc));
  t.is((await createHttpReader(http).get('/ready')).status, 200);
  server.process.child.kill('SIGTERM');
  t.deepEqual(await server.ended(), { code: 0, signal: null });
});

test.serial('a signal during the start ends the process with 0', async (t) => {
  const server = startServerProcess(t, [...MESH, '--log_output_level', 'all:debug']);
  await eventually('the server has begun to start', () => server.process.lines.length > 0);
  server.process.child.kill('SIGTERM');
  await eventually('the end', () => !server.process.isRunning());
  t.deepEqual(await server.ended(), { code: 0, signal: null });
});

test.serial('silent connections do not delay the end', async (t) => {
  const server = startServerProcess(t, MESH);
  const { grpc, http } = await server.ports();
  for (const port of [grpc, http]) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    t.teardown(() => void socket.destroy());
    await new Promise((resolve) => socket.once('connect', resolve));
  }
  await createHttpReader(http).get('/ready');
  const stopwatch = startStopwatch();
  server.process.child.kill('SIGTERM');
  t.deepEqual(await server.ended(), { code: 0, signal: null });
  t.true(stopwatch.stop() < 5000);
});

test.serial(
  'a proxy that does not read holds the end up for ten seconds at most; a second signal ends it at once',
  async (t) => {
    const servers = [startServerProcess(t, MESH), startServerProcess(t, MESH)] as const;
    for (const server of servers) {
      const { grpc } = await server.ports();
      const unread = await openUnreadStream(grpc, ADS, { node: NODE, typeUrl: TypeUrl.cluster });
      t.teardown(() => unread.destroy());
    }
    const clock = createRunningClock();
    t.teardown(clock.stop);
    for (const server of servers) server.process.child.kill('SIGTERM');
    const [patient, impatient] = servers;
    await impatient.logged('discovery server stops');
    impatient.process.child.kill('SIGTERM');
    t.deepEqual(await impatient.ended(), { code: null, signal: 'SIGTERM' });
    t.true(clock.nowMs() < 8000);
    t.deepEqual(await patient.ended(), { code: 0, signal: null });
    t.true(clock.nowMs() < 15_000);
  },
);

test.serial('a port in use ends the process with 1 and one line that names the address and the flag', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  t.teardown(() => void taken.close());
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as AddressInfo;
  for (const flag of ['--grpcAddr', '--httpAddr', '--monitoringAddr', '--policyAddr', '--secureGRPCAddr']) {
    const server = startServerProcess(t, [...MESH, flag, `127.0.0.1:${port}`]);
    t.deepEqual(await server.ended(), { code: 1, signal: null });
    const line = `navigator-discovery: cannot listen on 127.0.0.1:${port}: another process uses the port; set another address with ${flag}`;
    t.true(server.process.lines.includes(line), server.process.tail());
  }
});

test.serial('a missing folder, and a file in its place, end the process with 1 and one line', async (t) => {
  for (const [folder, reason] of [
    [
      '/no/such/folder',
      'the configuration folder /no/such/folder does not exist; create it, or name another with --configDir',
    ],
    ['package.json', 'is not a folder; name the folder that holds the YAML files with --configDir'],
  ] as const) {
    const server = startServerProcess(t, ['--configDir', folder]);
    t.deepEqual(await server.ended(), { code: 1, signal: null });
    t.is(server.process.lines.filter((line) => line.startsWith('navigator-discovery: ')).length, 1);
    t.true(server.process.tail().includes(reason), server.process.tail());
  }
});

test.serial('a start without a folder and a cluster fails with an error that names the remedy', async (t) => {
  const server = startServerProcess(t, []);
  t.deepEqual(await server.ended(), { code: 1, signal: null });
  t.regex(
    server.process.tail(),
    /navigator-discovery: this process does not run in a Kubernetes pod .* --orchconfig, or a folder of YAML with --configDir/,
  );
});

test.serial('every target of --log_target gets every line, and the log is whole when the process ends', async (t) => {
  const folder = await createTempFolder();
  t.teardown(() => folder.dispose());
  const [first, second] = [folder.at('logs/first.log'), folder.at('second.log')];
  const server = startServerProcess(t, [...MESH, '--log_target', first, '--log_target', second]);
  await eventually('the server is ready', async () =>
    (await readFile(first, 'utf8').catch(() => '')).includes('discovery server is ready'),
  );
  server.process.child.kill('SIGTERM');
  t.deepEqual(await server.ended(), { code: 0, signal: null });
  const log = await readFile(first, 'utf8');
  t.is(await readFile(second, 'utf8'), log);
  t.regex(log, /discovery server has stopped"}\n$/);
  t.deepEqual(server.process.lines, []);
});
