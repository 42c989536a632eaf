import type { ObjectKey } from '../../config/object.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import { isOnDemand, lacksDelta } from '../../model/on-demand.js';
import type { ProxyConnection, WatchSnapshot } from '../../model/proxy-connection.js';
import type { PushContext } from '../../model/push-context.js';
import { listOf } from '../json-source.js';
import { sortConnections } from '../order.js';
import { json, type Page } from '../page.js';
import type { Views } from '../views.js';

const MAX_OBJECTS = 20;
const TYPES = [
  ['cluster', TypeUrl.cluster],
  ['listener', TypeUrl.listener],
  ['route', TypeUrl.route],
  ['virtual_host', TypeUrl.virtualHost],
  ['endpoint', TypeUrl.endpoint],
  ['extension_config', TypeUrl.extensionConfig],
] as const;

/**
 * Array of sent and acknowledged nonces per proxy, without empty fields; also `*_rejection`,
 * `*_rejection_objects` with the objects that may have caused it, `*_waiting_since` of a
 * response that is not acknowledged, `virtual_host_*` and `extension_config_*`.
 */
export const syncz: Page = {
  path: '/debug/syncz',
  description: 'The responses that each connected proxy has received, acknowledged and rejected',
  audience: 'operator',
  handle: (views) => {
    const context = views.context();
    return json(listOf(sortConnections(views.connections()), (connection) => syncStatus(views, connection, context)));
  },
};

function syncStatus(views: Views, connection: ProxyConnection, context: PushContext | undefined): object {
  const { proxy, watches } = connection;
  const status: Record<string, string | readonly string[]> = { proxy: proxy.id };
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
    if (rejection === undefined) continue;
    status[`${name}_rejection`] = rejection;
    const causes = causesOf(views, connection, watch);
    if (causes.length > 0) status[`${name}_rejection_objects`] = causes;
  }
  return status;
}

/** The objects that may have caused the last rejection. */
function causesOf({ rejections }: Views, { id }: ProxyConnection, { rejection }: WatchSnapshot): readonly ObjectKey[] {
  const found = rejections?.().find(({ connection, nonce }) => connection === id && nonce === rejection?.nonce);
  return found?.causes.slice(0, MAX_OBJECTS) ?? [];
}

function formatRejection({ rejection }: WatchSnapshot): string | undefined {
  return rejection === undefined ? undefined : `${rejection.code}: ${rejection.message}`;
}
