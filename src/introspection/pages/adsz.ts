import { TypeUrl } from '../../envoy/type-urls.js';
import { listOf, recordOf } from '../json-source.js';
import { sortConnections } from '../order.js';
import { json, type Page, type PageParameter, type PageRequest, type Reply, text } from '../page.js';
import type { Views } from '../views.js';
import { debugResources } from './served-resources.js';

const PUSH: PageParameter = { name: 'push', required: false, choice: { type: 'value', value: 'true' } };

/**
 * `push=true` starts a full push with reason `debug` and answers `Pushed to N servers`
 * (docs/reference/http.md#debug-pages). A HEAD request gets the same headers, but starts no push.
 */
export function pushNow(views: Views, request: PageRequest): Reply | undefined {
  if (request.query.get('push') !== 'true') return undefined;
  return text(`Pushed to ${request.safe ? views.connections().length : views.triggerPush()} servers`);
}

/** Array of {node, addr, connect, listeners, RDSRoutes, clusters} (docs/reference/http.md#debug-pages). */
export const adsz: Page = {
  path: '/debug/adsz',
  description:
    'Connected proxies; with their resources if NAV_DEBUG_ADSZ_CONFIG is true; push=true pushes the configuration to all proxies',
  audience: 'operator',
  parameters: [PUSH],
  handle: (views, request) =>
    pushNow(views, request) ??
    json(
      listOf(sortConnections(views.connections()), ({ id, peer, connectedAt }) =>
        recordOf({
          node: id,
          addr: peer,
          connect: connectedAt.toISOString(),
          listeners: debugResources(views, id, TypeUrl.listener),
          RDSRoutes: debugResources(views, id, TypeUrl.route),
          clusters: debugResources(views, id, TypeUrl.cluster),
        }),
      ),
    ),
};
