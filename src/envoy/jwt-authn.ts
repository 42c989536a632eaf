import type { JwtAuthentication } from '../generated/envoy/extensions/filters/http/jwt_authn/v3/JwtAuthentication.js';
import type { JwtProvider } from '../generated/envoy/extensions/filters/http/jwt_authn/v3/JwtProvider.js';
import type { JwtRequirement } from '../generated/envoy/extensions/filters/http/jwt_authn/v3/JwtRequirement.js';
import type { MessageEncoder, PackedAny } from './message-encoder.js';

/** The filter that verifies JWTs, and the namespace of its metadata. */
export const JWT_AUTHN = 'envoy.filters.http.jwt_authn';
export const JWT_AUTHN_TYPE = 'type.googleapis.com/envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication';

/** Key of the metadata that has the payload of the valid token. */
export const JWT_PAYLOAD_KEY = 'payload';

/** Tokens of one issuer. */
export interface JwtProviderOptions {
  readonly issuer: string;
  /** Empty: any. */
  readonly audiences: readonly string[];
  /** A JSON Web Key Set. Without a usable key Envoy rejects all tokens of the provider. */
  readonly keySet: string;
  /** Empty in both lists: the header Authorization and the parameter access_token. */
  readonly fromHeaders: readonly { readonly name: string; readonly prefix: string }[];
  readonly fromParams: readonly string[];
  /** Header for the payload; empty: none. */
  readonly payloadHeader: string;
  readonly forwardsToken: boolean;
}

/** Claims whose text is a list, with spaces between the values (RFC 8693, section 4.2). */
const LIST_CLAIMS = ['scope', 'permission'];

/** Which requests pass. `nothing`: none. */
export type JwtRequirementMode = 'valid or missing' | 'nothing';

/**
 * A request without a token passes. A token must be valid for one of the providers; others are answered with 401, or 403
 * for another audience.
 *
 * @param providers by name, at least one
 */
export function buildJwtAuthn(
  encoder: MessageEncoder,
  providers: Readonly<Record<string, JwtProviderOptions>>,
  mode: JwtRequirementMode,
): PackedAny {
  const names: JwtRequirement[] = Object.keys(providers).map((providerName) => ({ providerName }));
  const [first = {}] = names;
  const requires: JwtRequirement =
    mode === 'nothing' ? first : { requiresAny: { requirements: [...names, { allowMissing: {} }] } };
  const config: JwtAuthentication = {
    providers: Object.fromEntries(Object.entries(providers).map(([name, options]) => [name, providerOf(options)])),
    rules: [{ match: { prefix: '/' }, requires }],
  };
  return encoder.packAny(JWT_AUTHN_TYPE, config);
}

function providerOf(options: JwtProviderOptions): JwtProvider {
  const { issuer, audiences, keySet, fromHeaders, fromParams, payloadHeader, forwardsToken } = options;
  return {
    issuer,
    audiences: [...audiences],
    localJwks: { inlineString: keySet },
    fromHeaders: fromHeaders.map(({ name, prefix }) => ({ name, valuePrefix: prefix })),
    fromParams: [...fromParams],
    forwardPayloadHeader: payloadHeader,
    forward: forwardsToken,
    payloadInMetadata: JWT_PAYLOAD_KEY,
    normalizePayloadInMetadata: { spaceDelimitedClaims: LIST_CLAIMS },
  };
}
