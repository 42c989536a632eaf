import { MESH_GATEWAY } from '../../config/networking/host-names.js';
import { keyOf, type ObjectKey, objectKey } from '../../config/object.js';
import { sourceKeysOf } from '../../model/derived/source-keys.js';
import { createEnvoyPatchIndexer } from '../../model/patches/envoy-patches.js';
import { createProxyMatcher } from '../../model/patches/proxy-match.js';
import type { Proxy } from '../../model/proxy.js';
import type { PushContext } from '../../model/push-context.js';
import { labelsOf, mutualTlsOfProxy } from '../../model/security/mutual-tls.js';
import type { Labels } from '../../model/security/namespace-mutual-tls.js';
import { createSidecarIndexer } from '../../model/sidecars/sidecars.js';
import { isVisibleTo, readVirtualService } from '../../model/traffic/virtual-services/virtual-service.js';
import { findProxy, PROXY_ID } from '../find-proxy.js';
import { type JsonRecord, recordOf } from '../json-source.js';
import { json, type Page } from '../page.js';
import { requireContext } from '../views.js';

/** Shows which objects decide the configuration of one proxy, by the same indexes that generate it. */
export const appliedz: Page = {
  path: '/debug/appliedz',
  description: 'The objects that apply to one proxy: its Sidecar, Gateways, routes, rules, policies and patches',
  audience: 'operator',
  parameters: [PROXY_ID],
  handle: (views, { query }) => {
    const { proxy } = findProxy(views, query);
    return json(appliedTo(requireContext(views), proxy));
  },
};

function appliedTo(context: PushContext, proxy: Proxy): JsonRecord {
  const { type, configNamespace: namespace } = proxy;
  const labels = labelsOf(context, proxy);
  const { mode, ports } = mutualTlsOfProxy(context, proxy);
  const authorization = context.authorizationPolicies.ofWorkload(namespace, labels);
  const authentication = context.requestAuthentications.ofWorkload(namespace, labels);
  const patches = createEnvoyPatchIndexer(createProxyMatcher())(context).ofProxy(proxy, labels);
  const gateways = type === 'router' ? gatewaysOf(context, namespace, labels) : [];
  const gatewayKeys = gateways.map((id) => `Gateway/${id}`);
  const virtualServices = virtualServicesOf(context, namespace, type === 'router' ? gateways : [MESH_GATEWAY]);
  const made = madeFrom(context, [...gatewayKeys, ...virtualServices]);
  return recordOf({
    proxy: proxy.id,
    type,
    namespace,
    labels,
    sidecar:
      type === 'router' ? undefined : (createSidecarIndexer()(context).ofWorkload(namespace, labels)?.source ?? null),
    gateways: type === 'router' ? gatewayKeys : undefined,
    virtualServices,
    ...(made.length > 0 ? { madeFrom: Object.fromEntries(made) } : {}),
    destinationRules: destinationRulesOf(context, proxy),
    mutualTls: { mode, ports: Object.fromEntries(ports) },
    requestAuthentications: unique(
      authentication.rules.map(({ of }) => objectKey('RequestAuthentication', of.namespace, of.name)),
    ),
    authorizationPolicies: authorization.policies.map((each) => ({
      object: objectKey('AuthorizationPolicy', each.namespace, each.name),
      action: each.spec.action,
    })),
    ...(authorization.isTooLarge || authentication.isTooLarge ? { rejectsEverything: 'policies are too large' } : {}),
    envoyFilters: unique(patches.patches.map(({ object }) => object)),
    ...(patches.omitted.length > 0 ? { omittedEnvoyFilters: patches.omitted } : {}),
  });
}

/** The sources of those objects that the control plane made. */
function madeFrom(
  context: PushContext,
  keys: readonly ObjectKey[],
): readonly (readonly [ObjectKey, readonly ObjectKey[]])[] {
  return keys.map((key) => [key, sourceKeysOf(context, key)] as const).filter(([, sources]) => sources.length > 0);
}

/** `<namespace>/<name>` of the Gateways that select the router. */
function gatewaysOf({ gateways }: PushContext, namespace: string, labels: Labels): readonly string[] {
  return gateways.of({ namespace, labels, onlyOwnNamespace: false }).gateways.map(({ id }) => id);
}

/** VirtualServices for one of the gateways that the namespace sees, by object key. */
function virtualServicesOf(
  { objects, mesh, domain }: PushContext,
  namespace: string,
  gateways: readonly string[],
): readonly ObjectKey[] {
  const all = [...(objects.get('VirtualService')?.values() ?? [])];
  return all
    .filter((object) => {
      const routes = readVirtualService(object, { ...mesh, domain });
      return isVisibleTo(routes, namespace) && gateways.some((gateway) => routes.gateways.has(gateway));
    })
    .map(keyOf)
    .sort();
}

/** By host of a service in view: the rules that decide its clusters, oldest first. */
function destinationRulesOf(context: PushContext, proxy: Proxy): Readonly<Record<string, readonly ObjectKey[]>> {
  const rules = context.destinationRules.visibleFrom(proxy.configNamespace);
  return Object.fromEntries(
    context.trafficOf(proxy).services.services.flatMap((service) => {
      const rule = rules.ruleOf(service);
      return rule === undefined ? [] : [[service.hostname, rule.sources]];
    }),
  );
}

function unique(keys: readonly ObjectKey[]): readonly ObjectKey[] {
  return [...new Set(keys)];
}
