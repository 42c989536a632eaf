import { isRecord } from '../../base/record.js';
import type { ApiRequest } from '../../kubernetes/client/api-sender.js';

/** The ConfigMap that workloads of a namespace take the roots from (BEHAVIOUR 4, "Root distribution"). */
export const ROOT_CONFIG_MAP = 'mesh-ca-root-cert';
const KEY = 'root-cert.pem';
/** Our name among those who write to it: we own the fields that we apply, and no others. */
const FIELD_MANAGER = 'navigator-root-cert';

export interface RootConfigMap {
  readonly namespace: string;
  /** PEM, every root. */
  readonly roots: string;
  readonly meshDomain: string;
}

/** Makes the ConfigMap, or makes it be as it should, and leaves alone what others have put there. */
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

/** Whether a ConfigMap, as the API server has it, is as it should be. */
export function isInPlace(raw: unknown, { roots, meshDomain }: RootConfigMap): boolean {
  if (!isRecord(raw) || !isRecord(raw['metadata']) || !isRecord(raw['data'])) return false;
  const { labels } = raw['metadata'];
  return raw['data'][KEY] === roots && isRecord(labels) && labels[labelOf(meshDomain)] === 'true';
}

function labelOf(meshDomain: string): string {
  return `${meshDomain}/config`;
}
