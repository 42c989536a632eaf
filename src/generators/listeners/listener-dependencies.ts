import { isOnDemand } from '../../model/on-demand.js';
import type { Proxy } from '../../model/proxy.js';
import type { PushContext, ServiceView } from '../../model/push-context.js';
import { destinationOf } from '../../model/traffic/destination.js';
import { type AddressFamilies, addressFamiliesOf } from '../address-families.js';
import { clusterOf } from '../destination-names.js';
import type { ListenerPlan } from '../plugins/listener-plan.js';
import type { ListenerPlugin } from '../plugins/networking-plugin.js';
import { trafficClass } from '../traffic-class.js';

/** The inputs of the filters of a proxy's listeners. */
export interface ListenerDependencies {
  readonly families: AddressFamilies;
  /** Metadata HTTP10. */
  readonly http10: boolean;
  /** Metadata IDLE_TIMEOUT. */
  readonly idleTimeoutMs: number | undefined;
  /** The collector of its spans; undefined without tracing. */
  readonly tracing: TracingCollector | undefined;
  /** Whether its requests may travel in mutual TLS. */
  readonly sendsMutualTls: boolean;
  /** Whether it asks for clusters when a request or connection needs them. */
  readonly onDemand: boolean;
  /** The plans of the plugins, in their order. */
  readonly plans: readonly ListenerPlan[];
  /** Names all of the above, except what only inbound listeners depend on: equal dependencies have equal keys. */
  readonly key: string;
  /** Names the rest. */
  readonly inboundKey: string;
}

export function listenerDependenciesOf(
  context: PushContext,
  proxy: Proxy,
  plugins: readonly ListenerPlugin[],
): ListenerDependencies {
  const families = addressFamiliesOf(proxy.ipAddresses);
  const http10 = proxy.metadata.http10 ?? false;
  const { idleTimeoutMs } = proxy.metadata;
  const tracing = tracingCollectorOf(context, context.trafficOf(proxy).inAnyCluster.services);
  const family = `${families.ipv4 ? '4' : ''}${families.ipv6 ? '6' : ''}`;
  const sendsMutualTls = proxy.hasSecrets && context.mesh.enableAutoMtls;
  const plans = plugins.flatMap((plugin) => plugin.planListeners(context, proxy) ?? []);
  const onDemand = isOnDemand(context, proxy);
  const flags = [http10 ? 'http10' : '', sendsMutualTls ? 'mtls' : '', ...(onDemand ? ['on demand'] : [])].join();
  const key = [
    family,
    flags,
    idleTimeoutMs ?? '',
    tracing?.cluster ?? '',
    JSON.stringify(plans.map((plan) => plan.key)),
  ].join('|');
  const inboundKey = JSON.stringify(plans.map((plan) => plan.inboundKey ?? ''));
  return { families, http10, idleTimeoutMs, tracing, sendsMutualTls, onDemand, plans, key, inboundKey };
}

/** The cluster that a proxy sends its spans to. */
export interface TracingCollector {
  readonly cluster: string;
  readonly hostname: string;
}

/**
 * The collector of mesh config `defaultConfig.tracing`. Tracing is on if mesh config enables it and the collector is a
 * service in the view of the proxy: only then has the proxy its cluster, and Envoy rejects listeners that name a
 * missing cluster.
 */
export function tracingCollectorOf(context: PushContext, view: ServiceView): TracingCollector | undefined {
  const { enableTracing, defaultConfig } = context.mesh;
  if (!enableTracing || defaultConfig.tracingAddress === '') return undefined;
  const colon = defaultConfig.tracingAddress.lastIndexOf(':');
  const host = defaultConfig.tracingAddress.slice(0, colon);
  const number = Number(defaultConfig.tracingAddress.slice(colon + 1));
  for (const hostname of [host, `${host}.svc.${context.domain}`, `${host}.${context.domain}`]) {
    const service = context.servicesByHost.get(hostname);
    const port = service?.ports.find((candidate) => candidate.number === number);
    if (port === undefined || trafficClass(port.protocol, true) === 'none') continue;
    if (service === undefined || !view.services.includes(service)) continue;
    return { cluster: clusterOf(destinationOf(service, number)), hostname };
  }
  return undefined;
}
