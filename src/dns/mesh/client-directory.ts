import type { Clock } from '../../base/clock.js';
import { canonicalIpAddress } from '../../base/ip-address.js';
import type { ServiceEndpoints } from '../../model/endpoint.js';
import type { PushContext } from '../../model/push-context.js';
import type { ClientPlace } from './names.js';

/** Finds the namespace and cluster of clients by their addresses. */
export interface ClientDirectory {
  /** Takes the endpoints of a snapshot, at the latest some seconds later. */
  observe(context: PushContext): void;
  placeOf(address: string): ClientPlace;
  stop(): void;
}

const UNKNOWN: ClientPlace = { namespace: '', cluster: undefined };
/** Time between two readings of all endpoints. */
const INTERVAL_MS = 5_000;
/** Endpoints that are read before other work runs. */
const TURN = 2_000;
const NAMESPACE_OF_IDENTITY = /^spiffe:\/\/[^/]+\/ns\/([^/]+)\/sa\//;

/**
 * Reads the addresses of all pods with an identity, in turns. Addresses without an identity do not count: a tenant can
 * claim any address in an object of its namespace. An address that pods of several namespaces have, as on a host's
 * network, counts as unknown.
 */
export function createClientDirectory(clock: Clock): ClientDirectory {
  let places: ReadonlyMap<string, ClientPlace> = new Map();
  let newest: PushContext | undefined;
  let read: PushContext['endpoints'] | undefined;
  let cancel: (() => void) | undefined;

  const readInTurns = (iterator: Iterator<[string, ServiceEndpoints]>, next: Map<string, ClientPlace>): void => {
    let left = TURN;
    while (left > 0) {
      const { value, done } = iterator.next();
      if (done === true) {
        places = next;
        cancel = clock.schedule(INTERVAL_MS, begin);
        return;
      }
      left -= 1 + addPlaces(value[1], next);
    }
    cancel = clock.schedule(0, () => readInTurns(iterator, next));
  };
  function begin(): void {
    cancel = undefined;
    if (newest === undefined || newest.endpoints === read) return;
    read = newest.endpoints;
    readInTurns(read.entries(), new Map());
  }

  return {
    observe: (context) => {
      newest = context;
      if (cancel === undefined) begin();
    },
    placeOf: (address) => places.get(address) ?? UNKNOWN,
    stop: () => cancel?.(),
  };
}

/** @returns the number of endpoints */
function addPlaces({ shards }: ServiceEndpoints, places: Map<string, ClientPlace>): number {
  let count = 0;
  for (const [shard, endpoints] of shards) {
    count += endpoints.length;
    const cluster = shard.slice(shard.indexOf('/') + 1);
    for (const { address, serviceAccount } of endpoints) {
      const namespace = NAMESPACE_OF_IDENTITY.exec(serviceAccount)?.[1];
      const key = namespace === undefined ? undefined : canonicalIpAddress(address);
      if (namespace === undefined || key === undefined) continue;
      const known = places.get(key);
      const isSame = known === undefined || (known.namespace === namespace && known.cluster === cluster);
      if (known === undefined) places.set(key, { namespace, cluster });
      else if (!isSame) places.set(key, UNKNOWN);
    }
  }
  return count;
}
