import type { Proxy } from './proxy.js';

/** The state of one resource type at one connected proxy, for debug pages, tracking and status. */
export interface WatchSnapshot {
  readonly typeUrl: string;
  /** Requested names; empty for all. */
  readonly resourceNames: readonly string[];
  /** Empty before the first response. */
  readonly sentNonce: string;
  readonly ackedNonce: string;
  readonly sentVersion: string;
  readonly ackedVersion: string;
  /** Config version of the newest configuration that the proxy has, whether it was sent or proved unchanged. */
  readonly ackedConfigVersion: string;
  /** Text of the last rejection; absent after the next acknowledgement. */
  readonly rejection?: { readonly code: string; readonly message: string; readonly nonce: string };
  readonly sentAt?: Date;
}

/** One proxy connected to this instance. */
export interface ProxyConnection {
  /** `<node id>-<counter>` */
  readonly id: string;
  readonly proxy: Proxy;
  readonly peer: string;
  readonly connectedAt: Date;
  readonly watches: ReadonlyMap<string, WatchSnapshot>;
}
