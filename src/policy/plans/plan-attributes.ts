import { ipAddressText } from '../../base/ip-address.js';
import type { AttributeLayer } from '../client/attribute-bag.js';
import { type AttributeValue, stringAttribute } from '../client/attribute-value.js';

/** `<namespace>/<name>` of the Plan. */
const API_PLAN = 'api.plan';
/** `<namespace>/<name>` of the Consumer; the same as `api.key_id` for a request without a known key. */
export const API_CONSUMER = 'api.consumer';
/** `sha256:` and the hash of the key; `address:` and the address of the client for a request without a known key. */
export const API_KEY_ID = 'api.key_id';

/** The attributes of a request with a known key. */
export function consumerLayer(plan: string, consumer: string, keyHash: string): AttributeLayer {
  return new Map([
    [API_PLAN, stringAttribute(plan)],
    [API_CONSUMER, stringAttribute(consumer)],
    [API_KEY_ID, stringAttribute(`sha256:${keyHash}`)],
  ]);
}

/** The attributes of a request without a known key. @param origin attribute `origin.ip` */
export function anonymousLayer(plan: string, origin: AttributeValue | undefined): AttributeLayer {
  const caller = stringAttribute(`address:${addressOf(origin)}`);
  return new Map([
    [API_PLAN, stringAttribute(plan)],
    [API_CONSUMER, caller],
    [API_KEY_ID, caller],
  ]);
}

const IPV6_BYTES = 16;
const NETWORK_BYTES = 8;

/** An IPv6 address stands for its network of 64 bits: a client has all addresses of such a network. */
function addressOf(origin: AttributeValue | undefined): string {
  if (origin?.type !== 'bytes') return 'unknown';
  const text = ipAddressText(origin.value) ?? 'unknown';
  if (origin.value.length !== IPV6_BYTES || !text.includes(':')) return text;
  const network = new Uint8Array(IPV6_BYTES);
  network.set(origin.value.subarray(0, NETWORK_BYTES));
  return `${ipAddressText(network) ?? 'unknown'}/64`;
}
