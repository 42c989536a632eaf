import type { HeaderChanges, HttpAction, Percent } from './http-action.js';
import type { HttpMatch, StringMatch } from './http-match.js';

/** Faults that a route injects. */
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
  /** Time for which a browser may cache the answer; absent for its default. */
  readonly maxAgeMs?: number;
  readonly allowsCredentials?: boolean;
}

/** One route of a virtual host. The first route that matches a request applies. */
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
