import type { HeaderChanges, HttpAction, Percent } from './http-action.js';
import type { HttpMatch, StringMatch } from './http-match.js';

/** Faults that a route makes on purpose. */
export interface Fault {
  readonly delay?: { readonly delayMs: number; readonly percent: Percent };
  readonly abort?: {
    readonly status: { readonly type: 'http' | 'grpc'; readonly code: number };
    readonly percent: Percent;
  };
}

/** Cross-origin requests that browsers may make (Fetch standard, "CORS protocol"). */
export interface CorsPolicy {
  readonly origins: readonly StringMatch[];
  readonly methods: readonly string[];
  readonly requestHeaders: readonly string[];
  readonly exposedHeaders: readonly string[];
  /** How long a browser may keep the answer; absent for its own default. */
  readonly maxAgeMs?: number;
  readonly allowsCredentials?: boolean;
}

/** One route of a virtual host: the first one whose match fits a request decides about it. */
export interface HttpRoute {
  readonly name: string;
  readonly match: HttpMatch;
  readonly action: HttpAction;
  readonly headers?: HeaderChanges;
  readonly fault?: Fault;
  readonly cors?: CorsPolicy;
  /** Name of the span in traces; absent for none of its own. */
  readonly operation?: string;
}

/** The routes of requests to some hosts, in the order in which they are tried. */
export interface VirtualHost {
  readonly name: string;
  readonly routes: readonly HttpRoute[];
}
