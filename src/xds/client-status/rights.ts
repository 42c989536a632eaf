import { isLoopbackAddress } from '../../base/ip-address.js';
import type { Proxy } from '../../model/proxy.js';
import type { WorkloadIdentity } from '../../model/spiffe-id.js';
import { addressOf } from '../limits/peers.js';
import type { SessionEnvironment } from '../session-environment.js';
import { StreamError } from '../stream-error.js';

/** The proxies that a caller may see. */
export interface Rights {
  sees(session: SeenProxy): boolean;
  /** Whether the caller may see the contents of the proxy's resources. */
  seesContents(session: SeenProxy): boolean;
}

/** A session, or what an event keeps of one. */
export interface SeenProxy {
  readonly identity: WorkloadIdentity | undefined;
  readonly proxy: Pick<Proxy, 'configNamespace'> | undefined;
}

/**
 * The rights of a caller without an identity.
 *
 * @param peer `address:port`
 * @param isRelayed whether a proxy stands between: the peer is then not the caller
 * @throws StreamError PERMISSION_DENIED for a caller of another machine
 */
export function rightsOfAddress(peer: string, isRelayed: boolean): Rights {
  if (isRelayed || !isLoopbackAddress(addressOf(peer).replace(/^\[(.*)\]$/, '$1'))) {
    throw new StreamError(
      'PERMISSION_DENIED',
      'this listener shows proxies and configuration to callers on the same machine only; forward a local port to it, or connect to the secured port with a certificate or a token',
    );
  }
  return { sees: () => true, seesContents: () => true };
}

/** The rights of an authenticated caller: the proxies of its namespace, and the contents of its own service account. */
export function rightsOfIdentities(
  identities: readonly WorkloadIdentity[],
  { seesAllPolicies = () => false }: Pick<SessionEnvironment, 'seesAllPolicies'>,
): Rights {
  return {
    sees: ({ proxy }) =>
      identities.some((identity) => identity.namespace === proxy?.configNamespace || seesAllPolicies(identity)),
    seesContents: ({ identity: own }) =>
      own !== undefined &&
      identities.some(
        ({ trustDomain, namespace, serviceAccount }) =>
          trustDomain === own.trustDomain && namespace === own.namespace && serviceAccount === own.serviceAccount,
      ),
  };
}
