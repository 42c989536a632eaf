import { objectKey } from '../../config/object.js';
import type { Proxy } from '../proxy.js';
import type { PushContext } from '../push-context.js';
import type { WorkloadMutualTls } from './mutual-tls.js';

/** What the proxy's workload is to take, whether or not the proxy has the certificate that it needs for it. */
export function mutualTlsOfProxy(
  context: Pick<PushContext, 'peerAuthentications' | 'objects'>,
  proxy: Proxy,
): WorkloadMutualTls {
  return context.peerAuthentications.ofNamespace(proxy.configNamespace).ofWorkload(labelsOf(context, proxy));
}

/** Those that the proxy says it has, or its pod's where it says none: a bootstrap without them is no way around STRICT. */
export function labelsOf({ objects }: Pick<PushContext, 'objects'>, { name, configNamespace, metadata }: Proxy) {
  if (Object.keys(metadata.labels).length > 0) return metadata.labels;
  return objects.get('Pod')?.get(objectKey('Pod', configNamespace, name))?.metadata.labels ?? metadata.labels;
}
