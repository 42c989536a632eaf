import { TypeUrl } from '../../envoy/type-urls.js';
import { isOnDemand, lacksDelta } from '../../model/on-demand.js';
import type { ProxyConnection, WatchSnapshot } from '../../model/proxy-connection.js';
import type { PushContext } from '../../model/push-context.js';
import { listOf } from '../json-source.js';
import { sortConnections } from '../order.js';
import { json, type Page } from '../page.js';

const TYPES = [
  ['cluster', TypeUrl.cluster],
  ['listener', TypeUrl.listener],
  ['route', TypeUrl.route],
  ['virtual_host', TypeUrl.virtualHost],
  ['endpoint', TypeUrl.endpoint],
  ['extension_config', TypeUrl.extensionConfig],
] as const;

/**
 * Array of sent and acknowledged nonces per proxy, without empty fields; also `*_rejection`, `*_waiting_since` of a
 * response that is not acknowledged, `virtual_host_*` and `extension_config_*`.
 */
export const syncz: Page = {
  path: '/debug/syncz',
  description: 'The responses that each connected proxy has received, acknowledged and rejected',
  audience: 'operator',
  handle: (views) => {
    const context = views.context();
    return json(listOf(sortConnections(views.connections()), (connection) => syncStatus(connection, context)));
  },
};

function syncStatus({ proxy, watches }: ProxyConnection, context: PushContext | undefined): object {
  const status: Record<string, string> = { proxy: proxy.id };
  if (proxy.version !== '') status['proxy_version'] = proxy.version;
  if (proxy.metadata.meshVersion) status['mesh_version'] = proxy.metadata.meshVersion;
  if (context !== undefined && isOnDemand(context, proxy)) status['on_demand'] = 'yes';
  if (context !== undefined && lacksDelta(context, proxy))
    status['on_demand'] = 'no, because it does not speak delta xDS';
  for (const [name, typeUrl] of TYPES) {
    const watch = watches.get(typeUrl);
    if (watch === undefined) continue;
    if (watch.sentNonce !== '') status[`${name}_sent`] = watch.sentNonce;
    if (watch.ackedNonce !== '') status[`${name}_acked`] = watch.ackedNonce;
    if (watch.sentAt !== undefined && watch.sentNonce !== watch.ackedNonce) {
      status[`${name}_waiting_since`] = watch.sentAt.toISOString();
    }
    const rejection = formatRejection(watch);
    if (rejection !== undefined) status[`${name}_rejection`] = rejection;
  }
  return status;
}

function formatRejection({ rejection }: WatchSnapshot): string | undefined {
  return rejection === undefined ? undefined : `${rejection.code}: ${rejection.message}`;
}
