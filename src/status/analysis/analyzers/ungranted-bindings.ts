import { keyOf } from '../../../config/object.js';
import { type BindingGrants, grantCommand } from '../../../model/policy/binding-grants.js';
import type { ResolvedBinding } from '../../../model/policy/resolve-bindings.js';
import { matchesHost, type ServicePattern } from '../../../model/policy/service-pattern.js';
import type { Service } from '../../../model/service.js';
import { isVisibleTo } from '../../../model/store/visibility.js';
import type { Analyzer } from '../analysis-input.js';
import { type AnalysisMessage, createMessage } from '../analysis-message.js';
import { type AnyBinding, allBindings } from '../binding-fields.js';

/** Further namespaces are counted. */
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
  // No namespace has this name: only bindings that act everywhere act on it.
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
  /** A wildcard must not tell of services that its namespace does not see. */
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
      const text = `namespace ${namespace} grants bindings of ${own} nothing: ${remedy(grants, namespace, own)}`;
      return createMessage('bindingNotGranted', where, text);
    }
    const found = namespacesOf(pattern);
    const [first] = found;
    if (first === undefined) return [];
    const more = found.length > MAX_NAMED ? ` and ${found.length - MAX_NAMED} more` : '';
    const named = `${found.slice(0, MAX_NAMED).join(', ')}${more}`;
    const text = `does not act on services of ${named}, which do not grant it: ${remedy(grants, first, own)}`;
    return createMessage('bindingNotGranted', where, text);
  });
}

/** Says the same whether the spec exists or not: that is for its own namespace to know. */
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

/** Short, for API servers cut warnings off after 256 characters; the command names the annotation. */
function remedy(grants: BindingGrants, namespace: string, own: string): string {
  return `run ${grantCommand(grants, namespace, own)}`;
}

function groupByNamespace(services: Services): ReadonlyMap<string, Services> {
  const groups = new Map<string, Service[]>();
  for (const service of services) {
    const group = groups.get(service.namespace);
    if (group === undefined) groups.set(service.namespace, [service]);
    else group.push(service);
  }
  return groups;
}
