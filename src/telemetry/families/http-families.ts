import { counter } from './family.js';

/** Families of the HTTP and HTTPS listeners. */
export const httpFamilies = {
  nav_http_refused_total: counter(
    'HTTP connections and requests that a limit ended, by listener and limit.',
    'listener',
    'reason',
  ),
} as const;
