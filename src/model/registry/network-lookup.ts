import ipaddr from 'ipaddr.js';
import type { MeshNetworks } from '../../config/mesh/mesh-networks.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The network of an address, or the empty string when the mesh networks say nothing of it. */
export type NetworkLookup = (address: string) => string;

interface Range {
  readonly base: Address;
  readonly bits: number;
  readonly network: string;
}

/**
 * Reads the mesh networks for one cluster (BEHAVIOUR 8, "Mesh networks"). The narrowest CIDR that holds the
 * address decides; else the network that the cluster's registry is on.
 */
export function createNetworkLookup(networks: MeshNetworks, cluster: string): NetworkLookup {
  const ranges: Range[] = [];
  let ofRegistry = '';
  for (const [network, { endpoints }] of networks.networks) {
    for (const item of endpoints) {
      if ('fromRegistry' in item) {
        if (item.fromRegistry === cluster && ofRegistry === '') ofRegistry = network;
      } else if (ipaddr.isValidCIDR(item.fromCidr)) {
        const [base, bits] = ipaddr.parseCIDR(item.fromCidr);
        ranges.push({ base, bits, network });
      }
    }
  }
  if (ranges.length === 0) return () => ofRegistry;
  ranges.sort((first, second) => second.bits - first.bits);
  return (text) => {
    if (!ipaddr.isValid(text)) return ofRegistry;
    const address = ipaddr.process(text);
    return ranges.find((range) => holds(range, address))?.network ?? ofRegistry;
  };
}

function holds({ base, bits }: Range, address: Address): boolean {
  return base.kind() === address.kind() && address.match(base, bits);
}
