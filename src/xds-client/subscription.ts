import { createBackoff } from '../base/backoff.js';
import type { Clock } from '../base/clock.js';
import type { AdsStream, OpenAdsStream } from './ads-stream.js';
import { type DiscoveryResponse, decodeDiscoveryResponse, encodeDiscoveryRequest } from './discovery-messages.js';

const FIRST_RECONNECT_MS = 250;
const MAX_RECONNECT_MS = 15_000;

/** What every subscription needs. */
export interface SubscriptionEnvironment {
  readonly openStream: OpenAdsStream;
  /** Encoded node of this process, at the time of each connection. */
  readonly node: () => Buffer;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** What a subscription is for, and what it tells its owner. */
export interface SubscriptionOwner {
  readonly typeUrl: string;
  /** Names of the resources; absent for all of the type. */
  readonly names?: readonly string[];
  /**
   * Puts a response in force; it is acknowledged afterwards. Responses of other types do not come here.
   *
   * @throws when it cannot be taken as a whole: then it is rejected with what `refused` returns
   */
  take(response: DiscoveryResponse): void;
  /** Says why a response could not be taken; the result goes to the server. */
  refused(error: unknown): string;
  /** The first message of a connection came. */
  connected(): void;
  disconnected(outage: Outage): void;
  /** The version that is in force, which a new stream tells; empty for none. */
  version(): string;
}

/** Why there is no connection, and when the next one is tried. */
export interface Outage {
  readonly reason: string;
  /** Attempts since the last message that came, from 1. */
  readonly failures: number;
  readonly retryInMs: number;
}

/** One type of resources, kept up to date by a discovery server. */
export interface Subscription {
  start(): void;
  stop(): void;
}

/**
 * Subscribes to one type, state of the world, on a stream of its own. When the stream ends it is opened again, for ever,
 * with waits that double and have jitter.
 */
export function createSubscription(
  { openStream, node, clock, random }: SubscriptionEnvironment,
  owner: SubscriptionOwner,
): Subscription {
  const { typeUrl, names } = owner;
  let stream: AdsStream | undefined;
  let isConnected = false;
  let isStarted = false;
  const backoff = createBackoff({ initialMs: FIRST_RECONNECT_MS, maxMs: MAX_RECONNECT_MS, random });
  let failures = 0;
  let cancelReconnect = (): void => {};

  const request = (fields: { readonly nonce: string; readonly node?: Buffer; readonly error?: string }): void => {
    stream?.send(encodeDiscoveryRequest({ typeUrl, version: owner.version(), ...(names && { names }), ...fields }));
  };

  const received = (bytes: Buffer): void => {
    let response: DiscoveryResponse;
    try {
      response = decodeDiscoveryResponse(bytes);
    } catch (error) {
      stream?.close();
      ended(`the server sent bytes that are no response: ${error instanceof Error ? error.message : String(error)}`);
      return;
    }
    failures = 0;
    backoff.reset();
    if (!isConnected) {
      isConnected = true;
      owner.connected();
    }
    if (response.typeUrl !== typeUrl) return;
    const { nonce } = response;
    try {
      owner.take(response);
    } catch (error) {
      request({ nonce, error: owner.refused(error) });
      return;
    }
    request({ nonce });
  };

  const ended = (reason: string): void => {
    stream = undefined;
    isConnected = false;
    failures++;
    const delayMs = backoff.nextMs();
    cancelReconnect = clock.schedule(delayMs, connect);
    owner.disconnected({ reason, failures, retryInMs: Math.round(delayMs) });
  };

  const connect = (): void => {
    stream = openStream({ received, ended });
    request({ nonce: '', node: node() });
  };

  return {
    start: () => {
      if (isStarted) return;
      isStarted = true;
      connect();
    },
    stop: () => {
      cancelReconnect();
      stream?.close();
      stream = undefined;
      isConnected = false;
    },
  };
}
