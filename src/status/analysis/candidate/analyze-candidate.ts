import type { KnownAttributes } from '../../../config/attributes/judge-attribute.js';
import { keyOf, type MeshObject, type ObjectKey } from '../../../config/object.js';
import type { QuotaSpecBinding } from '../../../config/policy/bindings.js';
import type { HttpApiSpec } from '../../../config/policy/http-api-spec.js';
import type { QuotaSpec } from '../../../config/policy/quota-spec.js';
import type { BoundService } from '../../../model/policy/bound-services.js';
import { NO_PLANS } from '../../../model/policy/plans/plan-bindings.js';
import { type PolicyBindings, resolvePolicyBindings } from '../../../model/policy/policy-bindings.js';
import { isBoundBy, type ResolvedBinding, type ResolvedBindings } from '../../../model/policy/resolve-bindings.js';
import type { PushContext } from '../../../model/push-context.js';
import type { Service } from '../../../model/service.js';
import { type AnalysisInput, type AnalysisMemory, createAnalysisMemory, type Enforcement } from '../analysis-input.js';
import { type AnalysisMessage, createMessage, inPod, sortMessages } from '../analysis-message.js';
import { ANALYZERS, analyze } from '../analyze.js';
import { analyzePeerAuthentication } from '../analyzers/ignored-peer-authentications.js';
import { analyzeAuthorizationPolicy } from '../analyzers/ineffective-authorization-policies.js';
import { analyzeRequestAuthentication } from '../analyzers/ineffective-request-authentications.js';
import { findOverlappingConditions } from '../analyzers/overlapping-conditions.js';
import { knownAttributesOf } from '../known-attributes.js';
import { findApiOverlap } from '../overlap/api-specs-overlap.js';
import { findQuotaOverlap } from '../overlap/quota-specs-overlap.js';
import { createRegexMemo } from '../overlap/regex-memo.js';
import { type ServiceConflict, serviceConflictsOf } from '../service-conflicts.js';
import { createTrafficIndex, type TrafficIndex } from '../traffic/traffic-index.js';
import { ANALYZED_KINDS, analyzeObject, TRAFFIC_ANALYZERS } from '../traffic-analyzers.js';
import { type CandidateOverlap, type FindOverlap, findCandidateOverlaps } from './candidate-overlaps.js';
import { candidatePlans } from './candidate-plans.js';

/** The messages that one object would get if it were applied now in place of its old version; sorted. */
export type CandidateAnalysis = (candidate: MeshObject, enforcement: Enforcement) => readonly AnalysisMessage[];

/** The kinds of quotas, or those of API specs. */
interface Side {
  readonly name: 'quotas' | 'apis';
  readonly specKind: string;
  readonly find: FindOverlap;
}

const QUOTAS: Side = {
  name: 'quotas',
  specKind: 'QuotaSpec',
  find: (first, second, ...rest) => findQuotaOverlap(first.body as QuotaSpec, second.body as QuotaSpec, ...rest),
};
const APIS: Side = {
  name: 'apis',
  specKind: 'HTTPAPISpec',
  find: (first, second, ...rest) => findApiOverlap(first.body as HttpApiSpec, second.body as HttpApiSpec, ...rest),
};
const SIDES: ReadonlyMap<string, Side> = new Map([
  ['QuotaSpec', QUOTAS],
  ['QuotaSpecBinding', QUOTAS],
  ['HTTPAPISpec', APIS],
  ['HTTPAPISpecBinding', APIS],
]);
const PLAN_KINDS: ReadonlySet<string> = new Set(['Plan', 'Consumer']);

/**
 * Without the analyzers of traffic, which read other kinds, and without the one that compares all specs: `findCandidateOverlaps` compares only those that meet the candidate.
 */
const OTHER_ANALYZERS = Object.fromEntries(
  Object.entries(ANALYZERS).filter(
    ([name, analyzer]) => analyzer !== findOverlappingConditions && !TRAFFIC_ANALYZERS.has(name),
  ),
);
const NO_BINDINGS: ResolvedBindings = { bindings: [], specsOf: () => [] };
const NO_POLICIES = {
  quotas: NO_BINDINGS as PolicyBindings['quotas'],
  apis: NO_BINDINGS as PolicyBindings['apis'],
  plans: NO_PLANS,
  quotaSpecsOf: () => [],
  apiSpecsOf: () => [],
} satisfies PolicyBindings;

/**
 * Analyzes candidates against one snapshot. Keep one per snapshot: it resolves the snapshot's bindings once. It reads
 * only the objects that the candidate affects, so an answer takes about a millisecond in a mesh of any size.
 *
 * Listener conflicts (MESH0401) are not among its messages: they depend on the listeners of connected proxies.
 */
