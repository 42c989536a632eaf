import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { buildHttpRbac, buildNetworkRbac } from '../../envoy/rbac.js';
import type { Filter } from '../../generated/envoy/config/listener/v3/Filter.js';
import type { HttpFilter } from '../../generated/envoy/extensions/filters/network/http_connection_manager/v3/HttpFilter.js';
import { createMemo } from '../../model/memo.js';
import type { WorkloadAuthorization } from '../../model/security/authorization-policies.js';
import { labelsOf } from '../../model/security/mutual-tls.js';
import type { NetworkingPlugin } from '../plugins/networking-plugin.js';
import { trustDomainsOf } from '../security/trusted-names.js';
import type { GeneratorSettings } from '../settings.js';
import { ACTIONS, EVERYTHING_DENIED, rulesOf } from './action-rules.js';
import type { RuleContext } from './rbac-policy.js';

interface Filters {
  readonly http: readonly HttpFilter[];
  readonly network: readonly Filter[];
}

/** The plugin `authz`: the AuthorizationPolicies of a workload decide on what its sidecar or router accepts. */
export function createAuthorizationPlugin(
  encoder: MessageEncoder,
  settings: Pick<GeneratorSettings, 'trustDomain'>,
): NetworkingPlugin {
  const memo = createMemo<Filters>();

  const rejectsEverything: Filters = {
    http: [buildHttpRbac(encoder, EVERYTHING_DENIED)],
    network: [buildNetworkRbac(encoder, EVERYTHING_DENIED)],
  };

  const build = (mesh: MeshConfig, authorization: WorkloadAuthorization): Filters => {
    // A listener has the rules in each of its filter chains. No rule may be left out: a request could pass.
    if (authorization.isTooLarge) return rejectsEverything;
    const trustDomains = trustDomainsOf(mesh, settings);
    const rules = (as: RuleContext['as']) =>
      ACTIONS.flatMap((action) => rulesOf(authorization, { action, as, trustDomains }) ?? []);
    return {
      http: rules('http').map((each) => buildHttpRbac(encoder, each)),
      network: rules('tcp').map((each) => buildNetworkRbac(encoder, each)),
    };
  };

  return {
    name: 'authz',
    planListeners: (context, proxy) => {
      const { mesh, authorizationPolicies } = context;
      const authorization = authorizationPolicies.ofWorkload(proxy.configNamespace, labelsOf(context, proxy));
      const filters = memo.of([mesh, authorization], '', () => build(mesh, authorization));
      return {
        key: '',
        inboundKey: authorization.key,
        httpFilters: ({ direction }) => (direction === 'outbound' ? [] : filters.http),
        networkFilters: ({ direction }) => (direction === 'outbound' ? [] : filters.network),
        httpAccessLogs: () => [],
        tcpAccessLogs: () => undefined,
        localReplies: [],
      };
    },
    planRoutes: () => undefined,
    routesAffectedBy: () => false,
  };
}
