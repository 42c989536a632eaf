import type { AttributeLayer } from './attribute-bag.js';
import type { AttributeType, AttributeValue } from './attribute-value.js';

/**
 * The protected attributes that a caller may send, with their types.
 * docs/reference/policy-client.md#forwarded-attributes lists the strings. `source.ip` is included because
 * docs/reference/policy-client.md#serviceconfig and docs/reference/policy-client.md#httpclientconfig name it as
 * typically forwarded.
 */
const FORWARDABLE: ReadonlyMap<string, readonly AttributeType[]> = new Map<string, readonly AttributeType[]>([
  ['source.uid', ['string']],
  ['source.namespace', ['string']],
  ['source.ip', ['bytes', 'string']],
  ['destination.service.name', ['string']],
  ['destination.service.uid', ['string']],
  ['destination.service.host', ['string']],
  ['destination.service.namespace', ['string']],
]);

/**
 * Prefixes of names that identify a workload or a service. Only the receiving proxy knows these. A workload that could
 * send them could pretend to be another one, or have its requests counted for another service.
 */
const PROTECTED = [
  'source.',
  'destination.',
  'target.',
  'origin.',
  'connection.',
  'context.',
  'api.',
  'request.auth.',
] as const;
const PROTECTED_NAMES: ReadonlySet<string> = new Set(['request.api_key']);

/**
 * The accepted attributes: all names that are not protected, and the protected names that callers may send, with the
 * right type. The layer itself when all are accepted.
 */
export function acceptForwarded(forwarded: AttributeLayer): AttributeLayer {
  for (const [name, value] of forwarded) {
    if (!isAccepted(name, value)) return withAccepted(forwarded);
  }
  return forwarded;
}

function withAccepted(forwarded: AttributeLayer): AttributeLayer {
  const accepted = new Map<string, AttributeValue>();
  for (const [name, value] of forwarded) {
    if (isAccepted(name, value)) accepted.set(name, value);
  }
  return accepted;
}

function isAccepted(name: string, { type }: AttributeValue): boolean {
  const types = FORWARDABLE.get(name);
  if (types !== undefined) return types.includes(type);
  return !PROTECTED_NAMES.has(name) && !PROTECTED.some((beginning) => name.startsWith(beginning));
}
