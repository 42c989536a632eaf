import type { HashKey } from './cluster-policy.js';
import type { Destination } from './destination.js';

/** A destination and its share of the requests. */
export interface WeightedDestination extends Destination {
  /** Relative to the sum over all destinations of the route; more than 0 for at least one of them. */
  readonly weight: number;
  readonly headers?: HeaderChanges;
}

/** When and how often a request is sent again. */
export interface RetryPolicy {
  /** Envoy's names of conditions, for example `connect-failure`. */
  readonly conditions: readonly string[];
  /** Beside the first attempt. */
  readonly attempts: number;
  /** For `retriable-status-codes`. */
  readonly statusCodes?: readonly number[];
  /** 0 for the timeout of the whole request. */
  readonly perTryTimeoutMs?: number;
  /** How often another endpoint is chosen when the chosen one has failed already; absent where it does not matter. */
  readonly otherHostAttempts?: number;
}

/** A share of requests, 0 to 100 percent. */
export type Percent = number;

/** Copies of requests, whose answers are dropped. */
export interface Mirror {
  readonly destination: Destination;
  readonly percent: Percent;
}

/** What the destination sees instead of what the caller sent. */
export interface Rewrite {
  /** Replaces the matched prefix, or the whole path of other matches. */
  readonly path?: string;
  readonly authority?: string;
}

/** Sends the request on. */
export interface Forward {
  readonly type: 'forward';
  /** At least one. */
  readonly destinations: readonly WeightedDestination[];
  /** For the whole request, 0 for none; also the most that a caller's `grpc-timeout` may ask for. */
  readonly timeoutMs: number;
  readonly retries?: RetryPolicy;
  readonly mirrors?: readonly Mirror[];
  readonly rewrite?: Rewrite;
  /** What the endpoint is chosen by; absent for any endpoint. */
  readonly hashKey?: HashKey;
}

/** Sends the request where its connection was going before the proxy captured it. */
export interface PassThrough {
  readonly type: 'passThrough';
  readonly retries?: RetryPolicy;
}

/** Asks the caller to come again elsewhere. What is absent stays as it is in the request. */
export interface Redirect {
  readonly type: 'redirect';
  readonly status: 301 | 302 | 303 | 307 | 308;
  readonly path?: string;
  readonly authority?: string;
  readonly scheme?: 'http' | 'https';
}

/** Answers in place of a destination. */
export interface Respond {
  readonly type: 'respond';
  readonly status: number;
  readonly body?: string;
}

export type HttpAction = Forward | PassThrough | Redirect | Respond;

/** Changes of the headers of a message; removals come first. */
export interface HeaderOperations {
  /** Replaces what is there. */
  readonly set?: Readonly<Record<string, string>>;
  /** Beside what is there. */
  readonly add?: Readonly<Record<string, string>>;
  readonly remove?: readonly string[];
}

export interface HeaderChanges {
  readonly request?: HeaderOperations;
  readonly response?: HeaderOperations;
}
