import type { Proxy } from './proxy.js';

/** What one connected proxy has of one resource type, for debug pages, tracking and status. */
export interface WatchSnapshot {
  readonly typeUrl: string;
  /** Names asked for; empty means everything. */
  readonly resourceNames: readonly string[];
  /** Empty before the first response. */
  readonly sentNonce: string;
  readonly ackedNonce: string;
  readonly sentVersion: string;
  readonly ackedVersion: string;
  /** Ledger version of the newest configuration that the proxy is known to have, sent or proved unchanged. */
  readonly ackedConfigVersion: string;
  /** Text of the last rejection; absent once something was accepted after it. */
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
