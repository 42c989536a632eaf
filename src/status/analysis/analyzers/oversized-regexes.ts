import { keyOf, type MeshObject } from '../../../config/object.js';
import { DEFAULT_REGEX_LIMITS, formatKib } from '../../../config/regex/regex-limits.js';
import { createRegexSums, REGEX_KINDS } from '../../../model/policy/regex-sums.js';
import type { AnalysisInput, Analyzer } from '../analysis-input.js';
import { type AnalysisMessage, createMessage } from '../analysis-message.js';

/** Regular expressions beyond the limit of their service or namespace, in objects that the webhook did not reject. */
export const findOversizedRegexes: Analyzer = (input) => {
  const { serviceBytes, namespaceBytes } = input.enforcement.regexLimits ?? DEFAULT_REGEX_LIMITS;
  const sums = createRegexSums();
  const specs = REGEX_KINDS.flatMap((kind) => [...(input.objects.get(kind)?.values() ?? [])]);
  const withRegexes = specs.filter((object) => sums.bytesOf(object) > 0);
  if (withRegexes.length === 0) return [];
  const messages: AnalysisMessage[] = [];
  for (const [namespace, objects] of byNamespace(withRegexes)) {
    const bytes = objects.reduce((sum, object) => sum + sums.bytesOf(object), 0);
    const last = objects.at(-1);
    if (bytes <= namespaceBytes || last === undefined) continue;
    const text = `the regular expressions of namespace ${namespace} need ${formatKib(bytes)} when compiled, more than the limit of ${formatKib(namespaceBytes)}`;
    messages.push(createMessage('regexesBeyondNamespace', { object: keyOf(last) }, text));
  }
  for (const { specs: bound, hostname } of boundSets(input)) {
    if (bound.reduce((sum, object) => sum + sums.bytesOf(object), 0) <= serviceBytes) continue;
    const bytes = sums.bytesTogether(bound);
    if (bytes <= serviceBytes) continue;
    const text = `the regular expressions of all specs of ${hostname} need ${formatKib(bytes)} when compiled, more than the limit of ${formatKib(serviceBytes)}`;
    for (const object of beyond(bound, serviceBytes, sums.bytesTogether)) {
      messages.push(createMessage('regexesBeyondService', { object: keyOf(object) }, text));
    }
  }
  return messages;
};

function byNamespace(objects: readonly MeshObject[]): ReadonlyMap<string, readonly MeshObject[]> {
  const namespaces = new Map<string, MeshObject[]>();
  for (const object of objects) {
    const { namespace } = object.metadata;
    namespaces.set(namespace, [...(namespaces.get(namespace) ?? []), object]);
  }
  return namespaces;
}

/** The different sets of specs that services have, each in the order in which the policy server compiles them. */
function* boundSets({ services, bindings }: AnalysisInput) {
  const seen = new Map<readonly MeshObject[], Set<readonly MeshObject[]>>();
  for (const service of services) {
    const apis: readonly MeshObject[] = bindings.apiSpecsOf(service);
    const quotas: readonly MeshObject[] = bindings.quotaSpecsOf(service);
    const partners = seen.get(apis) ?? new Set();
    seen.set(apis, partners);
    if (partners.has(quotas)) continue;
    partners.add(quotas);
    yield { specs: [...apis, ...quotas], hostname: service.hostname };
  }
}

/** The specs that exceed the limit together with the specs before them. */
function* beyond(
  specs: readonly MeshObject[],
  limit: number,
  bytesTogether: (objects: readonly MeshObject[]) => number,
): Iterable<MeshObject> {
  const before: MeshObject[] = [];
  for (const spec of specs) {
    before.push(spec);
    if (bytesTogether(before) > limit) yield spec;
  }
}
