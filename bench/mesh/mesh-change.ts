import { TypeUrl } from '../../src/envoy/type-urls.js';
import { HTTP_PORT, type MeshService, serviceHost } from './mesh-shape.js';

/** Text that shows, somewhere in the bytes of a response of that type, that a change has arrived. */
export interface Marker {
  readonly typeUrl: string;
  readonly text: string;
}

/** One change of one service's file, and how a client knows that it has arrived. */
export interface MeshChange {
  readonly before: MeshService;
  readonly after: MeshService;
  /** A client has the change when it has seen all of them. */
  readonly markers: readonly Marker[];
}

/** Most repeats that marker addresses are made for (the third octet has three digits: 100 to 199). */
export const MAX_REPEATS = 100;

/**
 * Endpoint changes: each repeat gives the last endpoint of the same HTTP service an address never used before.
 * The service is the last one, which no client runs as long as there are fewer clients than services.
 */
export function buildEndpointChanges(services: readonly MeshService[], repeats: number): readonly MeshChange[] {
  let current = services.findLast((service) => service.kind === 'http');
  if (current === undefined) throw new RangeError('The mesh has no HTTP service whose endpoint could change.');
  const changes: MeshChange[] = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    // Three-digit octets: no marker is part of another address.
    const address = `10.240.${100 + repeat}.200`;
    const before: MeshService = current;
    const endpoints = before.endpoints.with(-1, {
      nodeName: 'node-0',
      zone: 'zone-a',
      ...before.endpoints.at(-1),
      address,
    });
    current = { ...before, endpoints };
    changes.push({ before, after: current, markers: [{ typeUrl: TypeUrl.endpoint, text: address }] });
  }
  return changes;
}

/**
 * Service changes: each repeat gives another TCP service an HTTP port 80. That adds a cluster, an assignment and a
 * virtual host in route table `80`, which all HTTP services share, so the server sends all of these again.
 */
export function buildServiceChanges(services: readonly MeshService[], repeats: number): readonly MeshChange[] {
  const candidates = services.filter((service) => service.kind === 'tcp').reverse();
  if (candidates.length < repeats) {
    throw new RangeError(`${repeats} service changes need as many TCP services, and there are ${candidates.length}.`);
  }
  return candidates.slice(0, repeats).map((before) => {
    const cluster = `outbound|${HTTP_PORT.port}||${serviceHost(before)}`;
    return {
      before,
      after: { ...before, ports: [...before.ports, HTTP_PORT] },
      markers: [
        { typeUrl: TypeUrl.cluster, text: cluster },
        { typeUrl: TypeUrl.endpoint, text: cluster },
        { typeUrl: TypeUrl.route, text: `${serviceHost(before)}:${HTTP_PORT.port}` },
      ],
    };
  });
}
