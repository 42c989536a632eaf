import { X509Certificate } from 'node:crypto';
import { Metadata } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { AuthenticationError } from '../../../src/ca/authentication/authenticator.js';
import { uriNamesOf } from '../../../src/ca/authentication/spiffe/certificate-names.js';
import { parseSpiffeBundle } from '../../../src/ca/authentication/spiffe/parse-bundle.js';
import {
  parseBundleEndpoints,
  SpiffeBundleError,
} from '../../../src/ca/authentication/spiffe/parse-bundle-endpoints.js';
import { readTokenClaims } from '../../../src/ca/authentication/token-claims.js';
import { createTokenReviewAuthenticator } from '../../../src/ca/authentication/token-review.js';
import { createTokenVerdicts } from '../../../src/ca/authentication/token-verdicts.js';
import { readCertificateRequestMessage } from '../../../src/ca/service/certificate-messages.js';
import { parseSpiffeId } from '../../../src/model/spiffe-id.js';
import { callCredentialsOf } from '../../../src/net/call-credentials.js';
import { createTestAuthority } from '../../support/certificate-issuer.js';
import { createFakeClock } from '../../support/fake-clock.js';
import fc from '../../support/property-testing.js';
import { unsignedToken, withToken } from './credentials.js';

const RUNS = 10_000;

/** Says the seed, with which a failure can be had again. */
async function check(
  t: ExecutionContext,
  assert: (parameters: { readonly numRuns: number; readonly seed: number }) => void | Promise<void>,
  numRuns = RUNS,
): Promise<void> {
  const seed = Date.now() % 2 ** 31;
  t.log(`seed ${seed}, ${numRuns} cases`);
  await assert({ numRuns, seed });
  t.pass();
}

const anyText = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.string({ maxLength: 300 }));
const base64url = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('base64url'));
const claims = fc.record(
  { iss: fc.jsonValue(), sub: fc.jsonValue(), aud: fc.jsonValue(), exp: fc.jsonValue() },
  { requiredKeys: [] },
);
const tokens = fc.oneof(
  anyText,
  fc.tuple(base64url, base64url, base64url).map((parts) => parts.join('.')),
  fc.jsonValue().map((value) => `e30.${Buffer.from(JSON.stringify(value)).toString('base64url')}.c2ln`),
  claims.map(unsignedToken),
);

test('any text as a token is read or rejected, and errors do not quote it', async (t) => {
  await check(t, (parameters) =>
    fc.assert(
      fc.property(tokens, (token) => {
        try {
          const { expiresAtMs, audiences, issuer, subject } = readTokenClaims(token);
          const times =
            expiresAtMs === undefined ||
            Number.isFinite(expiresAtMs) ||
            Math.abs(expiresAtMs) === Number.POSITIVE_INFINITY;
          const texts = [...audiences, issuer ?? '', subject ?? ''].every((text) => typeof text === 'string');
          return times && texts;
        } catch (error) {
          return error instanceof AuthenticationError && (token.length < 8 || !error.message.includes(token));
        }
      }),
      parameters,
    ),
  );
});

const GOOD = {
  authenticated: true,
  audiences: ['mesh-ca'],
  user: { username: 'system:serviceaccount:shop:cart', groups: ['system:serviceaccounts'] },
};
const names = fc.oneof(
  fc.jsonValue(),
  fc.constant(GOOD.user.username),
  fc.string().map((text) => `system:serviceaccount:shop:${text}`),
  fc.string().map((text) => `system:serviceaccount:${text}:cart`),
);
const mostly = <Value>(good: Value) => fc.oneof({ weight: 3, arbitrary: fc.constant(good) }, fc.jsonValue());
const reviews = fc.oneof(
  fc.jsonValue(),
  fc.record({
    authenticated: mostly(true),
    audiences: mostly(GOOD.audiences),
    error: fc.jsonValue(),
    user: fc.oneof(fc.jsonValue(), fc.record({ username: names, groups: mostly(GOOD.user.groups) })),
  }),
);

test('any answer of an API server gives a service account of a namespace, or an error', async (t) => {
  const clock = createFakeClock();
  let status: unknown;
  let accepted = 0;
  const authenticator = createTokenReviewAuthenticator({
    reviewerOf: () => ({
      cluster: 'local',
      send: async () => ({ status: 201, body: { status }, retryAfterMs: undefined }),
    }),
    jwtPolicy: 'third-party-jwt',
    trustDomain: () => 'cluster.local',
    verdicts: createTokenVerdicts(clock, {
      ...{ acceptedMs: 0, refusedMs: 0, maxEntries: 1 },
      ...{ maxConcurrent: 1, maxWaiting: 1, maxWaitMs: 1 },
    }),
    clock,
  });
  const token = unsignedToken({});
  await check(t, (parameters) =>
    fc.assert(
      fc.asyncProperty(reviews, async (review) => {
        status = review;
        try {
          const caller = await authenticator.authenticate(withToken(token));
          const [id = ''] = caller?.identities ?? [];
          const identity = parseSpiffeId(id);
          accepted++;
          const { authenticated, user } = review as typeof GOOD;
          const named = `system:serviceaccount:${identity?.namespace}:${identity?.serviceAccount}`;
          return authenticated === true && user.username === named && user.groups.includes('system:serviceaccounts');
        } catch (error) {
          return error instanceof Error && error.name !== 'TypeError';
        }
      }),
      parameters,
    ),
  );
  t.true(accepted > 50, `${accepted} were accepted`);
});

