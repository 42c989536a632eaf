/** Who a workload is: its service account, in its namespace, in its trust domain. */
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

/** Undefined for anything but an identity as `formatSpiffeId` writes it; nothing is decoded or normalised. */
export function parseSpiffeId(text: string): WorkloadIdentity | undefined {
  const [, trustDomain, namespace, serviceAccount] = SPIFFE_ID.exec(text) ?? [];
  if (trustDomain === undefined || namespace === undefined || serviceAccount === undefined) return undefined;
  return { trustDomain, namespace, serviceAccount };
}
