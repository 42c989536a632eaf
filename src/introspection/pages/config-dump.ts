import { compareNames } from '../../envoy/resource-set.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import type { ProxyConnection } from '../../model/proxy-connection.js';
import { findProxy, PROXY_ID } from '../find-proxy.js';
import { JsonList, type JsonSource, listOf, recordOf } from '../json-source.js';
import { json, type Page } from '../page.js';
import { resourceJson } from '../resource-json.js';
import type { Views } from '../views.js';

const ADMIN = 'type.googleapis.com/envoy.admin.v3';

/**
 * The configuration that the control plane sends to a proxy, as envoy.admin.v3.ConfigDump in protobuf JSON, so that
 * tools for dumps of a proxy's admin endpoint can read it. The bootstrap is empty, because the control plane does not
 * know it. `include_eds` adds endpoints, as on the proxy.
 */
export const configDump: Page = {
  path: '/debug/config_dump',
  description:
    "Clusters, listeners, filters and routes of one proxy, in the form of Envoy's config_dump; include_eds adds endpoints",
  audience: 'operator',
  parameters: [PROXY_ID, { name: 'include_eds', required: false, choice: { type: 'value', value: 'true' } }],
  handle: (views, { query }) => {
    const connection = findProxy(views, query);
    const eds = query.get('include_eds');
    const withEndpoints = eds !== null && eds !== 'false';
    return json(recordOf({ configs: new JsonList(configs(views, connection, withEndpoints)) }));
  },
};

function* configs(views: Views, connection: ProxyConnection, withEndpoints: boolean): Generator<JsonSource> {
  yield { '@type': `${ADMIN}.BootstrapConfigDump` };
  yield recordOf({
    '@type': `${ADMIN}.ClustersConfigDump`,
    versionInfo: connection.watches.get(TypeUrl.cluster)?.sentVersion || undefined,
    dynamicActiveClusters: dynamicResources(views, connection, TypeUrl.cluster, 'cluster'),
  });
  yield recordOf({
    '@type': `${ADMIN}.ListenersConfigDump`,
    versionInfo: connection.watches.get(TypeUrl.listener)?.sentVersion || undefined,
    dynamicListeners: dynamicListeners(views, connection),
  });
  yield recordOf({
    '@type': `${ADMIN}.RoutesConfigDump`,
    dynamicRouteConfigs: dynamicResources(views, connection, TypeUrl.route, 'routeConfig'),
  });
  if (connection.watches.has(TypeUrl.extensionConfig)) {
    yield recordOf({
      '@type': `${ADMIN}.EcdsConfigDump`,
      ecdsFilters: dynamicResources(views, connection, TypeUrl.extensionConfig, 'ecdsFilter'),
    });
  }
  if (!withEndpoints) return;
  yield recordOf({
    '@type': `${ADMIN}.EndpointsConfigDump`,
    dynamicEndpointConfigs: dynamicResources(views, connection, TypeUrl.endpoint, 'endpointConfig'),
  });
}

function dynamicResources(views: Views, connection: ProxyConnection, typeUrl: string, field: string): JsonList {
  const stamp = stampOf(connection, typeUrl);
  return listOf(views.resourcesOf(connection.id, typeUrl).toSorted(compareNames), (resource) =>
    recordOf({ ...stamp, [field]: resourceJson(views.messageJson, resource) }),
  );
}

function dynamicListeners(views: Views, connection: ProxyConnection): JsonList {
  const stamp = stampOf(connection, TypeUrl.listener);
  return listOf(views.resourcesOf(connection.id, TypeUrl.listener).toSorted(compareNames), (resource) => ({
    name: resource.name,
    activeState: { ...stamp, listener: views.messageJson.resourceToJson(resource) },
  }));
}

type Stamp = { readonly versionInfo?: string; readonly lastUpdated?: string };

function stampOf(connection: ProxyConnection, typeUrl: string): Stamp {
  const watch = connection.watches.get(typeUrl);
  return {
    ...(watch === undefined || watch.sentVersion === '' ? {} : { versionInfo: watch.sentVersion }),
    ...(watch?.sentAt === undefined ? {} : { lastUpdated: watch.sentAt.toISOString() }),
  };
}
