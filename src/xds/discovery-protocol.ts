import type { ResourceDiff, ResourceSet } from '../envoy/resource-set.js';
import type { ComposedResponse } from '../push/response-cache.js';
import type { Work } from '../push/work.js';
import type { AfterDoubt } from './held-resources.js';
import type { ResourceProvider } from './resource-provider.js';
import type { SessionEnvironment } from './session-environment.js';
import type { Subscriptions } from './subscriptions.js';
import type { PendingPush, WatchedResource } from './watched-resource.js';

/** A response of one type, ready to be written. */
export interface NextResponse {
  readonly response: ComposedResponse;
  /** The resources that the proxy has once it accepts the response. */
  readonly set: ResourceSet;
  /** Ledger version of the configuration that the response is made from. */
  readonly configVersion: string;
  /** The resources that the response changes at the proxy. Default: the difference to the set that was sent before. */
  readonly changes?: ResourceDiff;
  /** Called when the response is handed to the transport. A response that was made too late is never sent. */
  onSent?(): void;
}

/**
 * How the messages of one stream are read and made: the variant of xDS. A protocol changes the subscriptions of its
 * stream; the connection identifies the proxy, sends the responses and ends the stream.
 */
export interface DiscoveryProtocol {
  /**
   * Reads a request and does what it asks for, with pauses.
   *
   * @returns how many requests it counts as: 1, and more if it has many new names
   * @throws StreamError if the request ends the stream
   */
  receive(message: Buffer): Work<number>;
  /**
   * Handles a request that only acknowledges the newest response of a type, at once: most requests do no more.
   *
   * @returns whether it is such a request
   */
  acknowledge?(message: Buffer): boolean;
  /**
   * Makes the next response of a type, with pauses. Undefined if the proxy needs none. The response belongs to the
   * state at the first step.
   *
   * @param pending `always` for a proxy that asked, `ifChanged` after a push
   */
  nextResponse(watched: WatchedResource, pending: PendingPush): Work<NextResponse | undefined>;
  /**
   * Whether a type has to wait for others that this stream does not have. Default: the order of the stream alone counts.
   */
  waits?(watched: WatchedResource): boolean;
  /** Types whose removals wait until the other types of a push are sent. Default: none. */
  readonly lastOfPush?: readonly string[];
}

/** A variant of xDS. */
export interface ProtocolVariant {
  create(connection: ProtocolConnection): DiscoveryProtocol;
  /** Whether it is delta. Default false. */
  readonly isDelta?: boolean;
  /** Default: as in state of the world. */
  readonly afterDoubt?: AfterDoubt;
}

/** The fields of a request that every protocol has. */
export interface RequestHead {
  /** Encoded envoy.config.core.v3.Node; at least the first request of a stream has one. */
  readonly node: Uint8Array | undefined;
  /** May be empty on the stream of a per-type service. */
  readonly typeUrl: string;
}

/** An answer of the proxy that rejects a response. */
export interface Rejection {
  readonly nonce: string;
  /** A gRPC status code. */
  readonly code: number;
  readonly message: string;
}

/** The connection as its protocol sees it. */
export interface ProtocolConnection {
  readonly environment: Pick<SessionEnvironment, 'limits' | 'metrics' | 'nameSets' | 'delta'>;
  readonly subscriptions: Subscriptions;
  isEnded(): boolean;
  /**
   * Identifies the proxy if this is its first request, and finds the provider of the requested type.
   *
   * @returns undefined if the type is not served; the request is then ignored
   * @throws StreamError
   */
  open(head: RequestHead): ResourceProvider | undefined;
  /** Counts and logs a rejection, and records it. @returns whether it rejects the newest response, for the first time */
  reject(watched: WatchedResource, rejection: Rejection): boolean;
  /** Records that the proxy accepted the newest response. */
  acknowledge(watched: WatchedResource, nonce: string, version: string): void;
  /** Counts and logs names of a request that the subscription has no place for (NAV_XDS_MAX_NAMES). */
  beyondNames(typeUrl: string, number: number): void;
  /** The proxy answered, or changed a subscription: sends what is pending. */
  proceed(): void;
}
