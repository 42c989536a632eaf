import type { AuthorizationPolicySpec } from './authorization-policy.js';

/**
 * The most that one policy may take, estimated. A listener has the rules of a policy in each of its filter chains, which
 * are ten to twenty for most workloads.
 */
export const MAX_POLICY_BYTES = 256 * 1024;

/** The most that all policies of one workload may take together, estimated likewise. */
export const MAX_WORKLOAD_POLICY_BYTES = 1024 * 1024;

/** The name of a rule in the filter. */
const BYTES_PER_RULE = 256;
/** Names of fields, of the filter of JWTs, and lengths. */
const BYTES_PER_VALUE = 64;
/** A claim is compared as a text and as a list, a JWT subject by issuer and subject. */
const COMPARISONS = 2;

/** About how many bytes the rules take in one filter of Envoy. */
export function policyBytes({ rules = [] }: Pick<AuthorizationPolicySpec, 'rules'>): number {
  let bytes = rules.length * BYTES_PER_RULE;
  for (const { from = [], to = [], when = [] } of rules) {
    for (const { source } of from) bytes += listBytes(source);
    for (const { operation } of to) bytes += listBytes(operation);
    for (const { key, values, notValues } of when) {
      const isSubject = key === 'request.auth.principal';
      const comparisons = key.startsWith('request.auth.') ? COMPARISONS : 1;
      for (const value of [...(values ?? []), ...(notValues ?? [])]) {
        bytes += isSubject ? subjectBytes(value) : comparisons * (valueBytes(value) + Buffer.byteLength(key));
      }
    }
  }
  return bytes;
}

function listBytes(lists: Readonly<Record<string, readonly string[] | undefined>>): number {
  let bytes = 0;
  for (const [name, values = []] of Object.entries(lists)) {
    const bytesOf = /requestPrincipals/i.test(name) ? subjectBytes : valueBytes;
    for (const value of values) bytes += bytesOf(value);
  }
  return bytes;
}

function valueBytes(value: string): number {
  return Buffer.byteLength(value) + BYTES_PER_VALUE;
}

/** Each slash may be the one between issuer and subject. */
function subjectBytes(value: string): number {
  return COMPARISONS * value.split('/').length * valueBytes(value);
}
