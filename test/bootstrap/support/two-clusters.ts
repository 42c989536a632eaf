import type { ExecutionContext } from 'ava';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import { type ApiServer, startApiServer } from '../../counterparts/kubernetes/api-server.js';
import { clusterSecret } from '../../counterparts/kubernetes/cluster-secret.js';
import { pathOf } from '../../counterparts/kubernetes/kubernetes-client.js';
import { namespaceManifest } from '../../sources/kubernetes/support/manifests.js';
import { eventually } from '../../support/eventually.js';
import { ProxyClient } from './proxy-client.js';
import type { RunningServer } from './running-server.js';

/** Two real API servers, with a namespace `shop` in both and `mesh-system` in the first. */
export interface TwoClusters {
  /** The control plane's own. */
  readonly local: ApiServer;
  readonly remote: ApiServer;
  close(): Promise<void>;
}

export async function startTwoClusters(binary: string): Promise<TwoClusters> {
  const [local, remote] = await Promise.all([startApiServer({ binary }), startApiServer({ binary })]);
  for (const api of [local, remote]) await api.client.apply(namespaceManifest('shop'));
  await local.client.apply(namespaceManifest('mesh-system'));
  return {
    local,
    remote,
    close: async () => {
      await Promise.all([local.close(), remote.close()]);
    },
  };
}

/** The Service of that name in `shop`, at port 80, with pods at these addresses, which listen on 8080. */
export async function serve(
  { client }: ApiServer,
  name: string,
  ips: readonly string[],
  spec: object = {},
  status: object = {},
): Promise<void> {
  const metadata = { name, namespace: 'shop' };
  const ports = [{ name: 'http', port: 80 }];
  await client.apply({ apiVersion: 'v1', kind: 'Service', metadata, spec: { ports, ...spec }, status });
  const subsets = [{ addresses: ips.map((ip) => ({ ip })), ports: [{ name: 'http', port: 8080 }] }];
  await client.apply({ apiVersion: 'v1', kind: 'Endpoints', metadata, subsets });
}

/** Registers clusters in a secret of the first cluster until the returned function, or the test's end, removes it. */
export async function register(
  t: ExecutionContext,
  { local }: TwoClusters,
  name: string,
  kubeconfigs: Readonly<Record<string, string>>,
): Promise<() => Promise<void>> {
  const secret = clusterSecret(name, kubeconfigs);
  await local.client.apply(secret);
  const remove = async (): Promise<void> => {
    const { status } = await local.client.send('DELETE', pathOf(secret));
    if (status !== 200 && status !== 404) throw new Error(`deleting the secret ${name} was answered ${status}`);
  };
  t.teardown(remove);
  return remove;
}

/** Waits until a server has read so many remote clusters: its start waits for them for ten seconds only. */
export async function untilRead(server: RunningServer, clusters: number): Promise<void> {
  await eventually(`${clusters} remote clusters are read`, () => {
    return server.logged('a remote cluster is read').length === clusters;
  });
}

export interface EndpointWatcher {
  readonly proxy: ProxyClient;
  /** `address:port` of a service in `shop`, in order; empty when the proxy does not have it. */
  addresses(service: string): readonly string[];
  /** Waits until those of `books` are the ones given; a port that is not named is 8080. */
  has(...expected: readonly string[]): Promise<void>;
}

/** A proxy, and the endpoints that it has. */
export async function watchEndpoints(
  t: ExecutionContext,
  port: number,
  metadata: Readonly<Record<string, string>> = {},
): Promise<EndpointWatcher> {
  const proxy = new ProxyClient(port, {
    id: 'sidecar~10.0.0.9~client-1.shop~shop.svc.cluster.local',
    cluster: 'client-1.shop',
    metadata: { NAMESPACE: 'shop', ...metadata },
  });
  t.teardown(() => proxy.close());
  await proxy.settled();
  const addresses = (service: string): readonly string[] => {
    const text = JSON.stringify(
      proxy.resource(TypeUrl.endpoint, `outbound|80||${service}.shop.svc.cluster.local`) ?? null,
    );
    const found = text.matchAll(/"address":"([0-9.]+)","portValue":(\d+)/g);
    return [...found].map(([, address, number]) => (number === '8080' ? `${address}` : `${address}:${number}`));
  };
  return {
    proxy,
    addresses,
    has: async (...expected) => {
      await eventually(`the proxy has ${expected}`, () => {
        if (addresses('books').join() !== expected.join()) throw new Error(`it has ${addresses('books')}`);
        return true;
      });
    },
  };
}
