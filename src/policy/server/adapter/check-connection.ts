import type { ConnectionFacts } from '../../client/connection-attributes.js';
import type { WireCheckRequest } from './envoy-messages.js';
import { ipBytesOf } from './wire-address.js';

/** The connection that a Check is about. Envoy names a principal exactly when the peer's certificate was verified. */
export function checkConnectionFacts({ attributes }: WireCheckRequest): ConnectionFacts {
  const originIp = ipBytesOf(attributes?.source?.address);
  const requestedServerName = attributes?.tlsSession?.sni;
  const sourcePrincipal = attributes?.source?.principal;
  const destinationPrincipal = attributes?.destination?.principal;
  return {
    isMtls: Boolean(sourcePrincipal),
    ...(originIp && { originIp }),
    ...(requestedServerName && { requestedServerName }),
    ...(sourcePrincipal && { sourcePrincipal }),
    ...(destinationPrincipal && { destinationPrincipal }),
  };
}
