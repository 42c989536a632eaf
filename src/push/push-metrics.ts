import type { PushReason } from '../model/push-request.js';

/** The events that the push and xds rooms count (docs/reference/metrics.md#pushes-and-xds). Times are in seconds. */
export interface PushMetrics {
  /** A change was taken from the debouncer; one call per merged reason. */
  triggered(reason: PushReason): void;
  /** The next snapshot could not be built; that push is dropped. */
  contextError(): void;
  /** Time from a change to the push of a proxy that it concerns. */
  queued(seconds: number): void;
  /** Time from a change to the end of a full push of a proxy. */
  converged(seconds: number): void;
  /** One response of the type was built and handed over. */
  pushed(type: string, seconds: number): void;
  sendFailed(type: string): void;
  /** A proxy did not read a response within 5 seconds. */
  writeTimedOut(): void;
  rejected(type: string, node: string, code: string): void;
  nonceExpired(type: string): void;
  /** A response of the type was sent though the proxy had not answered the one before in time. */
  unacknowledged(type: string): void;
  /** Patches of EnvoyFilters were withheld from a proxy that rejected resources of the type with them. */
  patchesWithheld(type: string, count: number): void;
  connected(nodeId: string, meshVersion: string): void;
  disconnected(nodeId: string, meshVersion: string): void;
  internalError(): void;
  /** A peer met a limit of the discovery server. */
  limitMet(limit: string): void;
}
