import type { Service } from '../service.js';

export function isPublic({ exportTo }: Service): boolean {
  return exportTo.includes('*');
}

/** Namespaces that a service names, its own written out; `*` stays. */
export function exportedNamespaces({ exportTo, namespace }: Service): readonly string[] {
  return exportTo.map((item) => (item === '.' ? namespace : item));
}

export function isVisibleTo(service: Service, namespace: string): boolean {
  return isPublic(service) || exportedNamespaces(service).includes(namespace);
}

/** Whether some namespace sees both. */
export function seenTogether(first: Service, second: Service): boolean {
  if (isPublic(first) || isPublic(second)) return true;
  const namespaces = exportedNamespaces(second);
  return exportedNamespaces(first).some((namespace) => namespaces.includes(namespace));
}