export function createCandidateAnalysis(context: PushContext, memory?: AnalysisMemory): CandidateAnalysis {
  const { workloadLabelsOf, traffic: trafficMemory } = memory ?? createAnalysisMemory();
  let traffic: TrafficIndex | undefined;
  const trafficOf = (enforcement: Enforcement): TrafficIndex => {
    traffic ??= createTrafficIndex(context, trafficMemory, enforcement);
    return traffic;
  };
  const aboutTraffic = (candidate: MeshObject, enforcement: Enforcement): readonly AnalysisMessage[] => {
    if (!ANALYZED_KINDS.has(candidate.kind)) return [];
    const messages = analyzeObject(candidate, trafficOf(enforcement));
    return enforcement.isPod === true ? messages.map(inPod) : messages;
  };
  let resolved: PolicyBindings | undefined;
  const present = (): PolicyBindings => {
    resolved ??= resolvePolicyBindings(context);
    return resolved;
  };
  let known: KnownAttributes | undefined;
  const knownAttributes = (): KnownAttributes => {
    known ??= knownAttributesOf(context.objects);
    return known;
  };
  let conflicts: readonly ServiceConflict[] | undefined;
  const serviceConflicts = (): readonly ServiceConflict[] => {
    conflicts ??= serviceConflictsOf(context);
    return conflicts;
  };
  return (candidate, enforcement) => {
    if (candidate.kind === 'PeerAuthentication') {
      const messages = analyzePeerAuthentication(context, candidate, enforcement);
      return sortMessages([...messages, ...aboutTraffic(candidate, enforcement)]);
    }
    if (candidate.kind === 'AuthorizationPolicy') return analyzeAuthorizationPolicy(context, candidate, enforcement);
    if (candidate.kind === 'RequestAuthentication') {
      const messages = analyzeRequestAuthentication(candidate, enforcement);
      return sortMessages([...messages, ...aboutTraffic(candidate, enforcement)]);
    }
    if (PLAN_KINDS.has(candidate.kind)) {
      if (isTooLarge(candidate, context)) return [];
      const plans = candidatePlans(candidate, context);
      const services = candidate.kind === 'Plan' ? servicesOf(plans.bindings, context) : [];
      return sortMessages(analyzeAlone(candidate, { services, bindings: { ...NO_POLICIES, plans } }, enforcement));
    }
    const side = SIDES.get(candidate.kind);
    if (side === undefined) return sortMessages(aboutTraffic(candidate, enforcement));
    if (isTooLarge(candidate, context)) return [];
    const touched =
      candidate.kind === side.specKind
        ? touchedBySpec(candidate, context, present()[side.name])
        : touchedByBinding(candidate, context, side, present()[side.name]);
    const { services, bindings } = touched;
    const messages = analyzeAlone(candidate, { services, bindings: bindingsOf(side, bindings) }, enforcement);
    const overlaps = findCandidateOverlaps({ ...touched, services: touched.meetings, find: side.find });
    return sortMessages([
      ...messages,
      ...overlaps.filter(touched.isReal).map((overlap) => overlapMessage(candidate, overlap)),
    ]);
  };

  /** The messages of the analyzers that read neither traffic nor other specs. */
  function analyzeAlone(
    candidate: MeshObject,
    { services, bindings }: Pick<AnalysisInput, 'services' | 'bindings'>,
    enforcement: Enforcement,
  ): readonly AnalysisMessage[] {
    const key = keyOf(candidate);
    const messages = analyze(
      {
        objects: new Map([[candidate.kind, new Map([[key, candidate]])]]),
        authorizationPolicies: context.authorizationPolicies,
        requestAuthentications: context.requestAuthentications,
        services,
        servicesByHost: context.servicesByHost,
        endpoints: context.endpoints,
        workloadLabelsOf,
        traffic: trafficOf(enforcement),
        mesh: context.mesh,
        // The service of a shared port depends on bindings that the candidate does not affect.
        sharedPorts: [],
        // `reviewEntry` of the webhook judges ServiceEntries.
        entryOffences: new Map(),
        bindingGrants: context.bindingGrants,
        derivationProblems: [],
        quotaShapes: context.quotaShapes,
        apiKeySecrets: context.apiKeySecrets,
        bindings,
        enforcement,
        serviceConflicts: serviceConflicts(),
        // Each answer has a budget of its own.
        knownAttributes: { ...knownAttributes(), matches: createRegexMemo({ beyond: true }) },
      },
      OTHER_ANALYZERS,
    );
    return messages.filter(({ object }) => object === key || object === undefined);
  }
}

/** Comparisons of a binding's services with the services of the mesh, which take some milliseconds. */
const MAX_PATTERN_COMPARISONS = 1_000_000;

