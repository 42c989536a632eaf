import type { Secret } from '../generated/envoy/extensions/transport_sockets/tls/v3/Secret.js';
import type { EncodedResource } from './encoded-resource.js';
import type { MessageEncoder } from './message-encoder.js';
import { TypeUrl } from './type-urls.js';

/** Name of the secret with a proxy's own certificate and key (SDS). */
export const WORKLOAD_SECRET = 'default';

/** Name of the secret with the trusted roots of the mesh (SDS). */
export const ROOTS_SECRET = 'ROOTCA';

/**
 * A certificate with its key, as a resource for one connection. Never share, show or log it.
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

/** @param roots PEM: all trusted roots */
export function encodeRootsSecret(encoder: MessageEncoder, roots: string): EncodedResource {
  const secret: Secret = { name: ROOTS_SECRET, validationContext: { trustedCa: { inlineString: roots } } };
  return encoder.encodeResource(TypeUrl.secret, ROOTS_SECRET, secret);
}

/** The certificate and key that a credential holds. Never share, show or log it. @param name that proxies ask for */
export function encodeCredential(encoder: MessageEncoder, name: string, chain: string, key: string): EncodedResource {
  const secret: Secret = {
    name,
    tlsCertificate: { certificateChain: { inlineString: chain }, privateKey: { inlineString: key } },
  };
  return encoder.encodeResource(TypeUrl.secret, name, secret);
}

/** The root certificates that a credential holds. @param name that proxies ask for */
export function encodeCredentialRoots(encoder: MessageEncoder, name: string, roots: string): EncodedResource {
  const secret: Secret = { name, validationContext: { trustedCa: { inlineString: roots } } };
  return encoder.encodeResource(TypeUrl.secret, name, secret);
}
