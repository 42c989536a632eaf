import type { Envoy } from '../counterparts/envoy.js';

/**
 * Sum of the counter over all clusters whose name begins so, with or without the `;` that ends a stat name:
 * `countOfClusters(envoy, 'outbound|80||web.', 'upstream_rq_total')`.
 */
export async function countOfClusters(envoy: Envoy, clusterPrefix: string, counter: string): Promise<number> {
  let sum = 0;
  for (const [name, value] of await envoy.stats()) {
    if (name.startsWith(`cluster.${clusterPrefix}`) && name.endsWith(`.${counter}`)) sum += value;
  }
  return sum;
}

export interface Hops {
  /** Requests that left the client's sidecar through the outbound cluster. */
  readonly outbound: number;
  /** Requests that the server's sidecar passed to its app. */
  readonly inbound: number;
}

export interface HopsOptions {
  readonly from: Envoy;
  readonly outboundCluster: string;
  readonly to: Envoy;
  readonly inboundCluster: string;
  readonly counter: 'upstream_rq_total' | 'upstream_cx_total';
}

/**
 * Counts of both sidecars during `act`.
 *
 * @param counter `upstream_rq_total` for requests, `upstream_cx_total` for connections
 */
export async function countHops<Result>(
  { from, outboundCluster, to, inboundCluster, counter }: HopsOptions,
  act: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly hops: Hops }> {
  const read = async (): Promise<Hops> => ({
    outbound: await countOfClusters(from, outboundCluster, counter),
    inbound: await countOfClusters(to, inboundCluster, counter),
  });
  const before = await read();
  const result = await act();
  const after = await read();
  return {
    result,
    hops: { outbound: after.outbound - before.outbound, inbound: after.inbound - before.inbound },
  };
}

/** The listeners in use, without those that are warming or drained, each as JSON without spaces. */
export async function activeListeners(envoy: Envoy): Promise<readonly string[]> {
  const { configs = [] } = JSON.parse(await envoy.admin('/config_dump?resource=dynamic_listeners')) as {
    readonly configs?: readonly { readonly active_state?: object }[];
  };
  return configs.flatMap(({ active_state: state }) => (state === undefined ? [] : [JSON.stringify(state)]));
}

/** A cluster as Envoy shows it. */
export type ShownCluster = Readonly<Record<string, unknown>>;

/** The clusters of discovery in use, without those that are warming. */
export async function activeClusters(envoy: Envoy): Promise<readonly ShownCluster[]> {
  const { configs = [] } = JSON.parse(await envoy.admin('/config_dump?resource=dynamic_active_clusters')) as {
    readonly configs?: readonly { readonly cluster: ShownCluster }[];
  };
  return configs.map(({ cluster }) => cluster);
}
