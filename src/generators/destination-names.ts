import { outboundClusterName, outboundServerName, parseOutboundClusterName } from '../envoy/names.js';
import type { Service } from '../model/service.js';
import { type Destination, type Subset, WHOLE_SERVICE } from '../model/traffic/destination.js';

/** The name of the outbound cluster that leads to a destination. */
export function clusterOf({ hostname, port, subset }: Destination): string {
  return outboundClusterName(port, subset.name, hostname);
}

/** The server name (SNI) that clients of the destination ask for. */
export function serverNameOf({ hostname, port, subset }: Destination): string {
  return outboundServerName(port, subset.name, hostname);
}

/** The destination at a service whose cluster has exactly this name; undefined where it has none such. */
export function destinationNamed({ hostname }: Pick<Service, 'hostname'>, cluster: string): Destination | undefined {
  const parsed = parseOutboundClusterName(cluster);
  const subset = parsed && subsetNamed(parsed.subset);
  if (parsed === undefined || subset === undefined) return undefined;
  const destination = { hostname, port: parsed.port, subset };
  return clusterOf(destination) === cluster ? destination : undefined;
}

/** No object names subsets yet. */
function subsetNamed(name: string): Subset | undefined {
  return name === WHOLE_SERVICE.name ? WHOLE_SERVICE : undefined;
}
