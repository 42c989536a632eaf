import type { EncodedResource } from '../../envoy/encoded-resource.js';
import { encodeExtensionConfig } from '../../envoy/extension-config.js';
import { buildJwtAuthn, JWT_AUTHN, type JwtProviderOptions } from '../../envoy/jwt-authn.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import { createMemo } from '../../model/memo.js';
import { kindOfKey } from '../../model/push-request.js';
import type { KeySets } from '../../model/security/key-sets.js';
import { labelsOf } from '../../model/security/mutual-tls.js';
import type { AuthenticationRule, WorkloadAuthentication } from '../../model/security/request-authentications.js';
import type { NamedGenerator, Scope } from '../generator.js';

export interface AuthenticationScope extends Scope {
  readonly authentication: WorkloadAuthentication;
}

/**
 * In place of missing keys: Envoy refuses a provider without a valid key. Its x coordinate is the SHA-256 hash of "no keys
 * of this issuer 2" (0 and 1 give no point of the curve), so no private key of it is known, and every token is rejected.
 */
const NO_KEYS = JSON.stringify({
  keys: [
    {
      kty: 'EC',
      kid: 'no-keys',
      crv: 'P-256',
      x: '0gCOewEk8W83tnnni3_6SY7SNQo8AyaL7O51qZUW4hk',
      y: 'RZuHOHrHVyUbOIc9xHi71IxqS_2CLfVXOrpvitIM1hY',
    },
  ],
});

/** In place of rules that are too large together. The name appears in Envoy's log. */
const NOTHING_ACCEPTED: Readonly<Record<string, JwtProviderOptions>> = {
  'request-authentications-too-large': {
    issuer: 'request-authentications-too-large',
    audiences: [],
    keySet: NO_KEYS,
    fromHeaders: [],
    fromParams: [],
    payloadHeader: '',
    forwardsToken: false,
  },
};

/** The configuration (ECDS) of the filter that verifies JWTs, with the keys of the rules of a workload. */
export function createAuthenticationConfigGenerator(encoder: MessageEncoder): NamedGenerator<AuthenticationScope> {
  const resources = createMemo<EncodedResource>();

  const build = ({ rules, isTooLarge }: WorkloadAuthentication, keySets: KeySets): EncodedResource => {
    if (isTooLarge) return encode(buildJwtAuthn(encoder, NOTHING_ACCEPTED, 'nothing'));
    const providers = Object.fromEntries(rules.map((rule) => [rule.name, providerOf(rule, keySets)]));
    return encode(buildJwtAuthn(encoder, providers, 'valid or missing'));
  };
  const encode = (config: ReturnType<typeof buildJwtAuthn>) => encodeExtensionConfig(encoder, JWT_AUTHN, config);

  return {
    mode: 'named',
    typeUrl: TypeUrl.extensionConfig,
    affectedBy: ({ full, changed }) =>
      full && (changed === 'everything' || [...changed].some((key) => kindOfKey(key) === 'RequestAuthentication')),
    scope: (context, proxy) => {
      const { requestAuthentications, keySets } = context;
      const authentication = requestAuthentications.ofWorkload(proxy.configNamespace, labelsOf(context, proxy));
      if (authentication.sources.length === 0) return { key: authentication.key, authentication };
      const versions = authentication.sources.map((id) => keySets.get(id)?.version ?? '');
      return { key: `${authentication.key} ${versions.join()}`, authentication };
    },
    generate: ({ keySets }, { key, authentication }, name) => {
      if (name !== JWT_AUTHN || authentication.rules.length === 0) return undefined;
      return resources.of([authentication], key, () => build(authentication, keySets));
    },
  };
}

function providerOf({ rule, keys }: AuthenticationRule, keySets: KeySets): JwtProviderOptions {
  return {
    issuer: rule.issuer,
    audiences: rule.audiences ?? [],
    keySet: (keys.type === 'inline' ? keys.text : keySets.get(keys.source.id)?.text) || NO_KEYS,
    fromHeaders: (rule.fromHeaders ?? []).map(({ name, prefix = '' }) => ({ name, prefix })),
    fromParams: rule.fromParams ?? [],
    payloadHeader: rule.outputPayloadToHeader ?? '',
    forwardsToken: rule.forwardOriginalToken,
  };
}
