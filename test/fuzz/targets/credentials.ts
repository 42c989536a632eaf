import { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { parseSpiffeBundle } from '../../../src/ca/authentication/spiffe/parse-bundle.js';
import { parseBundleEndpoints } from '../../../src/ca/authentication/spiffe/parse-bundle-endpoints.js';
import { readTokenClaims } from '../../../src/ca/authentication/token-claims.js';
import { parseRemoteKubeconfig } from '../../../src/kubernetes/client/remote-kubeconfig.js';
import { parseSpiffeId } from '../../../src/model/spiffe-id.js';
import { createTestAuthority } from '../../support/certificate-issuer.js';
import { type FuzzTarget, fuzzTarget } from '../fuzz-target.js';

const anyText = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.string({ maxLength: 300 }));
const base64url = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('base64url'));
const tokenOf = (claims: unknown): string => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;
const root = new X509Certificate(createTestAuthority('root').certificate).raw.toString('base64');
const x5c = fc.oneof(fc.constant(root), base64url, fc.jsonValue());
const bundleKey = fc.oneof(
  fc.jsonValue(),
  fc.record({
    use: fc.oneof(fc.constant('x509-svid'), fc.jsonValue()),
    x5c: fc.oneof(fc.array(x5c), fc.jsonValue()),
  }),
);

const field = fc.oneof(fc.jsonValue(), fc.constantFrom('c', 'u', 'https://west.example.com:6443', root, 'token'));
const named = (member: string) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.array(fc.record({ name: fc.constantFrom('c', 'u', 'here'), [member]: fields })) },
    fc.jsonValue(),
  );
const fields = fc.dictionary(
  fc.constantFrom(
    ...['server', 'certificate-authority-data', 'token', 'tls-server-name', 'client-certificate-data', 'exec'],
    ...['client-key-data', 'insecure-skip-tls-verify', 'proxy-url', 'cluster', 'user', 'tokenFile', '__proto__'],
  ),
  field,
);
const kubeconfig = fc
  .record({
    clusters: named('cluster'),
    users: named('user'),
    contexts: named('context'),
    'current-context': fc.oneof({ weight: 4, arbitrary: fc.constant('here') }, fc.jsonValue()),
  })
  .map((value) => JSON.stringify(value));

export const credentialTargets: readonly FuzzTarget[] = [
  fuzzTarget('token', {
    inputs: fc.oneof(
      anyText,
      fc.tuple(base64url, base64url, base64url).map((parts) => parts.join('.')),
      fc.jsonValue().map(tokenOf),
      fc
        .record(
          { iss: fc.jsonValue(), sub: fc.jsonValue(), aud: fc.jsonValue(), exp: fc.jsonValue() },
          { requiredKeys: [] },
        )
        .map(tokenOf),
    ),
    refusals: ['AuthenticationError'],
    run: readTokenClaims,
  }),
  fuzzTarget('spiffe-bundle', {
    inputs: fc.oneof(
      anyText,
      fc.json(),
      fc.array(bundleKey).map((keys) => JSON.stringify({ keys })),
    ),
    // With the reason, for the log of the endpoint that sent it.
    refusals: ['Error', 'SpiffeBundleError'],
    run: parseSpiffeBundle,
  }),
  fuzzTarget('spiffe-bundle-endpoints', {
    inputs: fc
      .array(fc.oneof(fc.constantFrom('|', '||', 'a.example', 'https://', 'x.example/b', ' '), fc.string()), {
        maxLength: 12,
      })
      .map((parts) => parts.join('')),
    refusals: ['SpiffeBundleError'],
    run: parseBundleEndpoints,
  }),
  fuzzTarget('spiffe-id', {
    inputs: fc.oneof(
      anyText,
      fc
        .array(fc.oneof(fc.constantFrom('spiffe://', '/ns/', '/sa/', 'a', '%2f', '?', '#'), fc.string()))
        .map((parts) => parts.join('')),
    ),
    run: parseSpiffeId,
  }),
  fuzzTarget('kubeconfig', {
    inputs: fc.oneof({ weight: 4, arbitrary: kubeconfig }, anyText),
    refusals: ['ClusterAccessError'],
    run: parseRemoteKubeconfig,
  }),
];
