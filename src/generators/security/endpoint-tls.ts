import type { Endpoint } from '../../model/endpoint.js';
import { modeOfPort } from '../../model/security/mutual-tls.js';
import type { NamespaceMutualTls } from '../../model/security/namespace-mutual-tls.js';

/** What of an endpoint says whether it takes mutual TLS. */
type EndpointTlsInput = Pick<Endpoint, 'tlsMode' | 'labels' | 'port'>;

/**
 * Whether an endpoint takes mutual TLS: its workload has a sidecar that does, as its label says, and no
 * PeerAuthentication has it take plaintext alone.
 *
 * @param namespace what holds for workloads of its namespace
 */
export function takesMutualTls({ tlsMode, labels, port }: EndpointTlsInput, namespace: NamespaceMutualTls): boolean {
  if (tlsMode !== 'mesh') return false;
  return !namespace.hasDisabled || modeOfPort(namespace.ofWorkload(labels), port) !== 'DISABLE';
}

/** The endpoints, with mutual TLS where they take it; the same list where all stay as they are. */
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
