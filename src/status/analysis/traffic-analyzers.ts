import { keyOf, type MeshObject } from '../../config/object.js';
import type { AnalysisMessage } from './analysis-message.js';
import { findMisplacedAnnotations } from './analyzers/misplaced-annotations.js';
import { conflictingManifests } from './analyzers/rules/conflicting-manifests.js';
import { idleRuleFields } from './analyzers/rules/idle-rule-fields.js';
import { lateAttributes } from './analyzers/rules/late-attributes.js';
import { misleadingExpressions } from './analyzers/rules/misleading-expressions.js';
import { ruleProblems } from './analyzers/rules/rule-problems.js';
import { unmetQuotas } from './analyzers/rules/unmet-quotas.js';
import { unsetAttributes } from './analyzers/rules/unset-attributes.js';
import { unusedRuleObjects } from './analyzers/rules/unused-rule-objects.js';
import { confinedRoutes } from './analyzers/traffic/confined-routes.js';
import { severalDefaults, sharedWorkloads } from './analyzers/traffic/conflicting-sidecars.js';
import { deprecatedFields } from './analyzers/traffic/deprecated-fields.js';
import { destinationPorts } from './analyzers/traffic/destination-ports.js';
import { disagreeingTls } from './analyzers/traffic/disagreeing-tls.js';
import { emptySelections, missingWorkloads } from './analyzers/traffic/empty-selections.js';
import { emptySubsets } from './analyzers/traffic/empty-subsets.js';
import { gatewayConflicts } from './analyzers/traffic/gateway-conflicts.js';
import { gatewayPorts } from './analyzers/traffic/gateway-ports.js';
import { hostsWithoutServer } from './analyzers/traffic/hosts-without-server.js';
import { ineffectiveDelegates } from './analyzers/traffic/ineffective-delegates.js';
import {
  findDoubleLabels,
  findPodsWithoutProxy,
  findUnlabelledNamespaces,
} from './analyzers/traffic/injection-labels.js';
import { invisibleServices } from './analyzers/traffic/invisible-services.js';
import { missingDestinations } from './analyzers/traffic/missing-destinations.js';
import { missingHosts } from './analyzers/traffic/missing-hosts.js';
import { findOutdatedProxies } from './analyzers/traffic/outdated-proxies.js';
import { overlappingRoutes } from './analyzers/traffic/overlapping-routes.js';
import { patchTargets } from './analyzers/traffic/patch-targets.js';
import { policyPorts } from './analyzers/traffic/policy-ports.js';
import { replacedRules, subsetsWithoutCluster } from './analyzers/traffic/replaced-rules.js';
import { servicePortNames } from './analyzers/traffic/service-port-names.js';
import { tokenPorts } from './analyzers/traffic/token-ports.js';
import { unimportedHosts } from './analyzers/traffic/unimported-hosts.js';
import { findUnknownRegistries } from './analyzers/traffic/unknown-registries.js';
import { unmatchedRegexes } from './analyzers/traffic/unmatched-regexes.js';
import { unreachableRoutes } from './analyzers/traffic/unreachable-routes.js';
import { unverifiedServers } from './analyzers/traffic/unverified-servers.js';
import { findDifferingProtocols, findWorkloadsWithoutService } from './analyzers/traffic/workload-services.js';
import type { ObjectAnalyzer } from './object-analyzer.js';
import type { TrafficIndex } from './traffic/traffic-index.js';

