import { isRecord } from '../../base/record.js';
import { rawKind } from './raw-kind.js';

export const SECRET_KIND = rawKind({ group: '', kind: 'Secret', plural: 'secrets', namespaced: true });

/** The text of an entry of a Secret; undefined without one. @param data of the Secret, as the API server sends it */
export function secretText(data: unknown, entry: string): string | undefined {
  const value = isRecord(data) && Object.hasOwn(data, entry) ? data[entry] : undefined;
  return typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : undefined;
}

/** Why the Secrets of a namespace cannot be watched without the right to do so. */
export function secretsForbidden(namespace: string): { readonly reason: string; readonly remedy: string } {
  const remedy = `allow the control plane to list and watch secrets in namespace ${namespace} (a Role and a RoleBinding)`;
  return { reason: 'the control plane may not read secrets of its namespace', remedy };
}
