import type { KnownAttributes } from '../../config/attributes/judge-attribute.js';
import { POLICY_KINDS } from '../../config/kind-traits.js';
import type { RegexLimits } from '../../config/regex/regex-limits.js';
import { bindingLabelKeys } from '../../model/policy/label-conditions.js';
import type { PolicyBindings } from '../../model/policy/policy-bindings.js';
import { resolvePolicyBindings } from '../../model/policy/policy-bindings.js';
import type { PushContext } from '../../model/push-context.js';
import type { AnalysisMessage } from './analysis-message.js';
import { knownAttributesOf } from './known-attributes.js';
import { type ServiceConflict, serviceConflictsOf } from './service-conflicts.js';

/** What is known, outside the snapshot, of whatever enforces policies. */
export interface Enforcement {
  /** Whether `--plugins` names `policy`. */
  readonly isPluginOn: boolean;
  /** Whether `--plugins` leaves out `authn`, so that PeerAuthentications are ignored. Default false. */
  readonly isAuthnOff?: boolean;
  /**
   * The quotas that the policy server in this process limits, each with the most units that any caller has of it in
   * one window; undefined while it leaves that to another.
   */
  readonly limitedQuotas: ReadonlyMap<string, number> | undefined;
  /** What the quotas that the policy server in this process limits are counted by, as written. */
  readonly quotaDimensions?: ReadonlyMap<string, readonly string[]>;
  /** Whether this process is a pod of `manifests/`, whose users have ConfigMaps and no files. Default false. */
  readonly isPod?: boolean;
  /** Policy servers that count quotas in memory, each for itself; undefined where all count in one place. */
  readonly unsharedCounters?: { readonly host: string; readonly replicas: number } | undefined;
  /** Of the regular expressions in policies; their defaults unless given. */
  readonly regexLimits?: RegexLimits;
}

/** What analyzers read: parts of a snapshot, and what is resolved from them once for all. */
export interface AnalysisInput
  extends Pick<
    PushContext,
    'objects' | 'services' | 'servicesByHost' | 'endpoints' | 'mesh' | 'sharedPorts' | 'entryOffences' | 'bindingGrants'
  > {
  readonly bindings: PolicyBindings;
  readonly enforcement: Enforcement;
  /** What the HTTPAPISpecs of the mesh set, and the labels that its bindings name. */
  readonly knownAttributes: KnownAttributes;
  /** Services that lose requests to others. */
  readonly serviceConflicts: readonly ServiceConflict[];
}

/** A pure function; it may throw, which is told as a message of its own. */
export type Analyzer = (input: AnalysisInput) => readonly AnalysisMessage[];

export function analysisInputOf(context: PushContext, enforcement: Enforcement): AnalysisInput {
  const { objects, services, servicesByHost, endpoints, mesh, sharedPorts, entryOffences, bindingGrants } = context;
  const bindings = resolvePolicyBindings(context);
  const knownAttributes = knownAttributesOf(objects);
  return {
    objects,
    services,
    servicesByHost,
    endpoints,
    mesh,
    sharedPorts,
    entryOffences,
    bindingGrants,
    bindings,
    enforcement,
    knownAttributes,
    serviceConflicts: serviceConflictsOf(context),
  };
}

/** Whether analysis of the two can differ: a snapshot shares by identity whatever did not change. */
export function canDiffer(first: PushContext, second: PushContext): boolean {
  return (
    first.services !== second.services ||
    first.shadowedByHost !== second.shadowedByHost ||
    // Endpoints change all the time, and only labels of bindings are held against them.
    (first.endpoints !== second.endpoints && bindingLabelKeys(second).length > 0) ||
    first.sharedPorts !== second.sharedPorts ||
    first.entryOffences !== second.entryOffences ||
    first.bindingGrants !== second.bindingGrants ||
    first.mesh.policy !== second.mesh.policy ||
    first.domain !== second.domain ||
    [...POLICY_KINDS, 'PeerAuthentication', 'Namespace'].some(
      (kind) => first.objects.get(kind) !== second.objects.get(kind),
    )
  );
}
