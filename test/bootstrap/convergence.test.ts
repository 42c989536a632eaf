import { writeFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import fc from 'fast-check';
import type { NodeIdentity } from '../../bench/wire/node-message.js';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { eventually } from '../support/eventually.js';
import { createCleanup, type Teardown } from './support/cleanup.js';
import { describeDifference } from './support/describe-difference.js';
import { ProxyClient } from './support/proxy-client.js';
import { fileText, folderChange, meshConfig, meshNetworks } from './support/random-mesh.js';
import { type RunningServer, startServer } from './support/running-server.js';

/** More of them on request: CONVERGENCE_RUNS=500. */
const RUNS = Number(process.env['CONVERGENCE_RUNS'] ?? 12);
/** Of a failure that is to be seen again. */
const SEED = process.env['CONVERGENCE_SEED'];
const REPLAY = process.env['CONVERGENCE_PATH'];

const NODES: readonly NodeIdentity[] = [
  { id: 'sidecar~10.0.0.1~p0.shop~shop.svc.cluster.local', cluster: 'p0', metadata: {} },
  {
    id: 'sidecar~10.0.0.2~p1.bank~bank.svc.cluster.local',
    cluster: 'p1',
    metadata: { NETWORK: 'near', REQUESTED_NETWORK_VIEW: 'near' },
  },
  {
    id: 'sidecar~10.0.0.3~p2.shop~shop.svc.cluster.local',
    cluster: 'p2',
    metadata: { DNS_CAPTURE: 'true', HTTP10: '1' },
  },
  { id: 'router~10.0.0.9~gate.bank~bank.svc.cluster.local', cluster: 'gate', metadata: { NETWORK: 'far' } },
];

const whichProxy = fc.nat(NODES.length - 1);

const event = fc.oneof(
  { weight: 8, arbitrary: fc.record({ type: fc.constant('folder' as const), files: folderChange }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('mesh' as const), content: meshConfig }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('networks' as const), content: meshNetworks }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('reconnect' as const), proxy: whichProxy }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('pause' as const), proxy: whichProxy }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('resume' as const), proxy: whichProxy }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('refuse' as const),
      proxy: whichProxy,
      typeUrl: fc.constantFrom(TypeUrl.cluster, TypeUrl.endpoint, TypeUrl.listener, TypeUrl.route),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('settle' as const) }) },
);

type Event = typeof event extends fc.Arbitrary<infer Value> ? Value : never;

/** Many events, with a few turns of the event loop between each and the next. */
const history = fc.array(fc.record({ event, turns: fc.nat(40) }), { minLength: 1, maxLength: 14 });

async function perform(happening: Event, server: RunningServer, proxies: readonly ProxyClient[]): Promise<void> {
  switch (happening.type) {
    case 'folder':
      for (const [file, manifests] of Object.entries(happening.files)) {
        if (manifests === null) await server.folder.remove(file);
        else await server.folder.write(file, fileText(file, manifests));
      }
      return;
    case 'mesh':
      return await writeFile(server.meshConfigFile, JSON.stringify(happening.content));
    case 'networks':
      return await writeFile(server.networksFile, JSON.stringify(happening.content));
    case 'reconnect':
      return proxies[happening.proxy]?.reconnect();
    case 'pause':
      return proxies[happening.proxy]?.pause();
    case 'resume':
      return proxies[happening.proxy]?.resume();
    case 'refuse':
      proxies[happening.proxy]?.refuseNext.add(happening.typeUrl);
      return;
    case 'settle':
      return await settle(server);
  }
}

/** Waits until the server has told its proxies of everything in the folder: a marker goes through it. */
let markers = 0;
async function settle(server: RunningServer): Promise<void> {
  const name = `marker-${++markers}`;
  await server.folder.write('marker.yaml', JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
  await eventually(`the server serves ${name}`, async () =>
    (await server.http.get('/debug/configz')).body.includes(name),
  );
}

/** What was refused is offered again only with the next change of its type, or on the next stream. */
async function makeUpForRefusals(server: RunningServer, proxies: readonly ProxyClient[]): Promise<void> {
  await settle(server);
  for (const [index, proxy] of proxies.entries()) {
    proxy.refuseNext.clear();
    // The mesh config below changes clusters, and the listeners of sidecars.
    const changing: readonly string[] = NODES[index]?.id.startsWith('sidecar')
      ? [TypeUrl.cluster, TypeUrl.listener]
      : [TypeUrl.cluster];
    if ([...proxy.refused].some((typeUrl) => !changing.includes(typeUrl))) proxy.reconnect();
  }
  await writeFile(server.meshConfigFile, 'connectTimeout: 9s\naccessLogFile: /dev/final\n');
}

function connect(cleanup: Teardown, server: RunningServer, identity: NodeIdentity): ProxyClient {
  const proxy = new ProxyClient(server.grpcPort, identity);
  cleanup.teardown(() => proxy.close());
  return proxy;
}

async function check(steps: readonly { event: Event; turns: number }[], debounceEndpoints: boolean): Promise<void> {
  const cleanup = createCleanup();
  try {
    const server = await startServer(cleanup, {
      variables: { NAV_ENABLE_EDS_DEBOUNCE: String(debounceEndpoints), NAV_DEBOUNCE_AFTER: '30ms' },
    });
    const proxies = NODES.map((identity) => connect(cleanup, server, identity));
    for (const step of steps) {
      await perform(step.event, server, proxies);
      for (let turn = 0; turn < step.turns; turn++) await nextTurn();
    }
    for (const proxy of proxies) proxy.resume();
    await makeUpForRefusals(server, proxies);
    const fresh = await startServer(cleanup, { folder: server.folder });
    for (const [index, identity] of NODES.entries()) {
      const wanted = connect(cleanup, fresh, identity);
      await wanted.settled();
      const subject = proxies[index] as ProxyClient;
      const difference = (): string | undefined => describeDifference(wanted.state, subject.state);
      await eventually('equal', () => subject.isSettled && difference() === undefined, 6000).catch(() => {
        throw new Error(`${identity.id} misses ${subject.describe()} and differs:\n${difference()}`);
      });
    }
  } finally {
    await cleanup.run();
  }
}

test('whatever happened, connected proxies end with what a fresh server gives a fresh proxy', async (t) => {
  await fc.assert(fc.asyncProperty(history, fc.boolean(), check), {
    numRuns: RUNS,
    includeErrorInReport: true,
    ...(SEED === undefined ? {} : { seed: Number(SEED) }),
    ...(REPLAY === undefined ? {} : { path: REPLAY }),
  });
  t.pass();
});
