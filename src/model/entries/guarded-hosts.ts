import type { EntryGuard } from './entry-guard.js';

/** The facts about the mesh that decide which namespace owns a host. */
export type HostGuard = Pick<EntryGuard, 'domain' | 'isNamespace' | 'isService'>;

/**
 * The reason why a namespace may not export a host; undefined where it may. Envoy compares hosts without regard to
 * case, and resolvers complete short names, so short names of Services count as their full names.
 */
export function hostGuardReason(host: string, namespace: string, guard: HostGuard): string | undefined {
  const lower = host.toLowerCase();
  const name = lower.endsWith('.') ? lower.slice(0, -1) : lower;
  const isWildcard = name.startsWith('*.');
  const base = isWildcard ? name.slice(2) : name;
  const labels = base.split('.');
  return (
    clusterDomainReason(base, isWildcard, namespace, guard.domain.toLowerCase()) ??
    shortFormReason(labels, isWildcard, namespace, guard)
  );
}

function clusterDomainReason(base: string, isWildcard: boolean, own: string, domain: string): string | undefined {
  const services = `svc.${domain}`;
  if (base === domain || base.endsWith(`.${domain}`)) {
    const before = base.endsWith(`.${services}`) ? base.slice(0, -services.length - 1).split('.') : [];
    const namespace = before.at(-1);
    if (namespace === own && (isWildcard || before.length > 1)) return undefined;
    if (namespace === undefined) return `is in the domain of the cluster, ${domain}`;
    return `is a host of namespace ${namespace}`;
  }
  const covers = isWildcard && `.${services}`.endsWith(`.${base}`);
  return covers ? `covers the domain of the cluster, ${domain}` : undefined;
}

/** `name`, `name.namespace`, `name.namespace.svc`, and the same with the name of a pod before them. */
function shortFormReason(
  labels: readonly string[],
  isWildcard: boolean,
  own: string,
  { isNamespace, isService }: HostGuard,
): string | undefined {
  const last = labels.at(-1) ?? '';
  if (last === 'svc') {
    const namespace = labels.at(-2);
    if (namespace === own && (isWildcard || labels.length > 2)) return undefined;
    return namespace === undefined ? 'covers every Service' : `is a short host of namespace ${namespace}`;
  }
  if (last === own && (isWildcard || labels.length > 1)) return undefined;
  if (labels.length === 1) {
    if (isWildcard) return 'covers every host of a top-level domain';
    return 'is a bare name, which stands for a Service of whichever namespace asks';
  }
  const service = labels.at(-2) ?? '';
  const isForeign = isService(service, last) || (labels.length === 2 && !isWildcard && isNamespace(last));
  return isForeign ? `is a short host of namespace ${last}` : undefined;
}

/** The namespaces of which a host may be a short name, beside those that its form excludes. */
export function possibleNamespace(host: string): string {
  const name = host.endsWith('.') ? host.slice(0, -1) : host;
  return name.slice(name.lastIndexOf('.') + 1).toLowerCase();
}
