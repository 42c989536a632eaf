import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../base/clock.js';
import { discoveryHostOf } from '../../config/mesh/discovery-host.js';
import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import type { ObjectKey } from '../../config/object.js';
import type { RuleCounts } from '../../config/policy-rules/rule-counts.js';
import { createResolvedRules, type ResolvedRules } from '../../model/policy/rules/resolved-rules.js';
import { createServicePolicies } from '../../model/policy/service-policies.js';
import type { ProxyConnection } from '../../model/proxy-connection.js';
import type { PushContext } from '../../model/push-context.js';
import { createMeshOwners } from '../../policy/server/callers/mesh-owners.js';
import { createReplicaWatch, type ReplicaWatch } from '../../policy/server/replicas/replica-watch.js';
import { hasMemoryCounters } from '../../status/distribution/connected-clients.js';
import type { Logging } from '../../telemetry/logging.js';
import type { GeneratorOptions } from '../create-generators.js';
import { policyListenerSettings, regexLimitsOf } from '../map-options.js';
import type { Options } from '../options.js';
import type { ProcessParts } from '../process-parts.js';
import { createMountedFrom } from '../settings-file.js';
import type { SettingsKeeper } from '../settings-keeper.js';
import { ownTrustDomains } from '../trust/open-trust.js';
import { CONTROL_PLANE_ACCOUNT, createPolicyCredentials, type PolicyCredentials } from '../trust/policy-credentials.js';
import { countRefused } from './count-refused.js';
import { createPolicyRuntime, type PolicyRuntime } from './policy-runtime.js';
import { policyTlsMode } from './policy-tls-mode.js';

export interface EmbeddedPolicyParts {
  readonly options: Options;
  readonly process: Pick<ProcessParts, 'protos' | 'encoder' | 'metrics' | 'outgoing' | 'guard'>;
  /** The mesh config in force, at the time of the call. */
  readonly mesh: () => MeshConfig;
  readonly hasCluster: boolean;
  readonly keeper: Pick<SettingsKeeper, 'custodyOf'>;
  readonly connections: () => readonly ProxyConnection[];
  readonly logging: Logging;
  readonly clock: Clock;
  /** The objects that sources refuse now. */
  readonly refusedObjects: () => readonly (ObjectKey | undefined)[];
  /** How the policy server enforces policies has changed. */
  readonly onChange: () => void;
}

/** The policy server in the discovery process. */
export interface EmbeddedPolicy extends Omit<PolicyRuntime, 'observe' | 'useRules'> {
  readonly credentials: PolicyCredentials;
  /** Address and identity of the policy server, for the configuration of proxies. */
  readonly forProxies: Pick<GeneratorOptions, 'embeddedPolicyPort' | 'policyServerIdentity'>;
  observe(context: PushContext): void;
  /** Sources refuse other objects than before. */
  refusalsChanged(): void;
  unsharedCounters: ReplicaWatch['unshared'];
}

export function createEmbeddedPolicy(parts: EmbeddedPolicyParts): EmbeddedPolicy {
  const { options, process, mesh, keeper, logging, clock, onChange } = parts;
  const { discovery, environment } = options;
  const { namespace } = discovery;
  const tls = policyTlsMode(options);
  const credentials = createPolicyCredentials({
    discoveryHost: () => discoveryHostOf(mesh()),
    customHost: environment.meshdCustomHost,
    namespace,
    revision: environment.revision,
    domain: discovery.domain,
    trustDomain: () => ownTrustDomains(discovery.trustDomain, mesh())[0],
    clock,
    logger: logging.scope('pkica'),
  });
  const runtime = createPolicyRuntime({
    ...process,
    ...(tls.listener && { tls: { ...credentials, mode: tls.listener, peerNamespace: namespace } }),
    configFile: discovery.policyConfigFile,
    mountedFrom: createMountedFrom({ ...environment, namespace }),
    configDefaults: environment.navPolicyConfigDefaults,
    custody: keeper.custodyOf('policyConfig'),
    regexLimits: regexLimitsOf(environment),
    egressAllowed: environment.navEgressAllowed.map(({ cidr }) => cidr),
    adapterCredentials: environment.navAdapterCredentialsDir,
    bypassesBackendNames: environment.bypassOopMtlsSanVerification,
    listener: policyListenerSettings(options),
    logging,
    clock,
    onConfigChange: () => {
      onChange();
      replicas?.configChanged();
    },
    unsharedServers: () => replicas?.replicas() ?? 1,
  });
  // Only a pod of the cluster has replicas behind a Service.
  const replicas =
    parts.hasCluster && environment.podName !== ''
      ? createReplicaWatch({
          countsInMemory: runtime.countsInMemory,
          othersCountInMemory: (of) => hasMemoryCounters(parts.connections(), of),
          clock,
          logger: logging.scope('policy'),
          metrics: process.metrics,
          onChange,
        })
      : undefined;
  const policiesOf = createServicePolicies();
  const ownersOf = createMeshOwners();
  const rulesOf = createResolvedRules(environment.meshLang);
  let resolved: ResolvedRules | undefined;
  let counts: RuleCounts | undefined;
  let failed = runtime.failedHandlers();

  const useRules = (rules: ResolvedRules): void => {
    const next = countRefused(rules.counts, parts.refusedObjects());
    if (rules === resolved && isDeepStrictEqual(next, counts)) return;
    [resolved, counts] = [rules, next];
    runtime.useRules({ ...rules, counts: next });
    const failedNow = runtime.failedHandlers();
    if (failedNow !== failed) onChange();
    failed = failedNow;
  };
  let { port } = discovery.policyAddr;

  return {
    ...runtime,
    credentials,
    forProxies: {
      embeddedPolicyPort: () => port,
      ...(tls.proxies && { policyServerIdentity: { namespace, serviceAccount: CONTROL_PLANE_ACCOUNT } }),
    },
    start: async () => {
      const address = await runtime.start();
      port = address.port;
      return address;
    },
    observe: (context) => {
      useRules(rulesOf(context));
      runtime.observe({ ...policiesOf(context), owners: ownersOf(context) });
      replicas?.observe(context);
    },
    refusalsChanged: () => {
      if (resolved !== undefined) useRules(resolved);
    },
    unsharedCounters: () => replicas?.unshared(),
    stop: async (graceMs) => {
      replicas?.stop();
      await runtime.stop(graceMs);
    },
  };
}
