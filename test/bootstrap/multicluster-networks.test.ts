import test from 'ava';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { embeddedKubeconfig } from '../counterparts/kubernetes/cluster-secret.js';
import { requireKubernetes } from '../counterparts/kubernetes/find-testcluster.js';
import { eventually } from '../support/eventually.js';
import { writeWhole } from '../support/write-whole.js';
import { startServer } from './support/running-server.js';
import { register, serve, startTwoClusters, type TwoClusters, watchEndpoints } from './support/two-clusters.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.skip : test.serial;

let clusters: TwoClusters;

if (binary !== undefined) {
  test.before(async () => {
    clusters = await startTwoClusters(binary);
  });
  test.after.always(() => clusters?.close());
}

const GATEWAY_PORT = 15443;
const NETWORKS = `networks:
  inner:
    endpoints: [{ fromRegistry: Orchestrator }]
    gateways: [{ address: 192.0.2.1, port: ${GATEWAY_PORT} }]
  outer:
    endpoints: [{ fromRegistry: west }]
    gateways: [{ registryServiceName: gateway.shop.svc.cluster.local, port: ${GATEWAY_PORT} }]
`;

it('endpoints of a cluster on another network are reached by its gateway, which follows its load balancer', async (t) => {
  const { local, remote } = clusters;
  await serve(local, 'books', ['10.0.0.1']);
  await serve(remote, 'books', ['10.0.0.1', '10.1.0.2']);
  const ports = [{ name: 'http', port: GATEWAY_PORT }];
  // The own cluster has a gateway of that name too: it leads into another network.
  await serve(local, 'gateway', ['10.0.0.5'], { ports });
  await serve(remote, 'gateway', ['10.1.0.5'], { ports });
  await register(t, clusters, 'west', { west: embeddedKubeconfig(remote) });
  const server = await startServer(t, { orchConfig: local.kubeconfig });
  const inner = await watchEndpoints(t, server.grpcPort, { CLUSTER_ID: 'Orchestrator', NETWORK: 'inner' });
  const outer = await watchEndpoints(t, server.grpcPort, { CLUSTER_ID: 'west', NETWORK: 'outer' });
  const anywhere = await watchEndpoints(t, server.grpcPort);
  await inner.has('10.0.0.1', '10.1.0.2');

  await writeWhole(server.networksFile, NETWORKS);
  await inner.has('10.0.0.1', '10.1.0.5');
  // Nothing but endpoints of another host changes.
  await serve(remote, 'gateway', ['10.1.0.6'], { ports });
  await inner.has('10.0.0.1', '10.1.0.6');
  await outer.has('10.0.0.1', '10.1.0.2', `192.0.2.1:${GATEWAY_PORT}`);
  await anywhere.has('10.0.0.1', '10.1.0.2');
  const balanced = (ip: string) =>
    serve(remote, 'gateway', ['10.1.0.6'], { ports, type: 'LoadBalancer' }, { loadBalancer: { ingress: [{ ip }] } });
  await balanced('198.51.100.7');
  await inner.has('10.0.0.1', `198.51.100.7:${GATEWAY_PORT}`);
  await balanced('198.51.100.8');
  await inner.has('10.0.0.1', `198.51.100.8:${GATEWAY_PORT}`);

  const settings = 'serviceSettings: [{ settings: { clusterLocal: true }, hosts: ["*.shop.svc.cluster.local"] }]\n';
  await writeWhole(server.meshConfigFile, settings);
  await inner.has('10.0.0.1');
  await outer.has('10.0.0.1', '10.1.0.2');
  t.deepEqual(await server.http.json('/debug/config_problems'), []);
});

it('a proxy listens for a service at the virtual IP that this has in the cluster of the proxy', async (t) => {
  const { local, remote } = clusters;
  const ports = [{ name: 'tcp', port: 7000 }];
  await serve(local, 'queue', ['10.0.0.3'], { ports, clusterIP: '10.96.7.1' });
  await serve(remote, 'queue', ['10.1.0.3'], { ports, clusterIP: '10.96.7.2' });
  await serve(remote, 'twin', ['10.1.0.4'], { ports, clusterIP: '10.96.7.1' });
  await register(t, clusters, 'west', { west: embeddedKubeconfig(remote) });
  const server = await startServer(t, { orchConfig: local.kubeconfig });
  const listeners = async (
    cluster: string,
    ...expected: readonly string[]
  ): Promise<Readonly<Record<string, string | undefined>>> => {
    const { proxy } = await watchEndpoints(t, server.grpcPort, { CLUSTER_ID: cluster });
    const name = (address: string): string => `${address}_7000`;
    // The start of the server waits for remote clusters for ten seconds only.
    await eventually('listeners have come', () =>
      expected.every((address) => proxy.namesOf(TypeUrl.listener).includes(name(address))),
    );
    const clusterOf = (address: string): string | undefined =>
      /outbound\|7000\|\|(\w+)\./.exec(JSON.stringify(proxy.resource(TypeUrl.listener, name(address)) ?? null))?.[1];
    return { '10.96.7.1': clusterOf('10.96.7.1'), '10.96.7.2': clusterOf('10.96.7.2') };
  };
  t.deepEqual(await listeners('west', '10.96.7.1', '10.96.7.2'), { '10.96.7.1': 'twin', '10.96.7.2': 'queue' });
  // The server knows the virtual IPs of both clusters now.
  t.deepEqual(await listeners('Orchestrator', '10.96.7.1'), { '10.96.7.1': 'queue', '10.96.7.2': undefined });
});
