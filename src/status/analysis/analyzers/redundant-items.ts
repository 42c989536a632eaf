import { keyOf } from '../../../config/object.js';
import { LIMITS } from '../../../config/policy/limits.js';
import type { ResolvedBinding } from '../../../model/policy/resolve-bindings.js';
import { matchesHost, type ServicePattern } from '../../../model/policy/service-pattern.js';
import { type Analyzer, type AnyBinding, allBindings } from '../analysis-input.js';
import { type AnalysisMessage, createMessage } from '../analysis-message.js';
import { createComparisonBudget } from '../overlap/comparison-budget.js';

/** Comparisons of one binding, which take one or two milliseconds. */
const MAX_COMPARISONS = 20_000;

/** Services and references of a binding that another item of the binding already covers. */
export const findRedundantItems: Analyzer = ({ bindings }) =>
  allBindings(bindings).flatMap((any) => [
    ...redundantServices(any.resolved).slice(0, LIMITS.violations),
    ...redundantReferences(any).slice(0, LIMITS.violations),
  ]);

type Item = ResolvedBinding['services'][number];

function redundantServices({ binding, services }: ResolvedBinding): readonly AnalysisMessage[] {
  const object = keyOf(binding);
  const budget = createComparisonBudget(MAX_COMPARISONS);
  const firstOf = new Map<string, number>();
  const wildcards: (readonly [Item, number])[] = [];
  for (const [index, item] of services.entries()) {
    const { pattern } = item;
    const id = idOf(item);
    if (!firstOf.has(id)) firstOf.set(id, index);
    if (pattern.type !== 'unusable') {
      // A host without labels covers the same host with labels.
      if (pattern.type !== 'host' || Object.keys(item.source.labels).length === 0) wildcards.push([item, index]);
    }
  }
  return services.flatMap((item, index) => {
    if (item.pattern.type === 'unusable') return [];
    const same = firstOf.get(idOf(item)) ?? index;
    const wider =
      same < index
        ? same
        : wildcards.find(
            ([other, at]) => at !== index && idOf(other) !== idOf(item) && budget.spend() && covers(other, item),
          )?.[1];
    if (wider === undefined) return [];
    const what = wider === same && same < index ? 'names the same' : 'names this and more';
    const where = { object, field: `spec.services[${index}]` };
    return createMessage('redundantItem', where, `services[${wider}] ${what} (${shown(item)})`);
  });
}

function idOf({ pattern, source: { labels } }: Item): string {
  return JSON.stringify([pattern, Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** Whether the first item names all services and workloads that the second names. */
function covers({ pattern, source }: Item, item: Item): boolean {
  const labels = Object.entries(source.labels);
  return isWithin(item.pattern, pattern) && labels.every(([key, value]) => item.source.labels[key] === value);
}

function isWithin(pattern: ServicePattern, wider: ServicePattern): boolean {
  switch (pattern.type) {
    case 'host':
      return matchesHost(wider, pattern.hostname);
    case 'containing':
      return wider.type === 'every' || (wider.type === 'containing' && pattern.text.includes(wider.text));
    case 'every':
      return wider.type === 'every';
    case 'unusable':
      return false;
  }
}

function shown({ pattern }: Item): string {
  switch (pattern.type) {
    case 'host':
      return pattern.hostname;
    case 'containing':
      return `*${pattern.text}*`;
    case 'every':
      return '*';
    case 'unusable':
      return pattern.text;
  }
}

function redundantReferences({ resolved, referencesField }: AnyBinding): readonly AnalysisMessage[] {
  const { binding, references } = resolved;
  const firstOf = new Map<string, number>();
  return references.flatMap(({ key }, index) => {
    const first = firstOf.get(key);
    if (first === undefined) {
      firstOf.set(key, index);
      return [];
    }
    const where = { object: keyOf(binding), field: `spec.${referencesField}[${index}]` };
    return createMessage('redundantItem', where, `${referencesField}[${first}] names ${key} already`);
  });
}
