import type { TurnOwner } from './waiting-targets.js';

/** Proxies that have proven an identity, and those that have not: neither can take the slots of the other. */
export type PushLane = 'authenticated' | 'plaintext';

/** Whose share of the push throttle a stream uses. */
export interface PushShare extends TurnOwner {
  readonly lane: PushLane;
  /** Authenticated: the identity. Plaintext: the address, behind which there may be a whole mesh. */
  readonly peer: string;
  /** Authenticated: the identity's node. Plaintext: the connection, of which each sidecar has its own. */
  readonly source: string;
}
