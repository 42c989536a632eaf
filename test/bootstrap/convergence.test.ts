import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import type { NodeIdentity } from '../../bench/wire/node-message.js';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { createTempFolder, type TempFolder } from '../sources/support/temp-folder.js';
import { eventually } from '../support/eventually.js';
import fc from '../support/property-testing.js';
import { writeWhole } from '../support/write-whole.js';
import { createCleanup, type Teardown } from './support/cleanup.js';
import { DeltaProxyClient, type Demand } from './support/delta-proxy-client.js';
import { describeDifference } from './support/describe-difference.js';
import { ProxyClient, type ProxyState, type TestProxy } from './support/proxy-client.js';
import {
  type FolderChange,
  fileText,
  folderChange,
  meshConfig,
  meshNetworks,
  startMeshConfig,
} from './support/random-mesh.js';
import { type RunningServer, startServer } from './support/running-server.js';

/** More of them on request: CONVERGENCE_RUNS=500. */
const RUNS = Number(process.env['CONVERGENCE_RUNS'] ?? 12);
/** Of a failure that is to be seen again. */
const SEED = process.env['CONVERGENCE_SEED'];
const REPLAY = process.env['CONVERGENCE_PATH'];

interface Node extends NodeIdentity {
  /** Default: state of the world. */
  readonly protocol?: 'delta' | 'delta on demand';
}

/** What the workload on demand calls: services that come and go, and one that never comes. */
const DEMAND: Demand = {
  clusters: ['outbound|80||web.shop.svc.cluster.local', 'outbound|80||db.bank.svc.cluster.local', 'outbound|80||gone'],
  hosts: ['web.shop', 'db.bank.svc.cluster.local', 'a.example.com', 'gone'],
};

const NODES: readonly Node[] = [
  { id: 'sidecar~10.0.0.1~p0.shop~shop.svc.cluster.local', cluster: 'p0', metadata: {} },
  {
    id: 'sidecar~10.0.0.2~p1.bank~bank.svc.cluster.local',
    cluster: 'p1',
    metadata: { NETWORK: 'near', REQUESTED_NETWORK_VIEW: 'near' },
  },
  {
    id: 'sidecar~10.0.0.3~p2.shop~shop.svc.cluster.local',
    cluster: 'p2',
    metadata: { DNS_CAPTURE: 'true', HTTP10: '1', 'policy.mesh.internal/check': 'enable' },
  },
  { id: 'router~10.0.0.9~gate.bank~bank.svc.cluster.local', cluster: 'gate', metadata: { NETWORK: 'far' } },
  { id: 'sidecar~10.0.0.2~p3.bank~bank.svc.cluster.local', cluster: 'p3', metadata: {}, protocol: 'delta' },
  {
    id: 'sidecar~10.0.0.1~p4.shop~shop.svc.cluster.local',
    cluster: 'p4',
    metadata: { ON_DEMAND: 'true' },
    protocol: 'delta on demand',
  },
];

const whichProxy = fc.nat(NODES.length - 1);

const event = fc.oneof(
  { weight: 30, arbitrary: fc.record({ type: fc.constant('folder' as const), files: folderChange }) },
  { weight: 15, arbitrary: fc.record({ type: fc.constant('settle' as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('mesh' as const), content: meshConfig }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('networks' as const), content: meshNetworks }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('reconnect' as const), proxy: whichProxy }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('pause' as const), proxy: whichProxy }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('resume' as const), proxy: whichProxy }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('refuse' as const),
      proxy: whichProxy,
      typeUrl: fc.constantFrom(
        TypeUrl.cluster,
        TypeUrl.endpoint,
        TypeUrl.listener,
        TypeUrl.extensionConfig,
        TypeUrl.route,
        TypeUrl.virtualHost,
      ),
    }),
  },
);

type Event = typeof event extends fc.Arbitrary<infer Value> ? Value : never;

/**
 * What is in the folder at the start, and many events. The delays are part of what happens, nothing is waited for:
 * after 70 ms the server has read a change, and may or may not have pushed it.
 */
const history = fc.record({
  start: fc.array(folderChange, { maxLength: 10, size: 'max' }),
  startMesh: fc.option(startMeshConfig, { nil: undefined }),
  steps: fc.array(fc.record({ event, delayMs: fc.constantFrom(0, 0, 0, 5, 70) }), {
    minLength: 1,
    maxLength: 16,
    size: 'max',
  }),
  debounceEndpoints: fc.boolean(),
  debounceAfter: fc.constantFrom('0s', '30ms', '150ms'),
});

