import { formatSpiffeId } from '../../model/identity/spiffe-id.js';
import { AuthenticationError } from './authenticator.js';

/** Names as Kubernetes has them: nothing that could mean something else inside of a SPIFFE id. */
const USER_NAME = /^system:serviceaccount:([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?):([a-z0-9][a-z0-9.-]{0,252})$/;

/**
 * SPIFFE id of a user or subject `system:serviceaccount:<ns>:<sa>` (BEHAVIOUR 4, "Authenticators").
 *
 * @throws AuthenticationError for anybody else
 */
export function serviceAccountIdentity(userName: unknown, trustDomain: string): string {
  const [, namespace, serviceAccount] = typeof userName === 'string' ? (USER_NAME.exec(userName) ?? []) : [];
  if (namespace === undefined || serviceAccount === undefined) {
    throw new AuthenticationError('the token is not that of a service account');
  }
  return formatSpiffeId({ trustDomain, namespace, serviceAccount });
}
