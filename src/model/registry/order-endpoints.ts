import type { Endpoint } from '../endpoint.js';

/** By address, port and port name: the order of every endpoint list, whatever order the objects came in. */
function compareEndpoints(first: Endpoint, second: Endpoint): number {
  if (first.address !== second.address) return first.address < second.address ? -1 : 1;
  if (first.port !== second.port) return first.port - second.port;
  if (first.portName === second.portName) return 0;
  return first.portName < second.portName ? -1 : 1;
}

/** Sorted, and one of each: while endpoints move between slices, the same one may be in two of them. */
export function orderEndpoints(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  return endpoints
    .toSorted(compareEndpoints)
    .filter(
      (endpoint, index, sorted) => index === 0 || compareEndpoints(sorted[index - 1] as Endpoint, endpoint) !== 0,
    );
}
