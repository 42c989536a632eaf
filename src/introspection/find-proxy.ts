import type { ProxyConnection } from '../model/proxy-connection.js';
import { HttpProblem } from './http-problem.js';
import type { PageParameter } from './page.js';
import type { Views } from './views.js';

export const PROXY_ID: PageParameter = { name: 'proxyID', required: true, choice: { type: 'proxy' } };

/**
 * Finds the connection whose ID contains `proxyID` (docs/reference/http.md#debug-pages). If several match, an exact ID
 * has precedence, then the newest connection: after a reconnect, the old connection may still be there.
 *
 * @throws HttpProblem 400 without proxyID, 404 if no connection matches.
 */
export function findProxy(views: Views, query: URLSearchParams): ProxyConnection {
  const wanted = query.get('proxyID') ?? '';
  if (wanted === '') throw new HttpProblem(400, 'You must provide a proxyID in the query string');
  let found: ProxyConnection | undefined;
  for (const connection of views.connections()) {
    if (connection.id === wanted) return connection;
    if (connection.id.includes(wanted) && (found === undefined || connection.connectedAt >= found.connectedAt)) {
      found = connection;
    }
  }
  if (found === undefined) {
    throw new HttpProblem(
      404,
      'Proxy not connected to this discovery instance. It may be connected to another instance.',
    );
  }
  return found;
}
