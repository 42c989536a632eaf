import type { Cluster } from '../../generated/envoy/config/cluster/v3/Cluster.js';
import type { AddressFamilies } from '../address-families.js';

/**
 * Source addresses of what a sidecar sends to its own workload (BEHAVIOUR 5, "Names"). The capture rules let
 * them through; with any other source the connection would be captured again and come back for ever.
 */
const INBOUND_SOURCE_IPV4 = '127.0.0.6';
const INBOUND_SOURCE_IPV6 = '::6';

/** Binds a cluster's connections to the inbound source of the destination's family. */
export function bindToInboundSource({ ipv4, ipv6 }: AddressFamilies): Pick<Cluster, 'upstreamBindConfig'> {
  const sourceAddress = { address: ipv4 ? INBOUND_SOURCE_IPV4 : INBOUND_SOURCE_IPV6, portValue: 0 };
  if (!ipv4 || !ipv6) return { upstreamBindConfig: { sourceAddress } };
  const other = { address: { address: INBOUND_SOURCE_IPV6, portValue: 0 } };
  return { upstreamBindConfig: { sourceAddress, extraSourceAddresses: [other] } };
}
