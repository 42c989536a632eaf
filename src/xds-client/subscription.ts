import { createBackoff } from '../base/backoff.js';
import type { Clock } from '../base/clock.js';
import { errorText } from '../base/error-text.js';
import type { AdsStream, OpenAdsStream } from './ads-stream.js';
import { type DiscoveryResponse, decodeDiscoveryResponse, encodeDiscoveryRequest } from './discovery-messages.js';

const FIRST_RECONNECT_MS = 250;
const MAX_RECONNECT_MS = 15_000;

/** The parts of every subscription. */
export interface SubscriptionEnvironment {
  readonly openStream: OpenAdsStream;
  /** Encoded node of this process, at the time of each connection. */
  readonly node: () => Buffer;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** The resources of a subscription, and its callbacks. */
export interface SubscriptionOwner {
  readonly typeUrl: string;
  /** Names of the resources; undefined for all resources of the type. */
  readonly names?: readonly string[];
  /**
   * Puts a response in force; the subscription then acknowledges it. Called for responses of this type only, and for
   * one at a time: a response that arrives before a promise settles waits, and replaces one that waits.
   *
   * @throws if the response cannot be accepted as a whole; it is then rejected with the text that `refused` returns
   */
  take(response: DiscoveryResponse): void | Promise<void>;
  /** Describes a rejection; the result is sent to the server. */
  refused(error: unknown): string;
  /** Called at the first message of a connection. */
  connected(): void;
  disconnected(outage: Outage): void;
  /** The version in force, which a new stream sends; empty for none. */
  version(): string;
}

/** Called when a connection has ended or failed, with the time until the next attempt. */
export interface Outage {
  readonly reason: string;
  /** Attempts since the last message, from 1. */
  readonly failures: number;
  readonly retryInMs: number;
}

/** One type of resources, kept up to date by a discovery server. */
export interface Subscription {
  start(): void;
  /** Opens the stream again, because the node has changed. */
  renew(): void;
  stop(): void;
}

/**
 * Subscribes to one type, state of the world, on its own stream. Reopens the stream whenever it ends, with waits that
 * double and have jitter.
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
  let isTaking = false;
  /** The last response that came since the owner began to take another. */
  let waiting: DiscoveryResponse | undefined;

  const left = (): void => {
    stream = undefined;
    isConnected = false;
    waiting = undefined;
  };

  const request = (fields: { readonly nonce: string; readonly node?: Buffer; readonly error?: string }): void => {
    stream?.send(encodeDiscoveryRequest({ typeUrl, version: owner.version(), ...(names && { names }), ...fields }));
  };

  const received = (bytes: Buffer): void => {
    let response: DiscoveryResponse;
    try {
      response = decodeDiscoveryResponse(bytes);
    } catch (error) {
      stream?.close();
      ended(`the server sent bytes that are no response: ${errorText(error)}`);
      return;
    }
    failures = 0;
    backoff.reset();
    if (!isConnected) {
      isConnected = true;
      owner.connected();
    }
    if (response.typeUrl !== typeUrl) return;
    if (isTaking) waiting = response;
    else take(response);
  };

  const take = (response: DiscoveryResponse): void => {
    const { nonce } = response;
    const of = stream;
    // A nonce means nothing to a later stream, which is told the version in force.
    const answer = (error?: string): void => {
      if (stream === of) request({ nonce, ...(error !== undefined && { error }) });
    };
    const refuse = (error: unknown): void => answer(owner.refused(error));
    try {
      const taken = owner.take(response);
      if (taken instanceof Promise) {
        isTaking = true;
        void taken.then(() => answer(), refuse).finally(takeNext);
      } else {
        answer();
      }
    } catch (error) {
      refuse(error);
    }
  };

  const takeNext = (): void => {
    isTaking = false;
    const next = waiting;
    waiting = undefined;
    if (next !== undefined) take(next);
  };

  const ended = (reason: string): void => {
    left();
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
    renew: () => {
      if (stream === undefined) return;
      stream.close();
      left();
      connect();
    },
    stop: () => {
      cancelReconnect();
      stream?.close();
      left();
    },
  };
}
