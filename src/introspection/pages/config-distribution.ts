import { TypeUrl } from '../../envoy/type-urls.js';
import type { ProxyConnection } from '../../model/proxy-connection.js';
import { HttpProblem } from '../http-problem.js';
import { listOf } from '../json-source.js';
import { sortConnections } from '../order.js';
import { json, type Page } from '../page.js';
import type { Views } from '../views.js';

const TYPES = [
  ['cluster_acked', TypeUrl.cluster],
  ['listener_acked', TypeUrl.listener],
  ['route_acked', TypeUrl.route],
  ['virtual_host_acked', TypeUrl.virtualHost],
] as const;

/**
 * The version of one object that each proxy has acknowledged: array of {proxy, cluster_acked, listener_acked,
 * route_acked, virtual_host_acked}, without unknown versions. 409 if tracking is off, 422 without a valid `resource`.
 */
export const configDistribution: Page = {
  path: '/debug/config_distribution',
  description: 'The version of one object (Kind/namespace/name) that each proxy has acknowledged',
  audience: 'operator',
  parameters: [
    { name: 'resource', required: true, choice: { type: 'resource' } },
    { name: 'proxy_namespace', required: false, choice: { type: 'text' } },
  ],
  handle: (views, { query }) => {
    if (!views.trackingEnabled) {
      throw new HttpProblem(
        409,
        'Config distribution tracking is off. Set NAV_ENABLE_CONFIG_DISTRIBUTION_TRACKING to true to turn it on.',
      );
    }
    const key = parseResource(query.get('resource') ?? '');
    const namespace = query.get('proxy_namespace') ?? '';
    const connections = sortConnections(views.connections()).filter(
      ({ proxy }) => namespace === '' || proxy.configNamespace === namespace,
    );
    return json(listOf(connections, (connection) => acknowledged(views, connection, key)));
  },
};

/** The namespace is empty for cluster-scoped kinds. */
function parseResource(resource: string): string {
  const [kind, namespace, name, ...rest] = resource.split('/');
  if (!kind || namespace === undefined || !name || rest.length > 0) {
    throw new HttpProblem(
      422,
      'The query parameter resource is required, in the form <Kind>/<namespace>/<name>, for example ServiceEntry/default/web',
    );
  }
  return resource;
}

function acknowledged(views: Views, { proxy, watches }: ProxyConnection, key: string): object {
  const versions: Record<string, string> = { proxy: proxy.id };
  for (const [field, typeUrl] of TYPES) {
    const root = watches.get(typeUrl)?.ackedConfigVersion ?? '';
    const version = root === '' ? undefined : views.versionOf(root, key);
    if (version !== undefined) versions[field] = version;
  }
  return versions;
}
