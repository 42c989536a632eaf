import type { ProtoRegistry } from '../envoy/proto-registry.js';
import type { ServerCertificate } from '../net/tls-material.js';
import { readAny } from './discovery-messages.js';

/** One secret as SDS serves it. */
export type ReceivedSecret =
  | { readonly type: 'certificate'; readonly certificate: ServerCertificate }
  /** PEM. */
  | { readonly type: 'roots'; readonly roots: string };

/** @param resource a Secret, packed. @throws Error when it is something else */
export type ReadSecret = (resource: Buffer) => ReceivedSecret;

interface WireText {
  readonly inlineString?: string;
}

interface WireSecret {
  readonly tlsCertificate?: { readonly certificateChain?: WireText; readonly privateKey?: WireText } | null;
  readonly validationContext?: { readonly trustedCa?: WireText } | null;
}

export function createSecretReader(protos: ProtoRegistry): ReadSecret {
  const type = protos.type('envoy.extensions.transport_sockets.tls.v3.Secret');
  return (resource) => {
    const secret = type.decode(readAny(resource).value) as WireSecret;
    const certificateChain = secret.tlsCertificate?.certificateChain?.inlineString;
    const privateKey = secret.tlsCertificate?.privateKey?.inlineString;
    if (certificateChain && privateKey) return { type: 'certificate', certificate: { certificateChain, privateKey } };
    const roots = secret.validationContext?.trustedCa?.inlineString;
    if (roots) return { type: 'roots', roots };
    throw new Error('a secret is neither a certificate with its key nor roots');
  };
}
