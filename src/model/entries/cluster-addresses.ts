import type { AddressRange } from '../../base/address-range.js';
import { addressText, parseAddressRange } from '../../base/address-range.js';
import type { ClusterAddress } from './entry-guard.js';

interface Owner {
  readonly namespace: string;
  readonly service: string;
}

/** The cluster IPs of all Services, searchable by range. */
export class ClusterAddresses {
  /** By address, then by owner: Services of several clusters can share an address. */
  readonly #owners = new Map<string, Map<string, Owner>>();
  readonly #bySource = new Map<string, readonly string[]>();
  /** Undefined until it is sorted again. */
  #sorted: readonly string[] | undefined;

  /**
   * @param source names the Service and its cluster
   * @returns the addresses that were added or removed
   */
  set(source: string, owner: Owner, addresses: readonly string[]): readonly string[] {
    const next = addresses.flatMap((address) => parseAddressRange(address)?.first ?? []).sort();
    const previous = this.#bySource.get(source) ?? [];
    if (next.length === previous.length && next.every((address, index) => address === previous[index])) return [];
    for (const address of previous) this.#remove(address, source);
    for (const address of next) this.#add(address, source, owner);
    if (next.length === 0) this.#bySource.delete(source);
    else this.#bySource.set(source, next);
    return [...new Set([...previous, ...next])];
  }

  /**
   * An address in the range whose Service is in another namespace; costs O(log n) and the Services of the own namespace
   * in the range.
   */
  foreignIn({ first, last }: AddressRange, namespace: string): ClusterAddress | undefined {
    this.#sorted ??= [...this.#owners.keys()].sort();
    for (let index = lowerBound(this.#sorted, first); index < this.#sorted.length; index++) {
      const address = this.#sorted[index] as string;
      if (address > last) return undefined;
      for (const owner of this.#owners.get(address)?.values() ?? []) {
        if (owner.namespace !== namespace) return { address: addressText(address), ...owner };
      }
    }
    return undefined;
  }

  #add(address: string, source: string, owner: Owner): void {
    const owners = this.#owners.get(address);
    if (owners !== undefined) {
      owners.set(source, owner);
      return;
    }
    this.#owners.set(address, new Map([[source, owner]]));
    this.#sorted = undefined;
  }

  #remove(address: string, source: string): void {
    const owners = this.#owners.get(address);
    owners?.delete(source);
    if (owners?.size !== 0) return;
    this.#owners.delete(address);
    this.#sorted = undefined;
  }
}

function lowerBound(sorted: readonly string[], key: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
