import test from 'ava';
import type { AuthorizationRule } from '../../../src/config/security/authorization-policy.js';
import { buildGrpcAuthorization } from '../../../src/generators/grpc/grpc-authorization.js';
import { parseServerListenerName, parseTargetName } from '../../../src/generators/grpc/target-names.js';
import { buildContext } from '../context-builder.js';
import { SETTINGS } from '../default-settings.js';
import { ENCODER } from '../served-resources.js';

const CLIENT = { principals: ['cluster.local/ns/default/sa/client'] } as const;
const when = (key: string): AuthorizationRule => ({ from: [{ source: CLIENT }], when: [{ key, values: ['a/b'] }] });

/** Conditions that some gRPC servers leave out of a rule, so that the rest of the rule decides alone. */
const BEYOND_GRPC: Readonly<Record<string, AuthorizationRule>> = {
  'any token': { from: [{ source: { requestPrincipals: ['*'] } }] },
  'no token': { from: [{ source: { notRequestPrincipals: ['*'] } }] },
  'the issuer and subject of a token': when('request.auth.principal'),
  'the audience of a token': when('request.auth.audiences'),
  'a claim of a token': when('request.auth.claims[group]'),
  'a server name': when('connection.sni'),
  'metadata of a filter': when('experimental.proxy.filters.a.b[c]'),
  'a header that gRPC makes': when('request.headers[grpc-timeout]'),
  'a binary header': when('request.headers[Trace-Bin]'),
};

/** The bytes of the filters of one policy, and the names of its narrowed rules. */
function built(action: 'ALLOW' | 'DENY', rules: readonly AuthorizationRule[]): readonly [string[], readonly string[]] {
  const policies = [{ namespace: 'shop', name: 'a', spec: { action, rules: [...rules] } }];
  const authorization = { key: '', policies, isTooLarge: false };
  const { filters, narrowed } = buildGrpcAuthorization(ENCODER, buildContext({}).mesh, SETTINGS, authorization);
  const bytes = filters.map(({ typedConfig }) => Buffer.from((typedConfig as { value: Uint8Array }).value));
  return [bytes.map((each) => each.toString('hex')), narrowed];
}

for (const [what, rule] of Object.entries(BEYOND_GRPC)) {
  test(`a rule of a gRPC server about ${what} allows nothing and denies everything`, (t) => {
    const names = ['ns[shop]-policy[a]-rule[0]'];
    t.deepEqual(built('ALLOW', [rule]), [built('ALLOW', [])[0], names]);
    t.deepEqual(built('DENY', [rule]), [built('DENY', [{}])[0], names]);
  });
}

test('a rule of a gRPC server about identities and paths stays as it is', (t) => {
  const rule: AuthorizationRule = { from: [{ source: CLIENT }], to: [{ operation: { paths: ['/test.Echo/Say'] } }] };
  t.deepEqual(built('ALLOW', [rule])[1], []);
  t.notDeepEqual(built('ALLOW', [rule])[0], built('ALLOW', [])[0]);
});

test('a rule of a gRPC server about the header host compares the authority', (t) => {
  t.deepEqual(built('DENY', [when('request.headers[Host]')]), built('DENY', [when('request.headers[:authority]')]));
});

test('a gRPC target has a host of no more than the 253 characters of a DNS name', (t) => {
  const longest = `${'a.'.repeat(126)}a`;
  t.deepEqual(parseTargetName(`${longest}:80`), { host: longest, port: 80 });
  t.is(parseTargetName(`a${longest}:80`), undefined);
  t.is(parseServerListenerName(`grpc/lds/inbound/a${longest}:80`), undefined);
});
