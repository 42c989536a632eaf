import type { HttpRoute } from './http-route.js';

/** The routes of requests to some hosts, in the order in which they are tried. */
export interface VirtualHost {
  readonly name: string;
  readonly routes: readonly HttpRoute[];
}
