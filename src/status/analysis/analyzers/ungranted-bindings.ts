import { appendTo } from '../../../base/append-to.js';
import { keyOf } from '../../../config/object.js';
import { type BindingGrants, grantCommand } from '../../../model/policy/binding-grants.js';
import type { ResolvedBinding } from '../../../model/policy/resolve-bindings.js';
import { matchesHost, type ServicePattern } from '../../../model/policy/service-pattern.js';
import type { Service } from '../../../model/service.js';
import { isVisibleTo } from '../../../model/store/visibility.js';
import { type Analyzer, type AnyBinding, allBindings } from '../analysis-input.js';
import { type AnalysisMessage, createMessage } from '../analysis-message.js';

/** Namespaces that a message names; it gives the number of the others. */
const MAX_NAMED = 3;

/** Services and specs that a binding names without the grant of their namespace. */
export const findUngrantedBindings: Analyzer = ({ services, bindings, bindingGrants }) => {
  const restricted = allBindings(bindings).filter(({ resolved }) => isRestricted(resolved, bindingGrants));
  if (restricted.length === 0) return [];
  const byHost = new Map(services.map((service) => [service.hostname, service]));
  const byNamespace = groupByNamespace(services);
  return restricted.flatMap((any) => [
    ...ungrantedServices(any.resolved, byHost, byNamespace, bindingGrants),
    ...ungrantedSpecs(any, bindingGrants),
  ]);
};

function isRestricted({ binding, actsOn }: ResolvedBinding, { isOpen }: BindingGrants): boolean {
  // No namespace has an empty name, so only a binding that acts on every namespace acts on it.
  return binding.origin === 'cluster' && !isOpen && !actsOn('');
}

type Services = readonly Service[];

function ungrantedServices(
  { binding, services, actsOn }: ResolvedBinding,
  byHost: ReadonlyMap<string, Service>,
  byNamespace: ReadonlyMap<string, Services>,
  grants: BindingGrants,
): readonly AnalysisMessage[] {
  const { namespace: own } = binding.metadata;
  /** The message must not reveal services that the binding's namespace does not see. */
  const namespacesOf = (pattern: ServicePattern): readonly string[] =>
    [...byNamespace]
      .filter(
        ([namespace, of]) =>
          !actsOn(namespace) &&
          of.some((service) => matchesHost(pattern, service.hostname) && isVisibleTo(service, own)),
      )
      .map(([namespace]) => namespace)
      .sort();
  return services.flatMap(({ pattern }, index) => {
    const where = { object: keyOf(binding), field: `spec.services[${index}]` };
    if (pattern.type === 'host') {
      const namespace = byHost.get(pattern.hostname)?.namespace;
      if (namespace === undefined || actsOn(namespace)) return [];
      const text = `namespace ${namespace} grants no access to bindings of ${own}: ${remedy(grants, namespace, own)}`;
      return createMessage('bindingNotGranted', where, text);
    }
    const found = namespacesOf(pattern);
    const [first] = found;
    if (first === undefined) return [];
    const more = found.length > MAX_NAMED ? ` and ${found.length - MAX_NAMED} more` : '';
    const named = `${found.slice(0, MAX_NAMED).join(', ')}${more}`;
    const text = `has no effect on services of ${named}, which grant no access: ${remedy(grants, first, own)}`;
    return createMessage('bindingNotGranted', where, text);
  });
}

/** The text is the same for specs that exist and specs that do not: other namespaces must not learn which exist. */
function ungrantedSpecs(
  { resolved: { binding, references }, referencesField }: AnyBinding,
  grants: BindingGrants,
): readonly AnalysisMessage[] {
  return references.flatMap(({ key, namespace, isGranted }, index) => {
    if (isGranted) return [];
    const where = { object: keyOf(binding), field: `spec.${referencesField}[${index}]` };
    const { namespace: own } = binding.metadata;
    const text = `namespace ${namespace} does not let bindings of ${own} use ${key}: ${remedy(grants, namespace, own)}`;
    return createMessage('bindingNotGranted', where, text);
  });
}

/** Short, because API servers cut warnings after 256 characters. The command names the annotation. */
function remedy(grants: BindingGrants, namespace: string, own: string): string {
  return `run ${grantCommand(grants, namespace, own)}`;
}

function groupByNamespace(services: Services): ReadonlyMap<string, Services> {
  const groups = new Map<string, Service[]>();
  for (const service of services) {
    appendTo(groups, service.namespace, service);
  }
  return groups;
}
