/** `spiffe://<td>/ns/<ns>/sa/<sa>`; `@` in the trust domain becomes `.` (BEHAVIOUR 4, "SPIFFE"). */
export function spiffeIdentity(trustDomain: string, namespace: string, serviceAccount: string): string {
  return `spiffe://${trustDomain.replaceAll('@', '.')}/ns/${namespace}/sa/${serviceAccount}`;
}
