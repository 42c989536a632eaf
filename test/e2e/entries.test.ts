import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import type { Manifest } from '../counterparts/config-folder.js';
import { serviceEntryManifest } from '../counterparts/manifests.js';
import type { Sidecar } from '../counterparts/mesh-rig.js';
import { requireSidecarCounterparts } from '../counterparts/requirement.js';
import { eventually } from '../support/eventually.js';
import {
  createSecuredMesh,
  type PodOptions,
  peerAuthenticationManifest,
  podManifest,
  type SecuredMesh,
} from './secured-mesh.js';

interface Context {
  secured: SecuredMesh;
  client: Sidecar;
  other: Sidecar;
  plain: Sidecar;
  first: Sidecar;
  second: Sidecar;
}

const { available } = requireSidecarCounterparts();
const test = anyTest as TestFn<Context>;
const e2eTest = available === undefined ? test.skip : test.serial;

const FIRST: PodOptions = {
  name: 'first',
  namespace: 'default',
  address: '10.244.0.6',
  serviceAccount: 'first',
  isSecured: true,
};
const SECOND: PodOptions = { ...FIRST, name: 'second', address: '10.244.0.7', serviceAccount: 'second' };
const CLIENT: PodOptions = {
  ...FIRST,
  name: 'client',
  address: '10.244.0.5',
  serviceAccount: 'client',
  network: 'near',
};
const OTHER: PodOptions = { ...CLIENT, name: 'other', namespace: 'other', address: '10.244.0.8' };
const PLAIN: PodOptions = { ...CLIENT, name: 'plain', address: '10.244.0.9', isSecured: false };

/** A gateway of network `far`, at the router. */
const GATEWAY_ADDRESS = '10.244.9.20';
const NETWORKS = `networks:
  near: {endpoints: [{fromCidr: 10.244.0.0/24}], gateways: [{address: 10.244.9.21, port: 15443}]}
  far: {endpoints: [{fromCidr: 10.250.0.0/16}], gateways: [{address: ${GATEWAY_ADDRESS}, port: 15443}]}
`;

const HOST = 'machines.example.com';
const VIRTUAL_ADDRESS = '10.96.50.1';
const HTTP = { number: 80, name: 'http', protocol: 'HTTP', targetPort: 8080 };
const MESH_LABEL = { 'security.mesh.internal/tlsMode': 'mesh' };

/** Of `machines.example.com` on port 80, inside the mesh, on the first server. */
function entry(changes: object = {}): Manifest {
  return serviceEntryManifest('machines', {
    hosts: [HOST],
    addresses: [VIRTUAL_ADDRESS],
    ports: [HTTP],
    location: 'MESH_INTERNAL',
    resolution: 'STATIC',
    endpoints: [{ address: FIRST.address, labels: MESH_LABEL, serviceAccount: 'first' }],
    ...changes,
  });
}

function workloadEntry(name: string, spec: object): Manifest {
  const metadata = { name, namespace: 'default' };
  return { apiVersion: 'networking.mesh.internal/v1beta1', kind: 'WorkloadEntry', metadata, spec };
}

const POD_OF_FIRST = podManifest(FIRST);

test.before(async (t) => {
  if (available === undefined) return;
  const folder = await mkdtemp(join(tmpdir(), 'navigator-networks-'));
  const networks = join(folder, 'networks.yaml');
  await writeFile(networks, NETWORKS);
  const secured = await createSecuredMesh(available, {
    files: { 'pods.yaml': [POD_OF_FIRST, ...[SECOND, CLIENT, OTHER, PLAIN].map(podManifest)] },
    meshConfig: 'outboundTrafficPolicy: {mode: REGISTRY_ONLY}\n',
    flags: ['--networksConfig', networks],
  });
  Object.assign(t.context, { secured });
  const { rig } = secured.mesh;
  rig.defer(() => rm(folder, { recursive: true, force: true }));
  await rig.network.addRouterAddress(GATEWAY_ADDRESS);
  await rig.routerAgent.call('serveHttp', { name: 'gateway', port: 15443, address: GATEWAY_ADDRESS });
  const sidecars = await Promise.all([CLIENT, OTHER, PLAIN, FIRST, SECOND].map(secured.addPod));
  const [client, other, plain, first, second] = sidecars;
  if (!client || !other || !plain || !first || !second) throw new Error('a sidecar is missing');
  for (const [server, name] of [
    [first, 'first'],
    [second, 'second'],
  ] as const) {
    await server.agent.call('serveHttp', { name, port: 8080 });
    await server.agent.call('serveHttp', { name: `${name} at 8081`, port: 8081 });
  }
  await Promise.all(sidecars.map(({ envoy }) => envoy.ready()));
  t.context = { secured, client, other, plain, first, second };
});

