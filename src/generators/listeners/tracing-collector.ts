import type { PushContext, ServiceView } from '../../model/push-context.js';
import { destinationOf } from '../../model/traffic/destination.js';
import { clusterOf } from '../destination-names.js';
import { trafficClass } from '../traffic-class.js';

/** The cluster that a proxy sends its spans to. */
export interface TracingCollector {
  readonly cluster: string;
  readonly hostname: string;
}

/**
 * The collector that mesh config `defaultConfig.tracing` names. Tracing is on only when mesh config enables it
 * and the collector is a service that the proxy may see: Envoy refuses listeners whose collector cluster it
 * does not have, and a proxy is served clusters for exactly the services of its view.
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
