import type { RequestScript } from './request-script.js';

/** Commands to a process of connections. */
export type ConnectionCommand =
  /** Connect more sidecars, at most `atOnce` of them until each has everything. */
  | {
      readonly kind: 'open';
      readonly target: string;
      readonly script: RequestScript;
      /** Encoded Nodes. */
      readonly nodes: readonly Uint8Array[];
      readonly atOnce: number;
    }
  /** Wait for a message with this text on each connection. */
  | { readonly kind: 'expect'; readonly marker: string };

/** How far the connections of one process are; sent regularly, and as the answer to `expect`. */
export interface ConnectionReport {
  /** Sidecars that have everything. */
  readonly synced: number;
  /** Connections that the server refused or ended. */
  readonly turnedAway: number;
  /** How the first of these ended. */
  readonly firstReason: string;
  /** The marker that the times are of; empty before the first. */
  readonly marker: string;
  /** When each sidecar had the marker, on the monotonic clock. */
  readonly changedAtMs: Float64Array;
}
