import { errorText } from '../../base/error-text.js';
import type { AnalysisInput, Analyzer, EndpointAnalysisInput, EndpointAnalyzer } from './analysis-input.js';
import { type AnalysisMessage, createMessage, inPod, sortMessages } from './analysis-message.js';
import { findConfinedEntries } from './analyzers/confined-entries.js';
import { findConflictingPolicies } from './analyzers/conflicting-policies.js';
import { findContradictoryClauses } from './analyzers/contradictory-clauses.js';
import { findDerivationProblems } from './analyzers/derivation-problems.js';
import { findIgnoredPeerAuthentications } from './analyzers/ignored-peer-authentications.js';
import { findImpossiblePatterns } from './analyzers/impossible-patterns.js';
import { findIneffectiveAttributes } from './analyzers/ineffective-attributes.js';
import { findIneffectiveAuthorizationPolicies } from './analyzers/ineffective-authorization-policies.js';
import { findIneffectiveRequestAuthentications } from './analyzers/ineffective-request-authentications.js';
import { findLabelsWithoutWorkloads } from './analyzers/labels-without-workloads.js';
import { findMissingServices, findUnusablePatterns } from './analyzers/named-services.js';
import { findOverlappingConditions } from './analyzers/overlapping-conditions.js';
import { findOversizedRegexes } from './analyzers/oversized-regexes.js';
import { findOwnFailPolicies } from './analyzers/own-fail-policies.js';
import { findUnusableKeys } from './analyzers/plans/consumer-keys.js';
import { findMissingPlans, findPlansWithoutConsumers } from './analyzers/plans/consumer-plans.js';
import { findPolicyServersWithoutGrpc } from './analyzers/policy-servers-without-grpc.js';
import { findUnsharedCounters, findUselessCharges } from './analyzers/quota-limits.js';
import { findRedundantItems } from './analyzers/redundant-items.js';
import { findRedundantMatches } from './analyzers/redundant-matches.js';
import { findRefusedAnnotations } from './analyzers/refused-annotations.js';
import { findIdleRules, findUnenforcedRules } from './analyzers/rules/rule-enforcement.js';
import { findDuplicateHosts, findSharedClusterIps } from './analyzers/service-conflicts.js';
import { findShadowedPatterns } from './analyzers/shadowed-patterns.js';
import { findShadowedServices } from './analyzers/shadowed-services.js';
import { findSlowFastSpecs } from './analyzers/slow-fast-specs.js';
import { findSparseSpecs } from './analyzers/sparse-specs.js';
import { findDanglingReferences, findUnboundSpecs } from './analyzers/spec-references.js';
import { findUndeclaredProtocols } from './analyzers/undeclared-protocols.js';
import { findUnenforceableServices } from './analyzers/unenforceable-services.js';
import { findUnenforcedPolicies } from './analyzers/unenforced-policies.js';
import { findUngrantedBindings } from './analyzers/ungranted-bindings.js';
import { findUselessAttributes } from './analyzers/useless-attributes.js';
import { nameSources } from './name-sources.js';
import {
  type FindMeshMessages,
  MESH_ANALYZERS,
  OBJECT_ANALYZERS,
  ofAllObjects,
  WORKLOAD_MESH_ANALYZERS,
  WORKLOAD_OBJECT_ANALYZERS,
} from './traffic-analyzers.js';

/** The analyzers that read neither endpoints nor, apart from policies with selectors, workloads; by their names in the report of a failure. */
export const SNAPSHOT_ANALYZERS: Readonly<Record<string, Analyzer>> = {
  'confined-entries': findConfinedEntries,
  'contradictory-clauses': findContradictoryClauses,
  'idle-rules': findIdleRules,
  'impossible-patterns': findImpossiblePatterns,
  'redundant-items': findRedundantItems,
  'redundant-matches': findRedundantMatches,
  'shadowed-patterns': findShadowedPatterns,
  'useless-attributes': findUselessAttributes,
  'conflicting-policies': findConflictingPolicies,
  'duplicate-hosts': findDuplicateHosts,
  'dangling-references': findDanglingReferences,
  'derivation-problems': findDerivationProblems,
  'ineffective-authorization-policies': findIneffectiveAuthorizationPolicies,
  'ineffective-request-authentications': findIneffectiveRequestAuthentications,
  'ignored-peer-authentications': findIgnoredPeerAuthentications,
  'ineffective-attributes': findIneffectiveAttributes,
  'missing-plans': findMissingPlans,
  'missing-services': findMissingServices,
  'overlapping-conditions': findOverlappingConditions,
  'oversized-regexes': findOversizedRegexes,
  'own-fail-policies': findOwnFailPolicies,
  'plans-without-consumers': findPlansWithoutConsumers,
  'policy-servers-without-grpc': findPolicyServersWithoutGrpc,
  'refused-annotations': findRefusedAnnotations,
  'shadowed-services': findShadowedServices,
  'shared-cluster-ips': findSharedClusterIps,
  'slow-fast-specs': findSlowFastSpecs,
  'sparse-specs': findSparseSpecs,
  'unbound-specs': findUnboundSpecs,
  'undeclared-protocols': findUndeclaredProtocols,
  'unenforced-policies': findUnenforcedPolicies,
  'unenforced-rules': findUnenforcedRules,
  'ungranted-bindings': findUngrantedBindings,
  'unshared-counters': findUnsharedCounters,
  'unusable-keys': findUnusableKeys,
  'unusable-patterns': findUnusablePatterns,
  'useless-charges': findUselessCharges,
  ...onTraffic(MESH_ANALYZERS),
  ...onTraffic(mapValues(OBJECT_ANALYZERS, ofAllObjects)),
};

/** The analyzers that read pods and WorkloadEntries, by their names. */
export const WORKLOAD_ANALYZERS: Readonly<Record<string, Analyzer>> = {
  ...onTraffic(WORKLOAD_MESH_ANALYZERS),
  ...onTraffic(mapValues(WORKLOAD_OBJECT_ANALYZERS, ofAllObjects)),
};

/** The analyzers that read endpoints, by their names. */
export const ENDPOINT_ANALYZERS: Readonly<Record<string, EndpointAnalyzer>> = {
  'labels-without-workloads': findLabelsWithoutWorkloads,
  'unenforceable-services': findUnenforceableServices,
};

export const ANALYZERS: Readonly<Record<string, EndpointAnalyzer>> = {
  ...SNAPSHOT_ANALYZERS,
  ...WORKLOAD_ANALYZERS,
  ...ENDPOINT_ANALYZERS,
};

function onTraffic(finders: Readonly<Record<string, FindMeshMessages>>): Readonly<Record<string, Analyzer>> {
  return mapValues(
    finders,
    (find) =>
      ({ traffic }: AnalysisInput) =>
        find(traffic),
  );
}

function mapValues<From, To>(
  values: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Readonly<Record<string, To>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}

/** Runs the analyzers over one snapshot; sorted. MESH0001 reports an analyzer that throws; the others still run. */
export function analyze(input: EndpointAnalysisInput, analyzers = ANALYZERS): readonly AnalysisMessage[] {
  const found = Object.entries(analyzers).flatMap(([name, analyzer]) => run(name, analyzer, input));
  const messages = nameSources(found, input.objects);
  return sortMessages(input.enforcement.isPod === true ? messages.map(inPod) : messages);
}

function run(name: string, analyzer: EndpointAnalyzer, input: EndpointAnalysisInput): readonly AnalysisMessage[] {
  try {
    return analyzer(input);
  } catch (error) {
    const reason = errorText(error);
    return [createMessage('internalError', {}, `analyzer ${name} failed: ${reason}`)];
  }
}
