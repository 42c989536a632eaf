import type { AttributeLayer } from './attribute-bag.js';
import type { AttributeType, AttributeValue } from './attribute-value.js';

/**
 * Which of the protected attributes a caller may tell, and in which types.
 * docs/reference/policy-client.md#forwarded-attributes lists the strings; `source.ip` is there because
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
 * Beginnings of the names that say who somebody is, or which service is meant. Only the receiving proxy knows these: a
 * workload that could claim them would pass for another one, or have its requests counted for another service.
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

/** The forwarded attributes that count: all but the protected names, and those of them that callers may tell, in the right type. The layer itself if all do. */
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
