import type { Service } from '../service.js';

export function isPublic({ exportTo }: Service): boolean {
  return exportTo.includes('*');
}

/** Namespaces of `exportTo`, with `.` written out; `*` stays. */
export function exportedNamespaces({ exportTo, namespace }: Service): readonly string[] {
  return exportTo.map((item) => (item === '.' ? namespace : item));
}

export function isVisibleTo(service: Service, namespace: string): boolean {
  return isPublic(service) || exportedNamespaces(service).includes(namespace);
}

/** Whether a namespace exists that sees both. */
export function seenTogether(first: Service, second: Service): boolean {
  if (isPublic(first) || isPublic(second)) return true;
  const namespaces = exportedNamespaces(second);
  return exportedNamespaces(first).some((namespace) => namespaces.includes(namespace));
}