/** Whether wildcards need too many comparisons for an admission. The analysis of applied objects makes them later. */
function isTooLarge({ body }: MeshObject, { services }: PushContext): boolean {
  const named = (body as Partial<QuotaSpecBinding>).services ?? [];
  return (
    named.some(({ service }) => service?.includes('*')) && named.length * services.length > MAX_PATTERN_COMPARISONS
  );
}

/** The parts of a snapshot that a candidate affects. */
interface Touched {
  readonly bindings: readonly ResolvedBinding[];
  /** Services that analyzers of bindings read. */
  readonly services: readonly Service[];
  readonly mine: readonly MeshObject[];
  /** Services to which several specs may be bound. */
  readonly meetings: readonly Service[];
  othersAt(service: BoundService): readonly MeshObject[];
  isReal(overlap: CandidateOverlap): boolean;
}

function touchedBySpec(spec: MeshObject, context: PushContext, present: ResolvedBindings): Touched {
  const key = keyOf(spec);
  const bindings = present.bindings.filter(({ references }) => references.some((reference) => reference.key === key));
  return {
    bindings: bindings,
    services: [],
    mine: [spec],
    meetings: boundOf(bindings, servicesOf(bindings, context)),
    othersAt: (service) => present.specsOf(service),
    isReal: () => true,
  };
}

function touchedByBinding(binding: MeshObject, context: PushContext, side: Side, present: ResolvedBindings): Touched {
  const key = keyOf(binding);
  const specs = context.objects.get(side.specKind) ?? new Map<ObjectKey, MeshObject>();
  const alone = resolvePolicyBindings({
    objects: new Map([
      [binding.kind, new Map([[key, binding]])],
      [side.specKind, specs],
    ]),
    domain: context.domain,
    bindingGrants: context.bindingGrants,
  })[side.name];
  const services = servicesOf(alone.bindings, context);
  const mine: readonly MeshObject[] = alone.bindings.flatMap(({ references }) =>
    references.flatMap(({ spec }) => spec ?? []),
  );
  return {
    bindings: alone.bindings,
    services,
    mine,
    meetings: boundOf(alone.bindings, services),
    othersAt: (service) => present.specsOf(service),
    // A spec that only the old version of this binding bound to the service goes with that version.
    isReal: ({ other, service }) => mine.includes(other) || isBoundByAnother(present, key, keyOf(other), service),
  };
}

function isBoundByAnother(
  present: ResolvedBindings,
  except: ObjectKey,
  spec: ObjectKey,
  service: BoundService,
): boolean {
  return present.bindings.some(
    (other) =>
      keyOf(other.binding) !== except && other.references.some(({ key }) => key === spec) && isBoundBy(other, service),
  );
}

/** The services on which at least one of the bindings acts. */
function boundOf(bindings: readonly ResolvedBinding[], services: readonly Service[]): readonly Service[] {
  return services.filter((service) => bindings.some(({ actsOn }) => actsOn(service.namespace)));
}

/** The services that bindings name. Only wildcards need a search among all services. */
function servicesOf(
  bindings: readonly Pick<ResolvedBinding, 'services'>[],
  { services, servicesByHost }: PushContext,
): readonly Service[] {
  const patterns = bindings.flatMap((binding) => binding.services.map(({ pattern }) => pattern));
  if (patterns.some(({ type }) => type === 'every')) return services;
  const hostnames = new Set(patterns.flatMap((pattern) => (pattern.type === 'host' ? pattern.hostname : [])));
  const texts = [...new Set(patterns.flatMap((pattern) => (pattern.type === 'containing' ? pattern.text : [])))];
  if (texts.length === 0) return [...hostnames].flatMap((hostname) => servicesByHost.get(hostname) ?? []);
  return services.filter(({ hostname }) => hostnames.has(hostname) || texts.some((text) => hostname.includes(text)));
}

/** Bindings without the specs of each host, which only the analyzer of overlaps reads. */
function bindingsOf({ name }: Side, bindings: readonly ResolvedBinding[]): PolicyBindings {
  const some: ResolvedBindings = { bindings, specsOf: () => [] };
  return { ...NO_POLICIES, [name]: some };
}

function overlapMessage(
  candidate: MeshObject,
  { mine, other, service: { hostname }, at }: CandidateOverlap,
): AnalysisMessage {
  const object = keyOf(candidate);
  const theirs = `${at.second} of ${keyOf(other)}`;
  if (keyOf(mine) === object) {
    const text = `one request to ${hostname} can match this and ${theirs}`;
    return createMessage('overlappingConditions', { object, field: at.first }, text);
  }
  const text = `one request to ${hostname} can match both ${at.first} of ${keyOf(mine)} and ${theirs}`;
  return createMessage('overlappingConditions', { object, field: 'spec.services' }, text);
}
