import type { Proxy } from '../../model/proxy.js';
import type { PushContext } from '../../model/push-context.js';
import type { WorkloadMutualTls } from '../../model/security/mutual-tls.js';

/**
 * What the proxy's workload takes; undefined for a proxy without a certificate, which can take plaintext alone,
 * whatever it should.
 */
export function workloadMutualTlsOf(
  { peerAuthentications }: Pick<PushContext, 'peerAuthentications'>,
  { hasSecrets, configNamespace, metadata }: Proxy,
): WorkloadMutualTls | undefined {
  if (!hasSecrets) return undefined;
  return peerAuthentications.ofNamespace(configNamespace).ofWorkload(metadata.labels);
}
