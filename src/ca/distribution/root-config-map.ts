import { isRecord } from '../../base/record.js';
import type { ApiRequest } from '../../kubernetes/client/api-sender.js';

/**
 * The ConfigMap from which the workloads of a namespace read the roots
 * (docs/reference/certificate-authority.md#root-distribution).
 */
export const ROOT_CONFIG_MAP = 'mesh-ca-root-cert';
const KEY = 'root-cert.pem';
/** Field manager of our server-side applies: we own only the fields that we apply. */
const FIELD_MANAGER = 'navigator-root-cert';

export interface RootConfigMap {
  readonly namespace: string;
  /** All roots, PEM. */
  readonly roots: string;
  readonly meshDomain: string;
}

/** Creates or corrects the ConfigMap, and keeps the fields of other writers. */
export function applyRequest({ namespace, roots, meshDomain }: RootConfigMap): ApiRequest {
  const metadata = { name: ROOT_CONFIG_MAP, namespace, labels: { [labelOf(meshDomain)]: 'true' } };
  return {
    method: 'PATCH',
    path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/configmaps/${ROOT_CONFIG_MAP}`,
    query: { fieldManager: FIELD_MANAGER, force: 'true' },
    contentType: 'application/apply-patch+yaml',
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { [KEY]: roots } },
  };
}

/** Whether the ConfigMap on the API server is correct. */
export function isInPlace(raw: unknown, { roots, meshDomain }: RootConfigMap): boolean {
  if (!isRecord(raw) || !isRecord(raw['metadata']) || !isRecord(raw['data'])) return false;
  const { labels } = raw['metadata'];
  return raw['data'][KEY] === roots && isRecord(labels) && labels[labelOf(meshDomain)] === 'true';
}

function labelOf(meshDomain: string): string {
  return `${meshDomain}/config`;
}
