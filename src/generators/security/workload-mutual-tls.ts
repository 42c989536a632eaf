import { objectKey } from '../../config/object.js';
import type { Proxy } from '../../model/proxy.js';
import type { PushContext } from '../../model/push-context.js';
import type { WorkloadMutualTls } from '../../model/security/mutual-tls.js';

/**
 * What the proxy's workload takes; undefined for a proxy without a certificate, which can take plaintext alone,
 * whatever it should.
 */
export function workloadMutualTlsOf(
  context: Pick<PushContext, 'peerAuthentications' | 'objects'>,
  proxy: Proxy,
): WorkloadMutualTls | undefined {
  if (!proxy.hasSecrets) return undefined;
  return context.peerAuthentications.ofNamespace(proxy.configNamespace).ofWorkload(labelsOf(context, proxy));
}

/** Those that the proxy says it has, or its pod's where it says none: a bootstrap without them is no way around STRICT. */
function labelsOf({ objects }: Pick<PushContext, 'objects'>, { name, configNamespace, metadata }: Proxy) {
  if (Object.keys(metadata.labels).length > 0) return metadata.labels;
  return objects.get('Pod')?.get(objectKey('Pod', configNamespace, name))?.metadata.labels ?? metadata.labels;
}