/** Analyzers of single objects that read no workloads, by their names. */
export const OBJECT_ANALYZERS: Readonly<Record<string, ObjectAnalyzer>> = {
  'confined-routes': confinedRoutes,
  'conflicting-manifests': conflictingManifests,
  'deprecated-fields': deprecatedFields,
  'destination-ports': destinationPorts,
  'hosts-without-server': hostsWithoutServer,
  'idle-rule-fields': idleRuleFields,
  'ineffective-delegates': ineffectiveDelegates,
  'invisible-services': invisibleServices,
  'missing-destinations': missingDestinations,
  'missing-hosts': missingHosts,
  'overlapping-routes': overlappingRoutes,
  'patch-targets': patchTargets,
  'replaced-rules': replacedRules,
  'late-attributes': lateAttributes,
  'misleading-expressions': misleadingExpressions,
  'rule-problems': ruleProblems,
  'several-default-sidecars': severalDefaults,
  'subsets-without-cluster': subsetsWithoutCluster,
  'unimported-hosts': unimportedHosts,
  'unmatched-regexes': unmatchedRegexes,
  'unreachable-routes': unreachableRoutes,
  'unused-rule-objects': unusedRuleObjects,
  'unverified-servers': unverifiedServers,
  'unmet-quotas': unmetQuotas,
  'unset-attributes': unsetAttributes,
};

/** Analyzers of single objects that read pods and WorkloadEntries too. They run again when workloads change. */
export const WORKLOAD_OBJECT_ANALYZERS: Readonly<Record<string, ObjectAnalyzer>> = {
  'disagreeing-tls': disagreeingTls,
  'empty-selections': emptySelections,
  'empty-subsets': emptySubsets,
  'gateway-conflicts': gatewayConflicts,
  'gateway-ports': gatewayPorts,
  'missing-workloads': missingWorkloads,
  'policy-ports': policyPorts,
  'service-port-names': servicePortNames,
  'shared-workloads': sharedWorkloads,
  'token-ports': tokenPorts,
};

/** Finds messages about the whole mesh. */
export type FindMeshMessages = (index: TrafficIndex) => readonly AnalysisMessage[];

/** Analyzers of the whole mesh that read no workloads. */
export const MESH_ANALYZERS: Readonly<Record<string, FindMeshMessages>> = {
  'double-labels': findDoubleLabels,
  'unknown-registries': findUnknownRegistries,
};

/** Analyzers of the whole mesh that read workloads, or Services as Kubernetes has them. */
export const WORKLOAD_MESH_ANALYZERS: Readonly<Record<string, FindMeshMessages>> = {
  'differing-protocols': findDifferingProtocols,
  'misplaced-annotations': findMisplacedAnnotations,
  'outdated-proxies': findOutdatedProxies,
  'pods-without-proxy': findPodsWithoutProxy,
  'unlabelled-namespaces': findUnlabelledNamespaces,
  'workloads-without-service': findWorkloadsWithoutService,
};

/** The names of all these analyzers. */
export const TRAFFIC_ANALYZERS: ReadonlySet<string> = new Set(
  [OBJECT_ANALYZERS, WORKLOAD_OBJECT_ANALYZERS, MESH_ANALYZERS, WORKLOAD_MESH_ANALYZERS].flatMap((table) =>
    Object.keys(table),
  ),
);

/** The kinds that have analyzers of single objects. */
export const ANALYZED_KINDS: ReadonlySet<string> = new Set(
  [...Object.values(OBJECT_ANALYZERS), ...Object.values(WORKLOAD_OBJECT_ANALYZERS)].flatMap(({ kinds }) => kinds),
);

/** An analyzer of all objects of its kinds. */
export function ofAllObjects({ kinds, find }: ObjectAnalyzer): FindMeshMessages {
  return (index) => kinds.flatMap((kind) => [...index.objectsOf(kind)].flatMap((object) => find(object, index)));
}

/** The messages that one object would get in place of its present version. */
export function analyzeObject(object: MeshObject, index: TrafficIndex): readonly AnalysisMessage[] {
  const key = keyOf(object);
  return Object.values({ ...OBJECT_ANALYZERS, ...WORKLOAD_OBJECT_ANALYZERS })
    .filter(({ kinds }) => kinds.includes(object.kind))
    .flatMap(({ find }) => find(object, index))
    .filter((message) => message.object === key);
}
