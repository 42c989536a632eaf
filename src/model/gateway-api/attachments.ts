import { API_GATEWAY, GATEWAY_API_GROUP } from '../../config/gateway-api/gateway-api-names.js';
import type { HttpRouteSpec, ParentReference } from '../../config/gateway-api/http-route.js';
import { selectsLabels } from '../../config/injection/label-selector.js';
import { coversHost } from '../../config/networking/host-names.js';
import { type MeshObject, type ObjectKey, objectKey } from '../../config/object.js';
import type { ApiListener } from './listeners.js';
import type { ObjectTables } from './objects-of.js';
import type { ReportedCondition } from './report.js';

/** A Gateway of this controller, as far as routes depend on it. */
export interface ParentGateway {
  readonly key: ObjectKey;
  readonly namespace: string;
  readonly listeners: readonly ApiListener[];
}

/** A listener that takes a route, and the hosts that both are for. */
export interface Attachment {
  readonly listener: ApiListener;
  readonly hostnames: readonly string[];
}

/** What a parent reference of a route leads to. */
export type ParentResult =
  | { readonly type: 'attached'; readonly gateway: ParentGateway; readonly attachments: readonly Attachment[] }
  | { readonly type: 'refused'; readonly problem: Pick<ReportedCondition, 'reason' | 'message'> };

/**
 * The listeners that take a route by one of its parent references.
 *
 * @returns undefined where the parent is none of this controller
 */
export function attach(
  route: MeshObject<string, HttpRouteSpec>,
  parent: ParentReference,
  gatewayOf: (key: ObjectKey) => ParentGateway | undefined,
  objects: ObjectTables,
): ParentResult | undefined {
  if (parent.group !== GATEWAY_API_GROUP || parent.kind !== 'Gateway') return undefined;
  const { namespace } = route.metadata;
  const gateway = gatewayOf(objectKey(API_GATEWAY, parent.namespace || namespace, parent.name));
  if (gateway === undefined) return undefined;
  const named = gateway.listeners.filter(
    ({ spec }) =>
      ((parent.sectionName ?? '') === '' || spec.name === parent.sectionName) &&
      (parent.port === undefined || spec.port === parent.port),
  );
  if (named.length === 0) {
    return refused('NoMatchingParent', 'the Gateway has no listener with this sectionName and port');
  }
  const allowing = named.filter((listener) => allows(listener, gateway.namespace, namespace, objects));
  if (allowing.length === 0) {
    const message = `no listener allows HTTPRoutes of namespace ${namespace}; change its allowedRoutes`;
    return refused('NotAllowedByListeners', message);
  }
  const attachments = allowing.flatMap((listener): readonly Attachment[] => {
    const hostnames = commonHosts(listener.hostname, route.body.hostnames);
    return hostnames.length === 0 ? [] : [{ listener, hostnames }];
  });
  if (attachments.length === 0) {
    return refused('NoMatchingListenerHostname', 'no listener has a hostname in common with the route');
  }
  return { type: 'attached', gateway, attachments };
}

function refused(reason: string, message: string): ParentResult {
  return { type: 'refused', problem: { reason, message } };
}

function allows(
  { spec: { allowedRoutes }, supportedKinds }: ApiListener,
  own: string,
  namespace: string,
  objects: ObjectTables,
): boolean {
  if (supportedKinds.length === 0) return false;
  const { from, selector } = allowedRoutes.namespaces;
  switch (from) {
    case 'All':
      return true;
    case 'Same':
      return own === namespace;
    case 'None':
      return false;
    case 'Selector': {
      const labels = objects.get('Namespace')?.get(objectKey('Namespace', '', namespace))?.metadata.labels;
      if (selector === undefined || labels === undefined) return false;
      // A selector without conditions selects every namespace, other than one of pods.
      const isEmpty = Object.keys(selector.matchLabels).length + selector.matchExpressions.length === 0;
      return isEmpty || selectsLabels(selector, labels);
    }
  }
}

/** The narrower of each two hosts of which one covers the other; each once. */
function commonHosts(listener: string, hostnames: readonly string[]): readonly string[] {
  if (hostnames.length === 0) return [listener];
  const common = hostnames.flatMap((each) => {
    const host = each.toLowerCase();
    if (coversHost(listener, host)) return [host];
    return coversHost(host, listener) ? [listener] : [];
  });
  return [...new Set(common)];
}
