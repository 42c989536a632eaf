import type { PushReason } from '../model/push-request.js';

/** What the push and xDS rooms count (docs/reference/metrics.md#pushes-and-xds); times are in seconds. */
export interface PushMetrics {
  /** A change was taken from the debouncer; one call per merged reason. */
  triggered(reason: PushReason): void;
  /** The next snapshot could not be built; that push is dropped. */
  contextError(): void;
  /** A proxy's turn came this long after the change that put it in the queue. */
  queued(seconds: number): void;
  /** A full push reached a proxy this long after the change. */
  converged(seconds: number): void;
  /** One response of the type was built and handed over. */
  pushed(type: string, seconds: number): void;
  sendFailed(type: string): void;
  /** A response was not taken within 5 seconds. */
  writeTimedOut(): void;
  rejected(type: string, node: string, code: string): void;
  nonceExpired(type: string): void;
  /** A response of the type was sent though the proxy had not answered the one before in time. */
  unacknowledged(type: string): void;
  connected(nodeId: string, meshVersion: string): void;
  disconnected(nodeId: string, meshVersion: string): void;
  internalError(): void;
  /** A peer met a limit of the discovery server. */
  limitMet(limit: string): void;
}
