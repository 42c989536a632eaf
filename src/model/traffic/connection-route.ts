import type { Destination } from './destination.js';

/** The connections that a filter chain takes: all of these conditions hold. Absent conditions hold for all connections. */
export interface ConnectionMatch {
  /** Port that the connection was going to. */
  readonly port?: number;
  /** CIDRs of the address that the connection was going to. */
  readonly destinationRanges?: readonly string[];
  /** CIDRs of the caller's address. */
  readonly sourceRanges?: readonly string[];
  /** Server names (SNI) of TLS connections; the first label may be `*`. */
  readonly serverNames?: readonly string[];
}

/** A destination and its share of the connections. */
export interface WeightedConnection extends Destination {
  /** Relative to the sum over all destinations of the route; more than 0. */
  readonly weight: number;
}

/** Passes the bytes of a connection on. */
export interface ForwardConnection {
  readonly type: 'forward';
  /** At least one. */
  readonly destinations: readonly WeightedConnection[];
  /** Whether connections of one caller's address go to the same endpoint (consistent hash). */
  readonly hashesSourceAddress: boolean;
}

/** What a proxy does with connections that it does not serve as HTTP. */
export type ConnectionAction =
  | ForwardConnection
  /** Passes the connection on to the address that it had before the proxy captured it. */
  | { readonly type: 'passThrough' }
  | { readonly type: 'close' };

/** Connections, and where they go. The first of several routes whose condition holds applies. */
export interface ConnectionRoute {
  readonly match: ConnectionMatch;
  readonly action: ForwardConnection;
}
