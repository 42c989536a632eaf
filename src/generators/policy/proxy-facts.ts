import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { createMemo } from '../../model/memo.js';
import type { PolicyProxy } from '../../model/policy/client-configs.js';
import { type ProxyPolicy, proxyPolicyOf } from '../../model/policy/proxy-policy.js';
import type { Proxy } from '../../model/proxy.js';

/** What policy reads of a proxy. */
export interface PolicyFacts {
  readonly policy: ProxyPolicy;
  /** The proxy with what names it, and nothing else: what is not in the key cannot be read. */
  readonly identity: PolicyProxy;
  /** Names all of the above. */
  readonly key: string;
}

/** Undefined when the policy plugin is inactive. Remembered for as long as mesh config and proxy stay the same. */
export type PolicyFactsOf = (mesh: MeshConfig, proxy: Proxy) => PolicyFacts | undefined;

export function createPolicyFacts(): PolicyFactsOf {
  const memo = createMemo<PolicyFacts | 'inactive'>();
  return (mesh, proxy) => {
    // Asked for every proxy in every push: what is inactive is to cost nothing.
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
