import { TypeUrl } from '../../envoy/type-urls.js';
import { listOf, recordOf } from '../json-source.js';
import { sortConnections } from '../order.js';
import { json, type Page } from '../page.js';
import { debugResources } from './served-resources.js';

/** Array of {node, addr, connect, Clusters} (docs/reference/http.md#debug-pages). */
export const cdsz: Page = {
  path: '/debug/cdsz',
  description: 'Connected proxies; with their clusters if NAV_DEBUG_ADSZ_CONFIG is true',
  audience: 'operator',
  handle: (views) =>
    json(
      listOf(sortConnections(views.connections()), ({ id, peer, connectedAt }) =>
        recordOf({
          node: id,
          addr: peer,
          connect: connectedAt.toISOString(),
          Clusters: debugResources(views, id, TypeUrl.cluster),
        }),
      ),
    ),
};
