import type { ConnectionFacts } from '../../client/connection-attributes.js';
import type { WireCheckRequest } from './envoy-messages.js';
import { ipBytesOf } from './wire-address.js';

/** The connection that a Check is about. Envoy names a principal exactly when the peer's certificate was verified. */
export function checkConnectionFacts({ attributes }: WireCheckRequest): ConnectionFacts {
  const sourcePrincipal = attributes?.source?.principal || undefined;
  return {
    isMtls: sourcePrincipal !== undefined,
    originIp: ipBytesOf(attributes?.source?.address),
    requestedServerName: attributes?.tlsSession?.sni || undefined,
    sourcePrincipal,
    destinationPrincipal: attributes?.destination?.principal || undefined,
  };
}
