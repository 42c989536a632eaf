import type { Endpoint } from '../../model/endpoint.js';
import { modeOfPort } from '../../model/security/mutual-tls.js';
import type { NamespaceMutualTls } from '../../model/security/namespace-mutual-tls.js';

/** The fields of an endpoint that decide whether it takes mutual TLS. */
type EndpointTlsInput = Pick<Endpoint, 'tlsMode' | 'labels' | 'port'>;

/**
 * Whether an endpoint takes mutual TLS: the label of its workload says that its sidecar does, and no PeerAuthentication
 * disables it.
 *
 * @param namespace the mutual TLS of workloads in its namespace
 */
export function takesMutualTls({ tlsMode, labels, port }: EndpointTlsInput, namespace: NamespaceMutualTls): boolean {
  if (tlsMode !== 'mesh') return false;
  return !namespace.hasDisabled || modeOfPort(namespace.ofWorkload(labels), port) !== 'DISABLE';
}

/** The endpoints, in plaintext where they do not take mutual TLS; the same list when none changes. */
export function withTakenTls<Target extends EndpointTlsInput>(
  endpoints: readonly Target[],
  namespace: NamespaceMutualTls,
): readonly Target[] {
  if (!namespace.hasDisabled) return endpoints;
  return endpoints.map((endpoint) =>
    endpoint.tlsMode === 'mesh' && !takesMutualTls(endpoint, namespace)
      ? { ...endpoint, tlsMode: 'disabled' }
      : endpoint,
  );
}
