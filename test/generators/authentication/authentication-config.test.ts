import test from 'ava';
import { JWT_AUTHN } from '../../../src/envoy/jwt-authn.js';
import { createAuthenticationConfigGenerator } from '../../../src/generators/authentication/authentication-config-generator.js';
import type { KeySets } from '../../../src/model/security/key-sets.js';
import { readObject } from '../../config/support/read-yaml.js';
import { buildContext, buildProxy } from '../context-builder.js';
import { at, ENCODER, toJson } from '../served-resources.js';

function authentication(namespace: string, jwtRules: readonly object[], name = 'a') {
  const apiVersion = 'security.mesh.internal/v1beta1';
  const metadata = { namespace, name };
  return readObject(JSON.stringify({ apiVersion, kind: 'RequestAuthentication', metadata, spec: { jwtRules } }));
}

const RULE = { issuer: 'https://a', jwksUri: 'https://a/keys' };
const OBJECT = authentication('shop', [RULE]);
const keySets = (version: string): KeySets =>
  new Map([['jwks https://a/keys', { text: `{"keys":["${version}"]}`, version }]]);

const PROXY = buildProxy({ configNamespace: 'shop' });
const generator = createAuthenticationConfigGenerator(ENCODER);

function served(parts: Parameters<typeof buildContext>[0], proxy = PROXY) {
  const context = buildContext(parts);
  const scope = generator.scope(context, proxy);
  return { key: scope.key, resource: generator.generate(context, scope, JWT_AUTHN) };
}

const keysOf = (resource: ReturnType<typeof served>['resource'], name = 'shop/a[0]') =>
  resource && at(at(toJson(resource), 'typedConfig.providers') as object as never, `${name}.localJwks.inlineString`);

test('workloads with the same rules share one configuration, also from snapshot to snapshot', (t) => {
  const requestAuthentications = [OBJECT];
  const context = buildContext({ requestAuthentications, keySets: keySets('1') });
  const others = { ...PROXY, id: 'other' };
  const [first, second] = [PROXY, others].map((proxy) => generator.scope(context, proxy));
  t.is(first?.key, second?.key);
  const resources = [first, second].map((scope) => scope && generator.generate(context, scope, JWT_AUTHN));
  t.not(resources[0], undefined);
  t.is(resources[0], resources[1]);
});

test('new keys change the configuration and the key of its scope', (t) => {
  const before = served({ requestAuthentications: [OBJECT], keySets: keySets('1') });
  const after = served({ requestAuthentications: [OBJECT], keySets: keySets('2') });
  t.not(before.key, after.key);
  t.is(keysOf(before.resource), '{"keys":["1"]}');
  t.is(keysOf(after.resource), '{"keys":["2"]}');
});

test('a rule without keys gets one that no issuer has, so that its tokens are rejected', (t) => {
  t.regex(String(keysOf(served({ requestAuthentications: [OBJECT] }).resource)), /"kid":"no-keys"/);
});

test('a workload without rules has no configuration', (t) => {
  t.is(served({ requestAuthentications: [OBJECT] }, buildProxy({ configNamespace: 'other' })).resource, undefined);
  t.is(served({ requestAuthentications: [authentication('shop', [])] }).resource, undefined);
});

test('rules that are too large together reject every request', (t) => {
  const objects = Array.from({ length: 6 }, (_, index) =>
    authentication(
      'shop',
      Array.from({ length: 32 }, () => RULE),
      `a${index}`,
    ),
  );
  const { resource } = served({ requestAuthentications: objects });
  const json = resource && toJson(resource);
  t.deepEqual(at(json, 'typedConfig.rules'), [
    { match: { prefix: '/' }, requires: { providerName: 'request-authentications-too-large' } },
  ]);
});