const [rootText] = [createTestAuthority('root').certificate];
const x5c = fc.oneof(fc.constant(new X509Certificate(rootText).raw.toString('base64')), base64url, fc.jsonValue());
const bundles = fc.oneof(
  anyText,
  fc.json(),
  fc
    .array(
      fc.oneof(
        fc.jsonValue(),
        fc.record({
          use: fc.oneof(fc.constant('x509-svid'), fc.jsonValue()),
          x5c: fc.oneof(fc.array(x5c), fc.jsonValue()),
        }),
      ),
    )
    .map((keys) => JSON.stringify({ keys })),
);

test('any text as a bundle gives roots that are authorities, or an error', async (t) => {
  await check(t, (parameters) =>
    fc.assert(
      fc.property(bundles, (text) => {
        try {
          const { roots } = parseSpiffeBundle(text);
          return roots.length > 0 && roots.every(({ ca }) => ca);
        } catch (error) {
          return error instanceof Error && error.name === 'Error';
        }
      }),
      parameters,
    ),
  );
});

const endpoints = fc
  .array(fc.oneof(fc.constantFrom('|', '||', 'a.example', 'https://', 'x.example/b', ' '), fc.string()), {
    maxLength: 12,
  })
  .map((parts) => parts.join(''));

test('any text as endpoints gives https URLs by trust domain, or an error', async (t) => {
  await check(t, (parameters) =>
    fc.assert(
      fc.property(endpoints, (text) => {
        try {
          return [...parseBundleEndpoints(text)].every(
            ([trustDomain, url]) => new URL(url).protocol === 'https:' && /^[A-Za-z0-9._-]+$/.test(trustDomain),
          );
        } catch (error) {
          return error instanceof SpiffeBundleError;
        }
      }),
      parameters,
    ),
  );
});

test('the URI names of a certificate with any names are the issued ones', async (t) => {
  const authority = createTestAuthority('root');
  const ascii = fc.string({ unit: fc.constantFrom(...'abc:/, "\\\'\tURIDNS='), minLength: 1, maxLength: 40 });
  await check(
    t,
    (parameters) =>
      fc.assert(
        fc.property(fc.array(ascii, { maxLength: 4 }), fc.array(ascii, { maxLength: 2 }), (uris, dnsNames) => {
          const found = uriNamesOf(new X509Certificate(authority.issue({ uris, dnsNames }).certificate));
          return found === undefined || found.length === uris.length;
        }),
        parameters,
      ),
    1_000,
  );
});

test('the reader of URI names neither throws nor hangs on any text', async (t) => {
  const names = fc.oneof(
    anyText,
    fc
      .array(fc.constantFrom('URI:', 'DNS:', '"', ', ', '\\', 'spiffe://td/ns/a/sa/b', 'x'))
      .map((parts) => parts.join('')),
  );
  await check(t, (parameters) =>
    fc.assert(
      fc.property(names, (subjectAltName) => {
        const found = uriNamesOf({ subjectAltName } as X509Certificate);
        return found === undefined || Array.isArray(found);
      }),
      parameters,
    ),
  );
});

test('a bearer token from any metadata is one word', async (t) => {
  const header = fc.oneof(
    fc.string(),
    fc.string().map((text) => `Bearer ${text}`),
    fc.string().map((text) => `bearer  ${text}`),
  );
  await check(t, (parameters) =>
    fc.assert(
      fc.property(fc.array(header, { maxLength: 3 }), (values) => {
        const metadata = new Metadata();
        for (const value of values) metadata.add('authorization', value.replace(/[^ -~]/g, ''));
        const { bearerToken } = callCredentialsOf({ metadata, getPeer: () => '' });
        return (
          bearerToken === undefined ||
          (/^\S+$/.test(bearerToken) && values.some((value) => value.includes(bearerToken)))
        );
      }),
      parameters,
    ),
  );
});

test('any bytes as a certificate request are read or rejected', async (t) => {
  await check(t, (parameters) =>
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        try {
          const { csr, validitySeconds } = readCertificateRequestMessage(Buffer.from(bytes));
          return typeof csr === 'string' && Number.isFinite(validitySeconds);
        } catch (error) {
          return error instanceof Error;
        }
      }),
      parameters,
    ),
  );
});
