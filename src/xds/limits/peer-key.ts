import { formatSpiffeId, type WorkloadIdentity } from '../../model/spiffe-id.js';
import type { PeerKey } from './peers.js';

/**
 * Who a stream's peer is. A plaintext peer is an address: a port costs nothing, and a whole mesh may share one address,
 * so that limits of a peer have to be wide.
 *
 * @param peer `host:port` of the connection
 * @param identities proven by the caller; undefined where nothing is proven
 */
export function peerKeyOf(peer: string, identities: readonly WorkloadIdentity[] | undefined): PeerKey {
  if (identities === undefined) return { lane: 'plaintext', name: addressOf(peer), connection: peer };
  return { lane: 'authenticated', name: identities.map(formatSpiffeId).sort().join(), connection: peer };
}

/** The address of `host:port`. */
export function addressOf(peer: string): string {
  return peer.replace(/:\d+$/, '');
}
