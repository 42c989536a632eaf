import { isDnsLabel, isHost } from '../primitives.js';
import type { Violation } from '../violation.js';
import type { DestinationSpec } from './virtual-service-destination.js';

export function* validateDestination(path: string, { host, subset, port }: DestinationSpec): Iterable<Violation> {
  if (!isHost(host)) {
    yield {
      path: `${path}.host`,
      value: host,
      message: 'is not the host of a service',
      remedy: 'use the DNS name of a service of the mesh, such as web.shop.svc.cluster.local',
    };
  }
  if (subset !== undefined && subset !== '' && !isDnsLabel(subset)) {
    yield {
      path: `${path}.subset`,
      value: subset,
      message: 'is not the name of a subset',
      remedy: 'use at most 63 letters, digits and hyphens',
    };
  }
  if (port !== undefined && port.number === undefined) {
    yield { path: `${path}.port`, value: port, message: 'names no port', remedy: 'set number, or remove port' };
  }
}

/** The weights of several destinations sum to 100; a single one gets everything. */
export function* validateWeights(
  path: string,
  destinations: readonly { readonly weight?: number | undefined }[],
): Iterable<Violation> {
  if (destinations.length < 2) return;
  const sum = destinations.reduce((total, { weight = 0 }) => total + weight, 0);
  if (sum === 100) return;
  yield {
    path,
    value: destinations,
    message: `has weights that sum to ${sum}`,
    remedy: 'give each destination a weight so that the sum is 100',
  };
}
