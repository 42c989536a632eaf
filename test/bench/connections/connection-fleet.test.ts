import test, { type ExecutionContext } from 'ava';
import { ConnectionFleet } from '../../../bench/connections/connection-fleet.js';
import { learnScript } from '../../../bench/connections/request-script.js';
import { OwnedProcesses } from '../../../bench/subject/owned-process.js';
import { encodeNode } from '../../../bench/wire/node-message.js';
import { shortTypeName } from '../../../src/envoy/type-urls.js';
import { eventually } from '../../support/eventually.js';
import { startFakeDeltaServer } from './fake-delta-server.js';

const NODES = Array.from({ length: 6 }, (_, index) => encodeNode({ id: `n${index}`, cluster: 'c', metadata: {} }));
const never = new Promise<never>(() => {});

async function startFleet(t: ExecutionContext, accepts?: number) {
  const server = await startFakeDeltaServer(accepts);
  const processes = new OwnedProcesses();
  t.teardown(async () => {
    await processes.endAll();
    server.stop();
  });
  const script = await learnScript(server.address, encodeNode({ id: 'learner', cluster: 'c', metadata: {} }));
  const fleet = new ConnectionFleet({
    ...{ processes, script, target: server.address, failed: never, progress: () => {} },
    ...{ count: 2, atOnce: 2, timeoutMs: 60_000 },
  });
  return { server, script, fleet };
}

test('the script of a sidecar has the first request of each type, and the names it asks for', async (t) => {
  const { script } = await startFleet(t);
  t.deepEqual(
    script.map(({ typeUrl, names }) => [shortTypeName(typeUrl), names]),
    [
      ['cds', 0],
      ['eds', 3],
      ['lds', 0],
    ],
  );
});

test('each connection syncs as its own sidecar, acknowledges every response, and times a change', async (t) => {
  const { server, fleet } = await startFleet(t);
  await fleet.open(NODES);
  t.deepEqual(server.nodes.slice(1).toSorted(), ['n0', 'n1', 'n2', 'n3', 'n4', 'n5']);
  // Clusters, three assignments and listeners of each, and of the sidecar whose requests they send.
  const perSidecar = 5;
  await eventually(
    'all responses are acknowledged',
    () => server.acknowledged.length >= (NODES.length + 1) * perSidecar - 1,
  );
  t.is(new Set(server.acknowledged).size, server.acknowledged.length);

  const times = await fleet.change('10.240.100.200', async () => server.change('10.240.100.200'));
  t.is(times.length, NODES.length);
  const again = await fleet.change('10.240.101.200', async () => server.change('10.240.101.200'));
  t.is(again.length, NODES.length);
  t.true(Math.min(...again) > Math.max(...times));
  t.deepEqual(fleet.turnedAway, { count: 0, reason: '' });
});

test('connections that the server turns away are counted, with the reason of one', async (t) => {
  // The sidecar whose requests the others send has left by then, or takes one of these places.
  const { fleet } = await startFleet(t, 4);
  await fleet.open(NODES);
  const { count, reason } = fleet.turnedAway;
  t.true(count === 2 || count === 3, String(count));
  t.regex(reason, /gRPC status 8: too many/);
  await t.throwsAsync(
    fleet.change('never', async () => {
      throw new Error('the change cannot be made');
    }),
    { message: 'the change cannot be made' },
  );
});
