import { isRecord } from '../../base/record.js';
import { type ApiAnswer, refusalText, type SendRequest } from '../../kubernetes/client/api-sender.js';

export interface ReadinessProbeOptions {
  readonly send: SendRequest;
  readonly meshDomain: string;
  /** Where the object would be; the control plane's. */
  readonly namespace: string;
}

export type Readiness = { readonly ready: true } | { readonly ready: false; readonly why: string };

/** `manifests/` lets the control plane apply an object of this name. */
const NAME = 'invalid-quotaspec';

/** Name of the entry that must refuse, in the configuration that `manifests/` has. */
export function validationEntryName(meshDomain: string): string {
  return `validation.${meshDomain}`;
}

/**
 * Asks the API server to take an object, in a dry run, that only our webhook refuses: the CRD lets it through, for no
 * schema can tell what is a regular expression. Who is told that we denied it knows that API servers reach us and trust
 * our certificate (BEHAVIOUR 3, "Validation controller" c).
 */
export async function probeReadiness({ send, meshDomain, namespace }: ReadinessProbeOptions): Promise<Readiness> {
  const collection = `/apis/config.${meshDomain}/v1alpha2/namespaces/${encodeURIComponent(namespace)}/quotaspecs`;
  // Applied, not posted: the right to do so can be limited to an object of this name.
  const answer = await send({
    method: 'PATCH',
    path: `${collection}/${NAME}`,
    query: { dryRun: 'All', fieldManager: 'meshd', force: 'true' },
    contentType: 'application/apply-patch+yaml',
    body: {
      apiVersion: `config.${meshDomain}/v1alpha2`,
      kind: 'QuotaSpec',
      metadata: { name: NAME, namespace },
      spec: { rules: [{ match: [{ clause: { 'request.path': { regex: '(' } } }], quotas: [{ quota: 'invalid' }] }] },
    },
  });
  if (isKindAbsent(answer)) return { ready: true };
  const denied = `admission webhook "${validationEntryName(meshDomain)}" denied the request`;
  if (answer.status >= 300 && refusalText(answer).includes(denied)) return { ready: true };
  const why = answer.status < 300 ? 'the API server does not ask the webhook' : refusalText(answer);
  return { ready: false, why };
}

/** There is nothing to validate then. A namespace that is not there is told in another way. */
function isKindAbsent({ status, body }: ApiAnswer): boolean {
  if (status !== 404) return false;
  const details = isRecord(body) ? body['details'] : undefined;
  return !(isRecord(details) && details['kind'] === 'namespaces');
}
