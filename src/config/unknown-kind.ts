import { nearestName } from '../base/nearest-name.js';
import { apiVersionOf, type KindDefinition } from './kind-definition.js';
import { olderFormRemedy } from './policy-rules/older-kinds.js';
import type { Violation } from './violation.js';

/** The kinds of the core group. A folder that is also applied to a cluster may contain them. */
const KUBERNETES_CORE_KINDS = new Set([
  'Binding',
  'ComponentStatus',
  'ConfigMap',
  'Endpoints',
  'Event',
  'LimitRange',
  'Namespace',
  'Node',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Pod',
  'PodTemplate',
  'ReplicationController',
  'ResourceQuota',
  'Secret',
  'Service',
  'ServiceAccount',
]);

/**
 * Explains why an object of an unsupported kind or version is probably a mistake. Undefined if the kind belongs to
 * Kubernetes or to another product: the mesh ignores such objects.
 */
export function explainUnknownKind(
  definitions: readonly KindDefinition[],
  apiVersion: string,
  kind: string,
): Violation | undefined {
  const group = groupOf(apiVersion);
  const ofGroup = definitions.filter((definition) => definition.group === group);
  const known = ofGroup.find((definition) => definition.kind === kind);
  if (known !== undefined) {
    return badApiVersion(apiVersion, `is not a supported version of ${kind}`, [known]);
  }
  const own = definitions.filter(({ unknownFields }) => unknownFields === 'refused');
  if (own.some((definition) => definition.group === group)) return badKind(apiVersion, kind, ofGroup);
  const isNamedLike = (definition: KindDefinition): boolean => definition.kind.toLowerCase() === kind.toLowerCase();
  if (group === '' && !own.some(isNamedLike)) {
    return KUBERNETES_CORE_KINDS.has(kind) ? undefined : badKind(apiVersion, kind, ofGroup, KUBERNETES_CORE_KINDS);
  }
  const candidates = isKubernetesGroup(group) ? definitions : own;
  const named = candidates.filter((definition) => isNamedLike(definition) && canBeMeant(definition, group));
  if (named.length > 0) return badApiVersion(apiVersion, `is not an API group that has ${kind}`, named);
  const similar = nearestName(group, new Set(own.map((definition) => definition.group)));
  if (similar === undefined) return undefined;
  const inSimilar = own.filter((definition) => definition.group === similar);
  return badApiVersion(apiVersion, 'is not a supported API group', inSimilar.slice(0, 1));
}

/** Kinds of these names exist in many products, so only a group such as `networking.example.com` can mean ours. */
const COMMON_NAMES = new Set([
  'Gateway',
  'Sidecar',
  'Plan',
  'Consumer',
  'adapter',
  'handler',
  'instance',
  'rule',
  'template',
]);

function canBeMeant(definition: KindDefinition, group: string): boolean {
  return !COMMON_NAMES.has(definition.kind) || firstLabel(definition.group) === firstLabel(group);
}

function firstLabel(group: string): string {
  return group.split('.', 1)[0] ?? '';
}

function badApiVersion(value: string, message: string, definitions: readonly KindDefinition[]): Violation {
  return { path: 'apiVersion', value, message, remedy: `did you mean ${versionsOf(definitions).join(' or ')}?` };
}

/** @param alsoKnown valid kinds of the group that the mesh ignores */
function badKind(
  apiVersion: string,
  kind: string,
  ofGroup: readonly KindDefinition[],
  alsoKnown: Iterable<string> = [],
): Violation {
  const older = ofGroup.some((definition) => definition.kind === 'handler') ? olderFormRemedy(kind) : undefined;
  const nearest = nearestName(kind, [...ofGroup.map((definition) => definition.kind), ...alsoKnown]);
  const definition = ofGroup.find((candidate) => candidate.kind === nearest);
  const versions = definition === undefined ? [] : versionsOf([definition]);
  const isRightVersion = versions.length === 0 || versions.includes(apiVersion);
  const kinds = ofGroup.map((candidate) => candidate.kind).join(', ');
  return {
    path: 'kind',
    value: kind,
    message: `is not a kind of ${groupOf(apiVersion) || 'the core group'}`,
    remedy:
      older ??
      (nearest === undefined
        ? `its supported kinds are ${kinds}`
        : `did you mean ${nearest}${isRightVersion ? '' : ` with apiVersion ${versions.join(' or ')}`}?`),
  };
}

function versionsOf(definitions: readonly KindDefinition[]): readonly string[] {
  return definitions.flatMap((definition) => definition.versions.map((version) => apiVersionOf(definition, version)));
}

/** Empty for the core group. */
function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** Groups that Kubernetes itself defines: apps, batch, rbac.authorization.k8s.io and so on. */
function isKubernetesGroup(group: string): boolean {
  return !group.includes('.') || group.endsWith('.k8s.io');
}
