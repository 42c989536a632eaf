import { keyOf, type MeshObject, type ObjectKey } from '../../config/object.js';
import { DEFAULT_REGEX_LIMITS, formatKib, type RegexLimits } from '../../config/regex/regex-limits.js';
import { resolvePolicyBindings } from '../../model/policy/policy-bindings.js';
import { createRegexSums, REGEX_KINDS } from '../../model/policy/regex-sums.js';
import type { PushContext } from '../../model/push-context.js';

/** Rejects specs and bindings whose regular expressions exceed a limit together with those of existing objects. */
export interface RegexAdmission {
  /** Takes the newest snapshot. Before the first one, only the rules of the object itself apply. */
  observe(context: PushContext): void;
  /** The error with sum, limit, field and remedy; undefined if the object is accepted. */
  refusalOf(candidate: MeshObject): string | undefined;
}

type Context = Pick<PushContext, 'objects' | 'services' | 'domain' | 'bindingGrants'>;

const KINDS: readonly string[] = [...REGEX_KINDS, 'QuotaSpecBinding', 'HTTPAPISpecBinding'];

/** @param limits returns the limits at the time of the call */
export function createRegexAdmission(limits: () => RegexLimits = () => DEFAULT_REGEX_LIMITS): RegexAdmission {
  const sums = createRegexSums();
  let context: Context | undefined;

  const specsOf = (objects: Context['objects']): readonly MeshObject[] =>
    REGEX_KINDS.flatMap((kind) => [...(objects.get(kind)?.values() ?? [])]);
  const total = (objects: readonly MeshObject[]): number =>
    objects.reduce((sum, object) => sum + sums.bytesOf(object), 0);

  const refusedByNamespace = (candidate: MeshObject, present: Context): string | undefined => {
    const { namespaceBytes } = limits();
    const { namespace } = candidate.metadata;
    const key = keyOf(candidate);
    if (sums.bytesOf(candidate) === 0) return undefined;
    const others = specsOf(present.objects).filter(
      (object) => object.metadata.namespace === namespace && keyOf(object) !== key,
    );
    const bytes = total([...others, candidate]);
    if (bytes <= namespaceBytes) return undefined;
    return (
      `spec: brings the regular expressions of namespace ${namespace} to ${formatKib(bytes)} when compiled, ` +
      `more than the limit of ${formatKib(namespaceBytes)}; use exact and prefix matches, remove specs of the namespace, ` +
      'or raise NAV_REGEX_NAMESPACE_BYTES'
    );
  };

  const refusedByService = (candidate: MeshObject, present: Context): string | undefined => {
    const { serviceBytes } = limits();
    const objects = withCandidate(present.objects, candidate);
    // The usual case: no service can have more than all specs together.
    if (total(specsOf(objects)) <= serviceBytes) return undefined;
    const bindings = resolvePolicyBindings({ ...present, objects });
    const before = resolvePolicyBindings(present);
    const seen = new Set<string>();
    for (const service of present.services) {
      const specs: readonly MeshObject[] = [...bindings.apiSpecsOf(service), ...bindings.quotaSpecsOf(service)];
      const id = specs.map(keyOf).join();
      if (seen.has(id) || total(specs) <= serviceBytes) continue;
      seen.add(id);
      const bytes = sums.bytesTogether(specs);
      if (bytes <= serviceBytes) continue;
      // A service that other objects brought over the limit is not the candidate's fault, unless it adds more.
      const earlier = sums.bytesTogether([...before.apiSpecsOf(service), ...before.quotaSpecsOf(service)]);
      if (bytes <= earlier) continue;
      return (
        `spec: brings the regular expressions of all specs of ${service.hostname} to ${formatKib(bytes)} when ` +
        `compiled, more than the limit of ${formatKib(serviceBytes)}; bind fewer or smaller specs to the service, ` +
        'or raise NAV_REGEX_SERVICE_BYTES'
      );
    }
    return undefined;
  };

  return {
    observe: (next) => {
      context = next;
    },
    refusalOf: (candidate) => {
      if (context === undefined || !KINDS.includes(candidate.kind)) return undefined;
      const why = refusedByNamespace(candidate, context) ?? refusedByService(candidate, context);
      if (why === undefined) return undefined;
      const { namespace, name } = candidate.metadata;
      return `configuration is invalid: ${candidate.kind} ${namespace}/${name}: ${why}`;
    },
  };
}

function withCandidate(objects: Context['objects'], candidate: MeshObject): Context['objects'] {
  const ofKind = new Map<ObjectKey, MeshObject>(objects.get(candidate.kind) ?? []);
  ofKind.set(keyOf(candidate), candidate);
  return new Map([...objects, [candidate.kind, ofKind]]);
}
