import type { AttributeLayer } from './attribute-bag.js';
import type { AttributeType, AttributeValue } from './attribute-value.js';

/**
 * What a caller may tell of itself and of the service it means, and in which types. BEHAVIOUR 6 lists the strings;
 * `source.ip` is there because SPEC 2.11 and 2.13 name it as typically forwarded. Anything else is dropped, so that no
 * workload can claim attributes that only the receiving proxy knows.
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

/** The forwarded attributes that count: allowed names with values of the right type. The layer itself if all do. */
export function acceptForwarded(forwarded: AttributeLayer): AttributeLayer {
  for (const [name, value] of forwarded) {
    if (!isAccepted(name, value)) return withAccepted(forwarded);
  }
  return forwarded;
}

function withAccepted(forwarded: AttributeLayer): AttributeLayer {
  const accepted = new Map<string, AttributeValue>();
  for (const name of FORWARDABLE.keys()) {
    const value = forwarded.get(name);
    if (value !== undefined && isAccepted(name, value)) accepted.set(name, value);
  }
  return accepted;
}

function isAccepted(name: string, { type }: AttributeValue): boolean {
  return FORWARDABLE.get(name)?.includes(type) ?? false;
}
