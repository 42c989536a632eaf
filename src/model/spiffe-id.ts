/** The identity of a workload: its service account, namespace and trust domain. */
export interface WorkloadIdentity {
  readonly trustDomain: string;
  readonly namespace: string;
  readonly serviceAccount: string;
}

/**
 * `spiffe://<td>/ns/<ns>/sa/<sa>`; `@` in the trust domain becomes `.`
 * (docs/reference/certificate-authority.md#spiffe-ids).
 */
export function formatSpiffeId({ trustDomain, namespace, serviceAccount }: WorkloadIdentity): string {
  return `spiffe://${trustDomain.replaceAll('@', '.')}/ns/${namespace}/sa/${serviceAccount}`;
}

const SPIFFE_ID = /^spiffe:\/\/([A-Za-z0-9._-]{1,255})\/ns\/([^/?#%\s]{1,253})\/sa\/([^/?#%\s]{1,253})$/;

/** Undefined unless `formatSpiffeId` could have written the text; nothing is decoded or normalised. */
export function parseSpiffeId(text: string): WorkloadIdentity | undefined {
  const [, trustDomain, namespace, serviceAccount] = SPIFFE_ID.exec(text) ?? [];
  if (trustDomain === undefined || namespace === undefined || serviceAccount === undefined) return undefined;
  return { trustDomain, namespace, serviceAccount };
}