type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;

async function change(folder: TempFolder, files: FolderChange): Promise<void> {
  for (const [file, manifests] of Object.entries(files)) {
    if (manifests === null) await folder.remove(file);
    else await folder.write(file, fileText(file, manifests));
  }
}

async function perform(happening: Event, server: RunningServer, proxies: readonly TestProxy[]): Promise<void> {
  switch (happening.type) {
    case 'folder':
      return await change(server.folder, happening.files);
    case 'mesh':
      return await writeWhole(server.meshConfigFile, JSON.stringify(happening.content));
    case 'networks':
      return await writeWhole(server.networksFile, JSON.stringify(happening.content));
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
async function makeUpForRefusals(server: RunningServer, proxies: readonly TestProxy[]): Promise<void> {
  for (const proxy of proxies) proxy.refuseNext.clear();
  if (proxies.every(({ refused }) => refused.size === 0)) return;
  await settle(server);
  for (const [index, proxy] of proxies.entries()) {
    // The mesh config below changes clusters, and the listeners of sidecars.
    const changing: readonly string[] = NODES[index]?.id.startsWith('sidecar')
      ? [TypeUrl.cluster, TypeUrl.listener]
      : [TypeUrl.cluster];
    if ([...proxy.refused].some((typeUrl) => !changing.includes(typeUrl))) proxy.reconnect();
  }
  await writeWhole(server.meshConfigFile, 'connectTimeout: 9s\naccessLogFile: /dev/final\n');
}

function connect(cleanup: Teardown, server: RunningServer, node: Node): TestProxy {
  const { protocol } = node;
  const proxy =
    protocol === undefined
      ? new ProxyClient(server.grpcPort, node)
      : new DeltaProxyClient(server.grpcPort, node, protocol === 'delta on demand' ? DEMAND : undefined);
  cleanup.teardown(() => proxy.close());
  return proxy;
}

/** Each server has a policy server at a port of its own. */
function comparable(state: ProxyState): ProxyState {
  const clusters = [...(state.get(TypeUrl.cluster) ?? [])].filter(([name]) => !name.startsWith('policy_'));
  return new Map([...state, [TypeUrl.cluster, new Map(clusters)]]);
}

async function check({ start, startMesh, steps, debounceEndpoints, debounceAfter }: History): Promise<void> {
  const cleanup = createCleanup();
  try {
    const folder = await createTempFolder();
    cleanup.teardown(() => folder.dispose());
    for (const files of start) await change(folder, files);
    const meshConfigFile = path.join(path.dirname(folder.path), 'mesh.yaml');
    if (startMesh !== undefined) await writeWhole(meshConfigFile, JSON.stringify(startMesh));
    const server = await startServer(cleanup, {
      folder,
      variables: { NAV_ENABLE_EDS_DEBOUNCE: String(debounceEndpoints), NAV_DEBOUNCE_AFTER: debounceAfter },
    });
    const proxies = NODES.map((identity) => connect(cleanup, server, identity));
    for (const step of steps) {
      await perform(step.event, server, proxies);
      if (step.delayMs > 0) await delay(step.delayMs);
    }
    for (const proxy of proxies) proxy.resume();
    await makeUpForRefusals(server, proxies);
    const fresh = await startServer(cleanup, { folder: server.folder });
    for (const [index, identity] of NODES.entries()) {
      const wanted = connect(cleanup, fresh, identity);
      await wanted.settled();
      const subject = proxies[index] as TestProxy;
      const difference = (): string | undefined =>
        describeDifference(comparable(wanted.state), comparable(subject.state));
      await eventually('equal', () => subject.isSettled && difference() === undefined, { timeoutMs: 20_000 }).catch(
        () => {
          throw new Error(`${identity.id} misses ${subject.describe()} and differs:\n${difference()}`);
        },
      );
    }
  } finally {
    await cleanup.run();
  }
}

test('after any history, connected proxies have the same resources as a new proxy of a new server', async (t) => {
  await fc.assert(fc.asyncProperty(history, check), {
    numRuns: RUNS,
    includeErrorInReport: true,
    // A failure is shrunk for as long as there is time, and reported before the test runner gives up.
    interruptAfterTimeLimit: RUNS * 7000,
    ...(SEED === undefined ? {} : { seed: Number(SEED) }),
    ...(REPLAY === undefined ? {} : { path: REPLAY }),
  });
  // What differs is thrown above; AVA wants an assertion of its own.
  t.pass();
});
