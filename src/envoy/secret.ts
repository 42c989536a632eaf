import type { Secret } from '../generated/envoy/extensions/transport_sockets/tls/v3/Secret.js';
import type { EncodedResource } from './encoded-resource.js';
import type { MessageEncoder } from './message-encoder.js';
import { TypeUrl } from './type-urls.js';

/** What proxies ask for by SDS over their discovery stream: their own certificate with its key. */
export const WORKLOAD_SECRET = 'default';

/** The same: the roots that certificates of the mesh are verified with. */
export const ROOTS_SECRET = 'ROOTCA';

/**
 * A certificate with its key, as a resource. It goes to the one connection that it was made for: keep it out of
 * whatever is shared, shown or logged.
 *
 * @param chain PEM: the leaf, then the intermediates
 * @param key PEM
 */
export function encodeWorkloadSecret(encoder: MessageEncoder, chain: string, key: string): EncodedResource {
  const secret: Secret = {
    name: WORKLOAD_SECRET,
    tlsCertificate: { certificateChain: { inlineString: chain }, privateKey: { inlineString: key } },
  };
  return encoder.encodeResource(TypeUrl.secret, WORKLOAD_SECRET, secret);
}

/** @param roots PEM: every root that is trusted */
export function encodeRootsSecret(encoder: MessageEncoder, roots: string): EncodedResource {
  const secret: Secret = { name: ROOTS_SECRET, validationContext: { trustedCa: { inlineString: roots } } };
  return encoder.encodeResource(TypeUrl.secret, ROOTS_SECRET, secret);
}