test.afterEach.always('no sidecar rejected any configuration', async (t) => {
  const { secured, client, other, plain } = t.context;
  if (plain === undefined) return;
  await secured.mesh.assertNothingRejected();
  await secured.mesh.discovery.configFolder.write('own.yaml', []);
  // Else the next test could take an answer by these objects for one by its own.
  for (const sidecar of [client, other, plain]) await answers(sidecar, CLOSED.status);
});

test.after.always(async (t) => {
  await t.context.secured?.mesh.close();
});

const apply = (context: Context, objects: readonly Manifest[]) =>
  context.secured.mesh.discovery.configFolder.write('own.yaml', objects);

/** Status 0 stands for a connection that the sidecar closes, because no service has the port. */
const CLOSED = { status: 0, body: '' };

async function ask({ agent }: Sidecar, host = HOST) {
  const url = `http://${VIRTUAL_ADDRESS}/`;
  const { status, body } = await agent.request(url, { headers: { host } }).catch(() => CLOSED);
  if (status !== 200) return { status, name: '', caller: undefined };
  const echo = JSON.parse(body) as { readonly name: string; readonly headers: Readonly<Record<string, string>> };
  return { status, name: echo.name, caller: echo.headers['x-forwarded-client-cert'] };
}

const answers = (sidecar: Sidecar, expected: string | number, host = HOST) =>
  eventually(`${host} is answered by ${expected}`, async () => {
    const { status, name } = await ask(sidecar, host);
    return typeof expected === 'number' ? status === expected : name === expected;
  });

e2eTest('hosts, addresses and ports of a ServiceEntry decide which requests it serves', async (t) => {
  const { client } = t.context;
  await answers(client, CLOSED.status);
  await apply(t.context, [entry()]);
  await answers(client, 'first');
  await answers(client, 502, 'unknown.example.com');
  await apply(t.context, [entry({ hosts: ['others.example.com'] })]);
  await answers(client, 502);
  await answers(client, 'first', 'others.example.com');
  await apply(t.context, [entry({ ports: [{ ...HTTP, targetPort: 8081 }] })]);
  await answers(client, 'first at 8081');
  t.is((await ask(client, 'unknown.example.com')).status, 502);
});

e2eTest(
  'requests to a ServiceEntry inside the mesh carry the identity of the caller, and those to one outside do not',
  async (t) => {
    const { client } = t.context;
    await apply(t.context, [entry()]);
    await eventually(
      'the caller has an identity',
      async () => (await ask(client)).caller?.includes('/sa/client') === true,
    );
    await apply(t.context, [entry({ location: 'MESH_EXTERNAL' })]);
    await eventually('the caller has no identity', async () => {
      const { status, caller } = await ask(client);
      return status === 200 && caller === undefined;
    });
    t.is((await ask(client)).name, 'first');
  },
);

e2eTest('exportTo decides which namespaces see a ServiceEntry', async (t) => {
  const { client, other } = t.context;
  await apply(t.context, [entry()]);
  await answers(other, 'first');
  await apply(t.context, [entry({ exportTo: ['.'] })]);
  await answers(other, CLOSED.status);
  // A sidecar gets a change at another time than the next one.
  await answers(client, 'first');
  t.pass();
});

e2eTest('a server of the mesh must have one of the names of subjectAltNames', async (t) => {
  const { client } = t.context;
  const endpoints = [{ address: FIRST.address, labels: MESH_LABEL }];
  const named = (account: string) =>
    entry({ endpoints, subjectAltNames: [`spiffe://cluster.local/ns/default/sa/${account}`] });
  await apply(t.context, [named('nobody')]);
  await answers(client, 503);
  await apply(t.context, [named('first')]);
  await answers(client, 'first');
  t.is((await ask(client)).status, 200);
});

e2eTest('an endpoint must have the identity of its serviceAccount', async (t) => {
  const { client } = t.context;
  const endpoint = { address: FIRST.address, labels: MESH_LABEL };
  await apply(t.context, [entry({ endpoints: [{ ...endpoint, serviceAccount: 'second' }] })]);
  await answers(client, 503);
  await apply(t.context, [entry({ endpoints: [{ ...endpoint, serviceAccount: 'first' }] })]);
  await answers(client, 'first');
  t.is((await ask(client)).status, 200);
});

