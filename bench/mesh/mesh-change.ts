import { TypeUrl } from '../../src/envoy/type-urls.js';
import { HTTP_PORT, type MeshService, serviceHost } from './mesh-shape.js';
import { formatRoutingFile, releaseOf, routingFilePath } from './routing-yaml.js';
import { formatServiceFile, serviceFilePath } from './service-yaml.js';

/** Text that shows, somewhere in the bytes of a response of that type, that a change has arrived. */
export interface Marker {
  readonly typeUrl: string;
  readonly text: string;
}

/** One change of one file, and how a client knows that it has arrived. */
export interface MeshChange {
  /** Below the mesh folder. */
  readonly path: string;
  /** Texts of the file. */
  readonly before: string;
  readonly after: string;
  /** A client has the change when it has seen all of them. */
  readonly markers: readonly Marker[];
}

/** A change of one service. */
export interface ServiceChange extends MeshChange {
  readonly from: MeshService;
  readonly to: MeshService;
}

/** Most repeats of one phase that marker addresses are made for. */
export const MAX_REPEATS = 100;

/**
 * Endpoint changes: each repeat gives the last endpoint of the same HTTP service an address never used before.
 * The service is the last one, which no client runs as long as there are fewer clients than services.
 */
export function buildEndpointChanges(services: readonly MeshService[], repeats: number): readonly ServiceChange[] {
  let current = services.findLast((service) => service.kind === 'http');
  if (current === undefined) throw new RangeError('The mesh has no HTTP service whose endpoint could change.');
  const changes: ServiceChange[] = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    // Three-digit octets: no marker is part of another address.
    const address = `10.${240 + Math.floor(repeat / MAX_REPEATS)}.${100 + (repeat % MAX_REPEATS)}.200`;
    const from: MeshService = current;
    const endpoints = from.endpoints.with(-1, {
      nodeName: 'node-0',
      zone: 'zone-a',
      ...from.endpoints.at(-1),
      address,
    });
    current = { ...from, endpoints };
    changes.push(changeOf(from, current, [{ typeUrl: TypeUrl.endpoint, text: address }]));
  }
  return changes;
}

/**
 * Service changes: each repeat gives another TCP service an HTTP port 80. That adds a cluster, an assignment and a
 * virtual host in route table `80`, which all HTTP services share, so the server sends all of these again.
 */
export function buildServiceChanges(services: readonly MeshService[], repeats: number): readonly ServiceChange[] {
  const candidates = services.filter((service) => service.kind === 'tcp').reverse();
  if (candidates.length < repeats) {
    throw new RangeError(`${repeats} service changes need as many TCP services, and there are ${candidates.length}.`);
  }
  return candidates.slice(0, repeats).map((from) => {
    const cluster = `outbound|${HTTP_PORT.port}||${serviceHost(from)}`;
    return changeOf(from, { ...from, ports: [...from.ports, HTTP_PORT] }, [
      { typeUrl: TypeUrl.cluster, text: cluster },
      { typeUrl: TypeUrl.endpoint, text: cluster },
      { typeUrl: TypeUrl.route, text: `${serviceHost(from)}:${HTTP_PORT.port}` },
    ]);
  });
}

/**
 * Route changes: each repeat gives the route of the first routed service another weight and the next release, which the
 * route adds to requests as a header.
 *
 * @param routed the services with a VirtualService
 */
export function buildRouteChanges(routed: readonly MeshService[], repeats: number): readonly MeshChange[] {
  const [service] = routed;
  if (service === undefined) throw new RangeError('The mesh has no VirtualService that could change.');
  return Array.from({ length: repeats }, (_, repeat) => ({
    path: routingFilePath(service),
    before: formatRoutingFile(service, repeat),
    after: formatRoutingFile(service, repeat + 1),
    markers: [{ typeUrl: TypeUrl.route, text: releaseOf(repeat + 1) }],
  }));
}

function changeOf(from: MeshService, to: MeshService, markers: readonly Marker[]): ServiceChange {
  return {
    path: serviceFilePath(to),
    before: formatServiceFile(from),
    after: formatServiceFile(to),
    from,
    to,
    markers,
  };
}
