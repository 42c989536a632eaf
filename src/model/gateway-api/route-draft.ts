import type { HttpRoute } from '../traffic/http-route.js';

/** A route before the settings that depend on the proxy: default timeouts, and hash keys of DestinationRules. */
export interface RouteDraft {
  readonly route: HttpRoute;
  /** Whether the rule sets a timeout. */
  readonly hasTimeout: boolean;
}

/** A virtual host of a listener. The same object while it stays the same. */
export interface DraftVirtualHost {
  readonly name: string;
  /** In the order in which they are tried. */
  readonly routes: readonly RouteDraft[];
}

export interface DraftHost {
  /** In lower case; the first label may be `*`, and `*` alone is every host. */
  readonly hostname: string;
  readonly virtualHost: DraftVirtualHost;
}