e2eTest('workloadSelector finds WorkloadEntries by their labels, with their addresses and ports', async (t) => {
  const { client } = t.context;
  const selecting = entry({ endpoints: undefined, workloadSelector: { labels: { app: 'machine' } } });
  const machine = (labels: object) =>
    workloadEntry('machine', {
      address: SECOND.address,
      ports: { http: 8081 },
      labels: { ...labels, ...MESH_LABEL },
      serviceAccount: 'second',
    });
  await apply(t.context, [selecting, machine({ app: 'machine' })]);
  await answers(client, 'second at 8081');
  await apply(t.context, [selecting, machine({ app: 'another' })]);
  await answers(client, 503);
  t.is((await ask(client)).status, 503);
});

e2eTest('endpoints get requests by their weight', async (t) => {
  const { client } = t.context;
  const weighted = (first: number, second: number) =>
    entry({
      location: 'MESH_EXTERNAL',
      endpoints: [
        { address: FIRST.address, weight: first },
        { address: SECOND.address, weight: second },
      ],
    });
  const shareOfFirst = async (): Promise<number> => {
    let count = 0;
    for (let sent = 0; sent < 100; sent += 1) if ((await ask(client)).name === 'first') count += 1;
    return count / 100;
  };
  await apply(t.context, [weighted(1, 99)]);
  await eventually('the second gets nearly all', async () => (await shareOfFirst()) < 0.2);
  await apply(t.context, [weighted(99, 1)]);
  await eventually('the first gets nearly all', async () => (await shareOfFirst()) > 0.8);
  t.pass();
});

e2eTest('an endpoint on another network is reached by the gateway of that network', async (t) => {
  const { client } = t.context;
  const external = { location: 'MESH_EXTERNAL' };
  await apply(t.context, [entry({ ...external, endpoints: [{ address: FIRST.address, network: 'near' }] })]);
  await answers(client, 'first');
  await apply(t.context, [entry({ ...external, endpoints: [{ address: FIRST.address, network: 'far' }] })]);
  await answers(client, 'gateway');
  t.is((await ask(client)).name, 'gateway');
});

e2eTest('Envoy knows the locality of an endpoint', async (t) => {
  const { client } = t.context;
  const endpoints = [{ address: FIRST.address, locality: 'region-1/zone-2/subzone-3' }];
  await apply(t.context, [entry({ endpoints })]);
  await eventually('the endpoint has its locality', async () => {
    const clusters = await client.envoy.admin('/clusters');
    const lines = clusters.split('\n').filter((line) => line.startsWith(`outbound|80||${HOST}::`));
    return ['region::region-1', 'zone::zone-2', 'sub_zone::subzone-3'].every((end) =>
      lines.some((line) => line.endsWith(end)),
    );
  });
  t.pass();
});

const isServed = async ({ agent }: Sidecar, port: number): Promise<boolean> =>
  await agent.request(`http://${VIRTUAL_ADDRESS}:${port}/`, { headers: { host: HOST } }).then(
    ({ status }) => status === 200,
    () => false,
  );

e2eTest('a PeerAuthentication selects workloads by labels, and its ports have modes of their own', async (t) => {
  const { plain } = t.context;
  const policy = (spec: object): Manifest => peerAuthenticationManifest('default', spec);
  const strict = { selector: { matchLabels: { app: 'first' } }, mtls: { mode: 'STRICT' } };
  const open = entry({
    location: 'MESH_EXTERNAL',
    ports: [HTTP, { ...HTTP, number: 81, name: 'http-81', targetPort: 8081 }],
  });
  const served = (port: number, expected: boolean) =>
    eventually(
      `port ${port} is ${expected ? 'served' : 'refused'}`,
      async () => (await isServed(plain, port)) === expected,
    );
  await apply(t.context, [open]);
  await served(80, true);
  await apply(t.context, [open, policy({ ...strict, selector: { matchLabels: { app: 'second' } } })]);
  await served(80, true);
  await apply(t.context, [open, policy(strict)]);
  await served(80, false);
  await apply(t.context, [open, policy({ ...strict, portLevelMtls: { 8081: { mode: 'PERMISSIVE' } } })]);
  await served(81, true);
  t.false(await isServed(plain, 80));
  await apply(t.context, [open, policy({ selector: strict.selector, mtls: { mode: 'UNSET' } })]);
  await served(80, true);
});
