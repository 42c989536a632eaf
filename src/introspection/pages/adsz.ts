import { TypeUrl } from '../../envoy/type-urls.js';
import { listOf, recordOf } from '../json-source.js';
import { sortConnections } from '../order.js';
import { json, type Page } from '../page.js';
import { PUSH, pushNow } from './push-now.js';
import { debugResources } from './served-resources.js';

/** Array of {node, addr, connect, listeners, RDSRoutes, clusters} (BEHAVIOUR 2). */
export const adsz: Page = {
  path: '/debug/adsz',
  description:
    'Connected proxies, with their resources when NAV_DEBUG_ADSZ_CONFIG is set; push=true pushes everything to all',
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
