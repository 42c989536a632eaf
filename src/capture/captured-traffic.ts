import type { AddressRange, Selection } from '../config/injection/captured-traffic.js';

/** What of a pod's TCP traffic goes through the proxy beside it. */
export interface CapturedTraffic {
  readonly includeInboundPorts: Selection<number>;
  /** Stay with whoever listens, also where all ports are included. */
  readonly excludeInboundPorts: readonly number[];
  readonly includeOutboundIpRanges: Selection<AddressRange>;
  readonly excludeOutboundIpRanges: readonly AddressRange[];
  readonly excludeOutboundPorts: readonly number[];
  /** Where the proxy takes what comes in. */
  readonly inboundPort: number;
  /** Where the proxy takes what the application sends. */
  readonly outboundPort: number;
  /** The proxy's own connections are not captured; it is known by its user. */
  readonly proxyUid: number;
}
