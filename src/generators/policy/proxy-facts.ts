import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { createMemo } from '../../model/memo.js';
import type { PolicyProxy } from '../../model/policy/client-configs.js';
import { bindingLabelKeys, type LabelSet } from '../../model/policy/label-conditions.js';
import { type ProxyPolicy, proxyPolicyOf } from '../../model/policy/proxy-policy.js';
import type { Proxy } from '../../model/proxy.js';
import type { PushContext } from '../../model/push-context.js';
import { labelsOf } from '../../model/security/mutual-tls.js';

/** The facts of a proxy that policy reads. */
export interface PolicyFacts {
  readonly policy: ProxyPolicy;
  /** The members of the proxy that name it. Others are left out, because the key does not contain them. */
  readonly identity: PolicyProxy;
  /** Contains all of the above. */
  readonly key: string;
}

/** Undefined when the policy plugin is inactive. Computed once for each mesh config and proxy. */
export type PolicyFactsOf = (mesh: MeshConfig, proxy: Proxy) => PolicyFacts | undefined;

export function createPolicyFacts(): PolicyFactsOf {
  const memo = createMemo<PolicyFacts | 'inactive'>();
  return (mesh, proxy) => {
    // Called for every proxy in every push: an inactive plugin must cost nothing.
    if (mesh.policy.mixerCheckServer === '' && mesh.policy.mixerReportServer === '') return undefined;
    const facts = memo.of([mesh, proxy], '', () => {
      const policy = proxyPolicyOf(mesh, proxy);
      if (policy === undefined) return 'inactive';
      const identity = identityOf(proxy);
      return { policy, identity, key: JSON.stringify([identity, policy.key]) };
    });
    return facts === 'inactive' ? undefined : facts;
  };
}

function identityOf({ type, id, ipAddresses, configNamespace, version, metadata }: Proxy): PolicyProxy {
  const { meshVersion, meshId } = metadata;
  return {
    type,
    id,
    ipAddresses: ipAddresses.slice(0, 1),
    configNamespace,
    version,
    metadata: {
      ...(meshVersion === undefined ? {} : { meshVersion }),
      ...(meshId === undefined ? {} : { meshId }),
    },
  };
}

/** The facts of a proxy, with those of its labels that bindings name. */
export type LabelledFactsOf = (context: Pick<PushContext, 'mesh' | 'objects'>, proxy: Proxy) => PolicyFacts | undefined;

/** Computed once for each facts object; the very same object where no binding names a label of the proxy. */
export function createLabelledFacts(factsOf: PolicyFactsOf): LabelledFactsOf {
  const memo = createMemo<PolicyFacts>();
  return (context, proxy) => {
    const facts = factsOf(context.mesh, proxy);
    const keys = bindingLabelKeys(context);
    if (facts === undefined || keys.length === 0) return facts;
    const labels = pick(labelsOf(context, proxy), keys);
    const id = JSON.stringify(labels);
    if (id === '{}') return facts;
    return memo.of([facts], id, () => ({
      ...facts,
      identity: { ...facts.identity, labels },
      key: `${facts.key} ${id}`,
    }));
  };
}

function pick(labels: LabelSet, keys: readonly string[]): LabelSet {
  return Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(labels, key) ? [[key, labels[key] ?? '']] : [])));
}
