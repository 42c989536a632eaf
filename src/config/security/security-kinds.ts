import type { KindDefinition } from '../kind-definition.js';
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
  const peerAuthentication: KindDefinition<PeerAuthenticationSpec> = {
    group: `security.${meshDomain}`,
    versions: ['v1beta1'],
    kind: 'PeerAuthentication',
    plural: 'peerauthentications',
    namespaced: true,
    shortNames: ['pa'],
    schema: peerAuthenticationSchema,
    bodyAt: 'spec',
    unknownFields: 'refused',
    validate: validatePeerAuthentication,
  };
  const authorizationPolicy: KindDefinition<AuthorizationPolicySpec> = {
    group: `security.${meshDomain}`,
    versions: ['v1beta1'],
    kind: 'AuthorizationPolicy',
    plural: 'authorizationpolicies',
    namespaced: true,
    shortNames: ['ap'],
    schema: authorizationPolicySchema,
    bodyAt: 'spec',
    unknownFields: 'refused',
    validate: validateAuthorizationPolicy,
  };
  const requestAuthentication: KindDefinition<RequestAuthenticationSpec> = {
    group: `security.${meshDomain}`,
    versions: ['v1beta1'],
    kind: 'RequestAuthentication',
    plural: 'requestauthentications',
    namespaced: true,
    shortNames: ['ra'],
    schema: requestAuthenticationSchema,
    bodyAt: 'spec',
    unknownFields: 'refused',
    validate: validateRequestAuthentication,
  };
  return [peerAuthentication, requestAuthentication, authorizationPolicy] as readonly KindDefinition[];
}
