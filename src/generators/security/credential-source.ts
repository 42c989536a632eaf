import { adsConfigSource } from '../../envoy/config-source.js';
import type { ConfigSource } from '../../generated/envoy/config/core/v3/ConfigSource.js';
import type { GeneratorSettings } from '../settings.js';

/**
 * How long a proxy waits for the secret of a credential, in milliseconds. Without a limit, a Gateway or DestinationRule
 * whose secret does not exist would keep every change of a port from a router, also of other Gateways. Connections that
 * need the secret are closed; they begin to work when it appears.
 */
const CREDENTIAL_TIMEOUT_MS = 5000;

/**
 * The SDS source of all credentials (`credentialName`). Envoy shares a secret among equal sources only, and asks for each
 * name once: a listener and a cluster that name one credential must have the same source, or one of them waits in vain.
 */
export function credentialConfigSource({
  initialFetchTimeoutMs,
}: Pick<GeneratorSettings, 'initialFetchTimeoutMs'>): ConfigSource {
  const timeoutMs =
    initialFetchTimeoutMs === 0 ? CREDENTIAL_TIMEOUT_MS : Math.min(initialFetchTimeoutMs, CREDENTIAL_TIMEOUT_MS);
  return adsConfigSource(timeoutMs);
}
