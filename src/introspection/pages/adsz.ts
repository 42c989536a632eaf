import { TypeUrl } from '../../envoy/type-urls.js';
import { listOf, recordOf } from '../json-source.js';
import { sortConnections } from '../order.js';
import { json, type Page, type PageParameter, type PageRequest, type Reply, text } from '../page.js';
import type { Views } from '../views.js';
import { debugResources } from './served-resources.js';

const PUSH: PageParameter = { name: 'push', required: false, choice: { type: 'value', value: 'true' } };

/**
 * `push=true` starts a full push with reason `debug` and answers `Pushed to N servers`. A HEAD request gets the same
 * headers, but starts no push.
 */
export function pushNow(views: Views, request: PageRequest): Reply | undefined {
  if (request.query.get('push') !== 'true') return undefined;
  return text(`Pushed to ${request.safe ? views.connections().length : views.triggerPush()} servers`);
}

/** Array of {node, addr, connect, listeners, RDSRoutes, clusters}. */
export const adsz: Page = {
  path: '/debug/adsz',
  description:
    'Connected proxies; with their resources if NAV_DEBUG_ADSZ_CONFIG is true; push=true pushes the configuration to all proxies',
  audience: 'operator',
  parameters: [PUSH],
  handle: (views, request) =>
    pushNow(views, request) ??
    connectionsJson(views, { listeners: TypeUrl.listener, RDSRoutes: TypeUrl.route, clusters: TypeUrl.cluster }),
};

/** Array of {node, addr, connect, Clusters}. */
export const cdsz: Page = {
  path: '/debug/cdsz',
  description: 'Connected proxies; with their clusters if NAV_DEBUG_ADSZ_CONFIG is true',
  audience: 'operator',
  handle: (views) => connectionsJson(views, { Clusters: TypeUrl.cluster }),
};

/** @param types type URL of the resources in each field */
function connectionsJson(views: Views, types: Readonly<Record<string, string>>): Reply {
  const connections = listOf(sortConnections(views.connections()), ({ id, peer, connectedAt }) => {
    const resources = Object.entries(types).map(([field, typeUrl]) => [field, debugResources(views, id, typeUrl)]);
    return recordOf({
      node: id,
      addr: peer,
      connect: connectedAt.toISOString(),
      ...Object.fromEntries(resources),
    });
  });
  return json(connections);
}
