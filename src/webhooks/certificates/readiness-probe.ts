import { isRecord } from '../../base/record.js';
import { isNamedRevision } from '../../base/revision.js';
import { type ApiAnswer, refusalText, type SendRequest } from '../../kubernetes/client/api-sender.js';

export interface ReadinessProbeOptions {
  readonly send: SendRequest;
  readonly meshDomain: string;
  /** REVISION: API servers call its webhook for objects with its label. */
  readonly revision: string;
  /** Namespace of the probe object: that of the control plane. */
  readonly namespace: string;
}

export type Readiness = { readonly ready: true } | { readonly ready: false; readonly why: string };

/** `manifests/` give the control plane the right to apply an object of this name. */
const NAME = 'invalid-quotaspec';

/** Name of the entry in the validating webhook configuration of `manifests/`. */
export function validationEntryName(meshDomain: string): string {
  return `validation.${meshDomain}`;
}

/**
 * Applies an object in a dry run that only our webhook rejects: no CRD schema can check regular expressions. A
 * rejection by the webhook proves that API servers reach it and trust its certificate.
 */
export async function probeReadiness(options: ReadinessProbeOptions): Promise<Readiness> {
  const { send, meshDomain, revision, namespace } = options;
  const labels = { [`${meshDomain}/rev`]: revision };
  const collection = `/apis/config.${meshDomain}/v1alpha2/namespaces/${encodeURIComponent(namespace)}/quotaspecs`;
  // An apply, because RBAC can limit the right to an object of this name.
  const answer = await send({
    method: 'PATCH',
    path: `${collection}/${NAME}`,
    query: { dryRun: 'All', fieldManager: 'meshd', force: 'true' },
    contentType: 'application/apply-patch+yaml',
    body: {
      apiVersion: `config.${meshDomain}/v1alpha2`,
      kind: 'QuotaSpec',
      metadata: { name: NAME, namespace, ...(isNamedRevision(revision) && { labels }) },
      spec: { rules: [{ match: [{ clause: { 'request.path': { regex: '(' } } }], quotas: [{ quota: 'invalid' }] }] },
    },
  });
  if (isKindAbsent(answer)) return { ready: true };
  const denied = `admission webhook "${validationEntryName(meshDomain)}" denied the request`;
  if (answer.status >= 300 && refusalText(answer).includes(denied)) return { ready: true };
  const why = answer.status < 300 ? 'the API server does not call the webhook' : refusalText(answer);
  return { ready: false, why };
}

/** Without the CRD there is nothing to validate. A missing namespace is also a 404, with other details. */
function isKindAbsent({ status, body }: ApiAnswer): boolean {
  if (status !== 404) return false;
  const details = isRecord(body) ? body['details'] : undefined;
  return !(isRecord(details) && details['kind'] === 'namespaces');
}
