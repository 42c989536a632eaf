import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import type { RequestFacts } from '../../generators/authorization/match-rbac.js';
import type { Endpoint } from '../../model/endpoint.js';
import { formatSpiffeId } from '../../model/spiffe-id.js';
import type { AskedRequest } from './asked-request.js';

/** The identity that a caller's certificate has. */
export function principalOf(
  { namespace, account }: NonNullable<AskedRequest['caller']>,
  { trustDomain }: Pick<MeshConfig, 'trustDomain'>,
): string {
  return formatSpiffeId({ trustDomain, namespace, serviceAccount: account });
}

/**
 * What AuthorizationPolicies can compare. The request has the headers that were given, and no others. The identity and
 * the address of the caller are known only if they were given.
 *
 * @param endpoints that can get the request
 * @param readsTokens whether RequestAuthentications of the workload verify tokens
 */
export function authorizationFacts(
  { method, host, port, scheme, target, headers, caller, sourceIp }: AskedRequest,
  mesh: Pick<MeshConfig, 'trustDomain'>,
  endpoints: readonly Endpoint[],
  readsTokens: boolean,
): RequestFacts {
  const isDefaultPort = port === (scheme === 'https' ? 443 : 80);
  const authority = headers.get('host') ?? (isDefaultPort ? host : `${host}:${port}`);
  const [first, ...others] = endpoints;
  const isSame = (of: (endpoint: Endpoint) => unknown): boolean =>
    first !== undefined && others.every((endpoint) => of(endpoint) === of(first));
  return {
    headers: new Map([...headers, [':method', method], [':authority', authority]]),
    path: target.split('?', 1)[0] ?? '',
    ...(caller !== undefined && { principal: principalOf(caller, mesh) }),
    ...(sourceIp !== undefined && { sourceIp }),
    ...(first !== undefined && isSame(({ port: own }) => own) && { destinationPort: first.port }),
    ...(first !== undefined && isSame(({ address }) => address) && { destinationIp: first.address }),
    ...(!readsTokens && { hasToken: false }),
  };
}
