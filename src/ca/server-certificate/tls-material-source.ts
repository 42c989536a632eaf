import type { TlsMaterialSource } from '../../net/tls-material.js';
import type { ServerCertificateSource } from './server-certificate-source.js';

/** Roots that verify client certificates; they change at run time. */
export interface ClientRoots {
  /** PEM; if empty, the listener does not ask for client certificates. */
  current(): readonly string[];
  /** @returns a function that removes the listener */
  onChange(listener: () => void): () => void;
}

/** The TLS material of a listener. Without `clientRoots` it does not ask for client certificates. */
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
