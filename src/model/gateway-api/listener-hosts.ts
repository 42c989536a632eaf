import { coversHost } from '../../config/networking/host-names.js';
import type { ApiListener } from './listeners.js';
import type { DraftHost, DraftVirtualHost, RouteDraft } from './route-draft.js';
import { compareMatches } from './rules/precedence.js';

/** The routes of each host of a listener: lists of routes, those of the oldest object first. */
export type HostParts = ReadonlyMap<string, readonly (readonly RouteDraft[])[]>;

/**
 * Whether requests for a host belong to a listener: no listener of the same port has a narrower hostname that covers the
 * host. Each request is for the routes of one listener only.
 */
export function ownsHost(listener: ApiListener, host: string, others: readonly ApiListener[]): boolean {
  return !others.some(
    (other) =>
      isAtSamePort(listener, other) &&
      other.hostname !== listener.hostname &&
      coversHost(listener.hostname, other.hostname) &&
      coversHost(other.hostname, host),
  );
}

/** Whether a wider listener of the port would take the requests of the listener where no route is for them. */
export function isWithinOther(listener: ApiListener, others: readonly ApiListener[]): boolean {
  return others.some(
    (other) =>
      isAtSamePort(listener, other) &&
      other.hostname !== listener.hostname &&
      coversHost(other.hostname, listener.hostname),
  );
}

function isAtSamePort(first: ApiListener, second: ApiListener): boolean {
  return first !== second && first.spec.port === second.spec.port && second.isServed;
}

interface KnownHost {
  readonly parts: readonly (readonly RouteDraft[])[];
  readonly virtualHost: DraftVirtualHost;
}

/** Makes virtual hosts; one whose parts are those of the last call is the same object again. */
export class HostMerger {
  #known = new Map<string, KnownHost>();
  #next = new Map<string, KnownHost>();

  /** Ends a snapshot: hosts that were not asked for since the last call are forgotten. */
  commit(): void {
    this.#known = this.#next;
    this.#next = new Map();
  }

  /** @param place of the listener */
  merge(place: string, port: number, hosts: HostParts): readonly DraftHost[] {
    return Array.from(hosts, ([hostname, parts]) => {
      const key = `${place}|${hostname}`;
      const known = this.#known.get(key);
      const isSame = known?.parts.length === parts.length && parts.every((part, index) => part === known.parts[index]);
      const entry =
        known !== undefined && isSame ? known : { parts, virtualHost: mergeHost(`${hostname}:${port}`, parts) };
      this.#next.set(key, entry);
      return { hostname, virtualHost: entry.virtualHost };
    });
  }
}

function mergeHost(name: string, parts: readonly (readonly RouteDraft[])[]): DraftVirtualHost {
  // Sorting keeps the order of equal matches.
  return { name, routes: parts.flat().sort((first, second) => compareMatches(first.route.match, second.route.match)) };
}
