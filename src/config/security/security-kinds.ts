import { type KindDefinition, meshKinds } from '../kind-definition.js';
import { type AuthorizationPolicySpec, authorizationPolicySchema } from './authorization-policy.js';
import {
  type PeerAuthenticationSpec,
  peerAuthenticationSchema,
  validatePeerAuthentication,
} from './peer-authentication.js';
import { type RequestAuthenticationSpec, requestAuthenticationSchema } from './request-authentication.js';
import { validateAuthorizationPolicy } from './validate-authorization-policy.js';
import { validateRequestAuthentication } from './validate-request-authentication.js';

/** The kinds of group `security.<mesh domain>`. */
export function createSecurityKinds(meshDomain: string): readonly KindDefinition[] {
  const shared = meshKinds('security', meshDomain, 'v1beta1');
  const peerAuthentication: KindDefinition<PeerAuthenticationSpec> = {
    ...shared,
    kind: 'PeerAuthentication',
    plural: 'peerauthentications',
    shortNames: ['pa'],
    schema: peerAuthenticationSchema,
    validate: validatePeerAuthentication,
  };
  const authorizationPolicy: KindDefinition<AuthorizationPolicySpec> = {
    ...shared,
    kind: 'AuthorizationPolicy',
    plural: 'authorizationpolicies',
    shortNames: ['ap'],
    schema: authorizationPolicySchema,
    validate: validateAuthorizationPolicy,
  };
  const requestAuthentication: KindDefinition<RequestAuthenticationSpec> = {
    ...shared,
    kind: 'RequestAuthentication',
    plural: 'requestauthentications',
    shortNames: ['ra'],
    schema: requestAuthenticationSchema,
    validate: validateRequestAuthentication,
  };
  return [peerAuthentication, requestAuthentication, authorizationPolicy] as readonly KindDefinition[];
}
