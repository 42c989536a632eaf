import { isDeepStrictEqual } from 'node:util';
import type { Endpoint } from '../endpoint.js';
import type { ServiceContribution } from '../registry/service-contribution.js';
import type { Service } from '../service.js';

/**
 * The new contribution with the equal objects of the old one, or the old contribution itself if all are equal:
 * generators remember results by identity.
 */
export function keepContribution(
  previous: ServiceContribution | undefined,
  next: ServiceContribution,
): ServiceContribution {
  if (previous === undefined) return next;
  const service = keepService(previous.service, next.service);
  const endpoints = keepEndpoints(previous.endpoints, next.endpoints);
  const unready = keepEndpoints(previous.unready, next.unready);
  const findings = isDeepStrictEqual(previous.findings, next.findings) ? previous.findings : next.findings;
  const isSame =
    service === previous.service &&
    endpoints === previous.endpoints &&
    unready === previous.unready &&
    findings === previous.findings &&
    isDeepStrictEqual(previous.externalAddresses, next.externalAddresses) &&
    next.cluster === previous.cluster;
  return isSame ? previous : { ...next, service, endpoints, unready, findings };
}

export function keepService(previous: Service | undefined, next: Service): Service {
  return previous !== undefined && isDeepStrictEqual(previous, next) ? previous : next;
}

/** Both lists are in the order of `compareEndpoints`; several endpoints may share address, port and port name. */
function keepEndpoints(previous: readonly Endpoint[], next: readonly Endpoint[]): readonly Endpoint[] {
  const known = new Map(previous.map((endpoint) => [placeOf(endpoint), endpoint]));
  const kept = next.map((endpoint) => {
    const candidate = known.get(placeOf(endpoint));
    return candidate !== undefined && isSameEndpoint(candidate, endpoint) ? candidate : endpoint;
  });
  const isSame = kept.length === previous.length && kept.every((endpoint, index) => endpoint === previous[index]);
  return isSame ? previous : kept;
}

function placeOf({ address, port, portName }: Endpoint): string {
  return `${port} ${portName} ${address}`;
}

function isSameEndpoint(first: Endpoint, second: Endpoint): boolean {
  return (
    first.address === second.address &&
    first.port === second.port &&
    first.portName === second.portName &&
    first.health === second.health &&
    first.locality === second.locality &&
    first.network === second.network &&
    first.weight === second.weight &&
    first.serviceAccount === second.serviceAccount &&
    first.tlsMode === second.tlsMode &&
    first.workloadName === second.workloadName &&
    first.namespace === second.namespace &&
    first.hostname === second.hostname &&
    (first.labels === second.labels || isDeepStrictEqual(first.labels, second.labels))
  );
}
