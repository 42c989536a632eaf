import { keyOf } from '../../../config/object.js';
import { readFastSpecs } from '../../../model/policy/fast/fast-specs.js';
import type { Analyzer } from '../analysis-input.js';
import { type AnalysisMessage, createMessage } from '../analysis-message.js';

/** Services that a message names; it counts the others. */
const MAX_NAMED = 3;

/** QuotaSpecs that ask for `fast` and stay exact, because the proxies of a service cannot enforce them. */
export const findSlowFastSpecs: Analyzer = ({ objects, services, bindings, quotaShapes, enforcement }) => {
  const specs = [...(objects.get('QuotaSpec')?.values() ?? [])];
  if (!specs.some(({ body }) => (body as { readonly enforcement?: string }).enforcement === 'fast')) return [];
  const found = new Map<string, { readonly hosts: string[]; readonly message: (text: string) => AnalysisMessage }>();
  for (const service of services) {
    const bound = bindings.quotaSpecsOf(service);
    const apis = bindings.apiSpecsOf(service).map(({ body }) => body);
    const { obstacles } = readFastSpecs(
      service,
      bound.map(({ body }) => body),
      apis,
      quotaShapes,
    );
    for (const spec of bound) {
      for (const { field, reason, isAboutLimit } of obstacles.get(spec.body) ?? []) {
        if (isAboutLimit && enforcement.knowsLimits === false) continue;
        const object = keyOf(spec);
        const id = JSON.stringify([object, field, reason]);
        const location = { object, field: `spec.${field}` };
        const known = found.get(id) ?? {
          hosts: [],
          message: (text) =>
            createMessage('fastStaysExact', location, `${reason}, so ${text} is checked by the policy server`),
        };
        found.set(id, known);
        known.hosts.push(service.hostname);
      }
    }
  }
  return [...found.values()].map(({ hosts, message }) => message(`each request to ${listOf(hosts)}`));
};

function listOf(hosts: readonly string[]): string {
  const named = hosts.slice(0, MAX_NAMED).join(', ');
  return hosts.length <= MAX_NAMED ? named : `${named} and ${hosts.length - MAX_NAMED} more services`;
}
