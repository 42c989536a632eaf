import type { TlsMaterialSource } from '../../net/tls-material.js';
import type { ServerCertificateSource } from './server-certificate-source.js';

/** Roots that clients' certificates are verified against; they change at run time. */
export interface ClientRoots {
  /** PEM; empty where clients are asked for none. */
  current(): readonly string[];
  /** @returns ends it. */
  onChange(listener: () => void): () => void;
}

/** Material for a listener: the server's certificate, and whom it trusts. Without `clientRoots` it asks for no certificates. */
export function createTlsMaterialSource(
  certificate: ServerCertificateSource,
  clientRoots?: ClientRoots,
): TlsMaterialSource {
  return {
    current: () => {
      const present = certificate.current();
      return present === undefined ? undefined : { certificate: present, clientRoots: clientRoots?.current() ?? [] };
    },
    onChange: (listener) => {
      const ends = [certificate.onChange(listener), clientRoots?.onChange(listener)];
      return () => {
        for (const end of ends) end?.();
      };
    },
  };
}
