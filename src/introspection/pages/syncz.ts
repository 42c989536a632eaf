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
 * `*_rejection_objects` with the objects that may have caused it, the same as `*_past_rejection` after
 * a rejection without which the proxy has what it should have, `*_waiting_since` of a
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
    const rejection = watch.rejection ?? pastRejection(views, connection, typeUrl);
    if (rejection === undefined) continue;
    const field = watch.rejection === undefined ? `${name}_past_rejection` : `${name}_rejection`;
    status[field] = `${rejection.code}: ${rejection.message}`;
    const causes = causesOf(views, connection, rejection);
    if (causes.length > 0) status[`${field}_objects`] = causes;
  }
  return status;
}

type Rejection = NonNullable<WatchSnapshot['rejection']>;

/** The newest rejection of a type by a connection that has what it should have now. */
function pastRejection({ rejections }: Views, { id }: ProxyConnection, typeUrl: string): Rejection | undefined {
  return rejections?.().find((each) => each.connection === id && each.typeUrl === typeUrl);
}

/** The objects that may have caused a rejection. */
function causesOf({ rejections }: Views, { id }: ProxyConnection, { nonce }: Rejection): readonly ObjectKey[] {
  const found = rejections?.().find((each) => each.connection === id && each.nonce === nonce);
  return found?.causes.slice(0, MAX_OBJECTS) ?? [];
}
