import { type AddressRange, overlaps, parseAddressRange } from '../../base/address-range.js';
import type { MeshNetworks } from '../../config/mesh/mesh-networks.js';

/** The network of an address; empty when the mesh networks do not contain it. */
export type NetworkLookup = (address: string) => string;

/**
 * Reads the mesh networks for one cluster (docs/reference/mesh-config.md#mesh-networks). The narrowest CIDR that
 * contains the address wins; else the network of the registry of the cluster applies.
 */
export function createNetworkLookup(networks: MeshNetworks, cluster: string): NetworkLookup {
  const ranges: { readonly range: AddressRange; readonly network: string }[] = [];
  let ofRegistry = '';
  for (const [network, { endpoints }] of networks.networks) {
    for (const item of endpoints) {
      if ('fromRegistry' in item) {
        if (item.fromRegistry === cluster && ofRegistry === '') ofRegistry = network;
      } else {
        const range = parseAddressRange(item.fromCidr);
        if (range !== undefined) ranges.push({ range, network });
      }
    }
  }
  if (ranges.length === 0) return () => ofRegistry;
  ranges.sort((first, second) => second.range.bits - first.range.bits);
  return (text) => {
    const address = parseAddressRange(text);
    if (address === undefined) return ofRegistry;
    return ranges.find(({ range }) => overlaps(range, address))?.network ?? ofRegistry;
  };
}
