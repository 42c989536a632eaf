import type { HashKey } from './cluster-policy.js';
import type { Destination } from './destination.js';

/** A destination and its share of the requests. */
export interface WeightedDestination extends Destination {
  /** Relative to the sum over all destinations of the route; more than 0 for at least one of them. */
  readonly weight: number;
  readonly headers?: HeaderChanges;
}

/** Retries of a request. */
export interface RetryPolicy {
  /** Envoy's names of conditions, for example `connect-failure`. */
  readonly conditions: readonly string[];
  /** Beside the first attempt. */
  readonly attempts: number;
  /** For `retriable-status-codes`. */
  readonly statusCodes?: readonly number[];
  /** 0 for the timeout of the whole request. */
  readonly perTryTimeoutMs?: number;
  /** Number of attempts to choose an endpoint that has not failed yet; absent: any endpoint may be chosen again. */
  readonly otherHostAttempts?: number;
  /** Present if retries prefer endpoints of priorities that were not tried yet. */
  readonly remoteLocalities?: true;
}

/** A share of requests, 0 to 100 percent. */
export type Percent = number;

/** Copies of requests, whose responses are dropped. */
export interface Mirror {
  readonly destination: Destination;
  readonly percent: Percent;
}

/** Changes of the request before it reaches the destination. */
export interface Rewrite {
  /** Replaces the matched prefix, or the whole path of other matches. */
  readonly path?: string;
  /** Replaces the whole path, of every match. */
  readonly wholePath?: string;
  /** Replaces the matched segments, or goes before every path of a match of all paths. Does not end with a slash. */
  readonly segments?: string;
  readonly authority?: string;
}

/** Sends the request on. */
export interface Forward {
  readonly type: 'forward';
  /** At least one. */
  readonly destinations: readonly WeightedDestination[];
  /** For the whole request, 0 for none. */
  readonly timeoutMs: number;
  readonly retries?: RetryPolicy;
  readonly mirrors?: readonly Mirror[];
  readonly rewrite?: Rewrite;
  /** The part of the request that decides which endpoint gets it; absent for any endpoint. */
  readonly hashKey?: HashKey;
  /** The answer to requests for a destination that has no cluster. Default: 503. */
  readonly statusWithoutCluster?: 500;
}

/** Passes the request on to the original destination of its connection. */
export interface PassThrough {
  readonly type: 'passThrough';
  readonly retries?: RetryPolicy;
}

/** Redirects the caller. Absent fields stay as they are in the request. */
export interface Redirect {
  readonly type: 'redirect';
  readonly status: 301 | 302 | 303 | 307 | 308;
  readonly path?: string;
  /** Replaces the matched segments, as in a `Rewrite`. */
  readonly segments?: string;
  readonly authority?: string;
  /** Absent: that of the request, without a port if the authority has none. */
  readonly port?: number;
  readonly scheme?: 'http' | 'https';
}

/** Responds without a destination. */
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
