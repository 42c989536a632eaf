import type { CredentialState } from '../../model/gateways/credential.js';
import type { CredentialPart } from '../../model/gateways/credential-names.js';
import { type CredentialTexts, parseCredential } from './parse-credential.js';

interface Parsed {
  readonly texts: CredentialTexts | undefined;
  readonly rootsTexts: CredentialTexts | undefined;
  readonly state: CredentialState;
  /** The last usable state. */
  readonly inForce: CredentialState | undefined;
}

/**
 * The parsed credentials of one namespace. A credential that becomes malformed keeps its last usable state: an invalid
 * renewal must not end the service of the certificate that it replaces.
 */
export interface CredentialTable {
  read(
    credentialName: string,
    part: CredentialPart,
    textsOf: (secret: string) => CredentialTexts | undefined,
  ): CredentialState;
  /** Why the newest content is not in force, although an earlier one is. As of the last `read`. */
  staleReasonOf(credentialName: string, part: CredentialPart): string | undefined;
}

export function createCredentialTable(onMalformed: (secret: string, reason: string) => void): CredentialTable {
  const parsed = new Map<string, Parsed>();
  return {
    read: (credentialName, part, textsOf) => {
      const key = `${part} ${credentialName}`;
      const texts = textsOf(credentialName);
      const rootsTexts = part === 'roots' ? textsOf(`${credentialName}-cacert`) : undefined;
      const known = parsed.get(key);
      if (known !== undefined && known.texts === texts && known.rootsTexts === rootsTexts) {
        return known.inForce ?? known.state;
      }
      const state = parseCredential(part, texts, rootsTexts);
      const isGone = texts === undefined && rootsTexts === undefined;
      const inForce = state.type !== 'unusable' ? state : isGone ? undefined : known?.inForce;
      if (state.type === 'unusable' && inForce !== undefined) onMalformed(credentialName, state.reason);
      parsed.set(key, { texts, rootsTexts, state, inForce });
      return inForce ?? state;
    },
    staleReasonOf: (credentialName, part) => {
      const { state, inForce } = parsed.get(`${part} ${credentialName}`) ?? {};
      return state?.type === 'unusable' && inForce !== undefined ? state.reason : undefined;
    },
  };
}
