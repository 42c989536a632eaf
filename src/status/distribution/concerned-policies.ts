import { POLICY_KINDS } from '../../config/kind-traits.js';
import { keyOf, type ObjectKey } from '../../config/object.js';
import { RULE_KINDS } from '../../config/policy-rules/kind-names.js';
import { BoundServices } from '../../model/policy/bound-services.js';
import { type PolicyBindings, resolvePolicyBindings } from '../../model/policy/policy-bindings.js';
import { type ProxyPolicy, proxyPolicyOf } from '../../model/policy/proxy-policy.js';
import type { PolicyOverrides } from '../../model/policy/read-policy-overrides.js';
import type { ResolvedBinding } from '../../model/policy/resolve-bindings.js';
import type { Proxy, ServiceTarget } from '../../model/proxy.js';
import type { PushContext, ServiceView } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';
import { concernedRules } from './concerned-rules.js';

/** Which policies of one snapshot proxies need. */
export interface PolicyConcerns {
  /**
   * Keys of the specs, bindings, plans, consumers and rules because of which a proxy sends checks: those of its own services, and with checks
   * on the client's side those of all services that it sees. Empty for a proxy that does not check. Proxies with the same
   * services share one set.
   */
  concerning(proxy: Proxy): ReadonlySet<ObjectKey>;
  /** Keys of the specs that a binding binds; empty for other objects. */
  specsOf(binding: ObjectKey): readonly ObjectKey[];
}

const NOTHING: ReadonlySet<ObjectKey> = new Set();

/**
 * Returns the concerns of a snapshot. Bindings are resolved again only if objects on which they depend have changed.
 */
export function createPolicyConcerns(isPluginOn: boolean): (context: PushContext) => PolicyConcerns {
  let last: { readonly context: PushContext; readonly reach: BindingReach } | undefined;
  return (context) => {
    const reach = last !== undefined && isSameForBindings(last.context, context) ? last.reach : reachOf(context);
    last = { context, reach };
    /** Keyed by the overrides of a proxy; most proxies have none. */
    const policies = new Map<PolicyOverrides | undefined, ProxyPolicy | undefined>();
    const policyOf = (proxy: Proxy): ProxyPolicy | undefined => {
      const overrides = proxy.metadata.policy;
      if (!policies.has(overrides)) policies.set(overrides, proxyPolicyOf(context.mesh, proxy));
      return policies.get(overrides);
    };
    return {
      concerning: (proxy) => {
        const policy = isPluginOn && proxy.type === 'sidecar' ? policyOf(proxy) : undefined;
        // The view of a sidecar includes its own services.
        if (policy?.outboundChecks === true) return reach.ofView(context.trafficOf(proxy).inAnyCluster.services);
        return policy?.inboundChecks === true ? reach.ofTargets(context.targetsOf(proxy)) : NOTHING;
      },
      specsOf: (binding) => reach.specs.get(binding) ?? [],
    };
  };
}

function isSameForBindings(first: PushContext, second: PushContext): boolean {
  return (
    first.domain === second.domain &&
    first.bindingGrants === second.bindingGrants &&
    first.services === second.services &&
    [...POLICY_KINDS, ...RULE_KINDS].every((kind) => first.objects.get(kind) === second.objects.get(kind))
  );
}

/** Which bindings, specs and rules reach which services. */
interface BindingReach {
  readonly specs: ReadonlyMap<ObjectKey, readonly ObjectKey[]>;
  ofTargets(targets: readonly ServiceTarget[]): ReadonlySet<ObjectKey>;
  ofView(view: ServiceView): ReadonlySet<ObjectKey>;
}

function reachOf(context: PushContext): BindingReach {
  const bindings = allBindings(resolvePolicyBindings(context));
  const byTargets = new WeakMap<readonly ServiceTarget[], ReadonlySet<ObjectKey>>();
  const byView = new Map<string, ReadonlySet<ObjectKey>>();

  const bound = new BoundServices<ResolvedBinding>(context.bindingGrants);
  for (const resolved of bindings) {
    for (const { pattern } of resolved.services) bound.add(resolved.binding, pattern, resolved);
  }

  const rulesOf = concernedRules(context);

  const ofServices = (services: ReadonlySet<Service>): ReadonlySet<ObjectKey> => {
    const reaching = new Set([...services].flatMap((service) => bound.find(service)));
    const namespaces = new Set(Array.from(services, ({ namespace }) => namespace));
    return new Set([
      ...[...reaching].flatMap((resolved) => [keyOf(resolved.binding), ...usedSpecs(resolved)]),
      ...[...namespaces].flatMap(rulesOf),
    ]);
  };

  return {
    specs: new Map(bindings.map((resolved) => [keyOf(resolved.binding), usedSpecs(resolved)])),
    ofTargets: (targets) => {
      const found = byTargets.get(targets) ?? ofServices(new Set(targets.map(({ service }) => service)));
      byTargets.set(targets, found);
      return found;
    },
    ofView: ({ id, services }) => {
      const found = byView.get(id) ?? ofServices(new Set(services));
      byView.set(id, found);
      return found;
    },
  };
}

/** Without the specs to which the binding has no access. */
function usedSpecs({ references }: ResolvedBinding): readonly ObjectKey[] {
  return references.filter(({ isGranted }) => isGranted).map(({ key }) => key);
}

function allBindings({ quotas, apis, plans }: PolicyBindings): readonly ResolvedBinding[] {
  return [...quotas.bindings, ...apis.bindings, ...plans.bindings];
}
