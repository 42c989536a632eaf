import type { KindDefinition } from '../kind-definition.js';
import {
  type PeerAuthenticationSpec,
  peerAuthenticationSchema,
  validatePeerAuthentication,
} from './peer-authentication.js';

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
  return [peerAuthentication] as readonly KindDefinition[];
}
