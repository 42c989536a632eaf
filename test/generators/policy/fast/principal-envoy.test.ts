import anyTest, { type TestFn } from 'ava';
import type { StringMatchSpec } from '../../../../src/config/policy/string-match.js';
import { buildRateLimitQuota } from '../../../../src/envoy/rate-limit-quota.js';
import { buildBucketTree } from '../../../../src/generators/policy/fast/bucket-tree.js';
import type { BucketKind } from '../../../../src/model/policy/fast/bucket-kinds.js';
import { readFastCondition } from '../../../../src/model/policy/fast/fast-conditions.js';
import { requestPartOf } from '../../../../src/model/policy/fast/request-part.js';
import { bagOf } from '../../../../src/policy/client/attribute-bag.js';
import { compileApiSpecs } from '../../../../src/policy/client/compile-api-specs.js';
import { compileQuotaSpecs } from '../../../../src/policy/client/compile-quota-specs.js';
import { deriveHttpAttributes } from '../../../../src/policy/client/http-attributes.js';
import { checkedRequestOf } from '../../../../src/policy/server/adapter/check-facts.js';
import { findEnvoy } from '../../../counterparts/find-envoy.js';
import { createTestAuthority, type TestCertificateRequest } from '../../../support/certificate-issuer.js';
import { buildService } from '../../context-builder.js';
import { ENCODER } from '../../served-resources.js';
import { startPrincipalEnvoy } from './principal-envoy.js';

const binary = findEnvoy();
if ('missing' in binary && process.env['REQUIRE_COUNTERPARTS'] === '1') throw new Error(binary.missing);
const testWithEnvoy = 'value' in binary ? (anyTest as TestFn) : (anyTest as TestFn).skip;

const SERVICE = buildService({ hostname: 'books.shop.svc.cluster.local', name: 'books', namespace: 'shop' });
const RATE_LIMIT_QUOTA = 'type.googleapis.com/envoy.extensions.filters.http.rate_limit_quota.v3';

const CLIENTS: Readonly<Record<string, TestCertificateRequest | 'no certificate' | 'plain text'>> = {
  'an identity of the mesh': { uris: ['spiffe://mesh/ns/web/sa/front'] },
  'an identity in upper case': { uris: ['spiffe://mesh/ns/web/sa/FRONT'] },
  'an identity of another mesh': { uris: ['spiffe://other/ns/web/sa/front'] },
  'two identities': { uris: ['spiffe://mesh/ns/web/sa/front', 'spiffe://mesh/ns/web/sa/back'] },
  'the same two in the other order': { uris: ['spiffe://mesh/ns/web/sa/back', 'spiffe://mesh/ns/web/sa/front'] },
  'a URI that is no identity': { uris: ['https://mesh/ns/web/sa/front'] },
  'an escaped URI': { uris: ['spiffe://mesh/ns/web/sa/fr%6Fnt'] },
  'a scheme twice': { uris: ['spiffe://spiffe://mesh'] },
  'a scheme alone': { uris: ['spiffe://'] },
  'a DNS name like an identity': { dnsNames: ['mesh/ns/web/sa/front'] },
  'two DNS names': { dnsNames: ['front.example', 'back.example'] },
  'a DNS name before a URI': { uris: ['spiffe://mesh/ns/web/sa/front'], dnsNames: ['front.example'] },
  'a subject alone': {},
  'no certificate': 'no certificate',
  'plain text': 'plain text',
};

const MATCHES: readonly StringMatchSpec[] = [
  { exact: 'mesh/ns/web/sa/front' },
  { exact: 'mesh/ns/web/sa/fron' },
  { exact: 'mesh/ns/web/sa/back' },
  { exact: 'spiffe://mesh/ns/web/sa/front' },
  { exact: 'spiffe://mesh' },
  { exact: 'https://mesh/ns/web/sa/front' },
  { exact: 'front.example' },
  { exact: 'CN=leaf' },
  { exact: '"' },
  { prefix: 'mesh/ns/web/' },
  { prefix: 'mesh/ns/web/sa/front' },
  { prefix: 's' },
  { prefix: 'spiffe://' },
  { prefix: 'spiffe://mesh' },
  { prefix: 'front.' },
  { prefix: 'back.' },
  { prefix: 'CN=' },
];

/** A kind for each match, whose requests have its number as path. */
function kindOf(match: StringMatchSpec, index: number): BucketKind {
  const read = readFastCondition(requestPartOf('source.principal', SERVICE), match);
  if (read.type !== 'tested') throw new Error(`proxies do not test ${JSON.stringify(match)}`);
  const path = { part: { type: 'urlPath' }, match: 'exact', text: `/${index}` } as const;
  return { conditions: [[[path, read.condition]]], charges: new Map([['all', 1]]), keys: [] };
}

testWithEnvoy('proxies decide about the identity of a client as the policy server does', async (t) => {
  const authority = createTestAuthority('root');
  // Envoy refuses the requests of a bucket at once, and the others pass.
  const refused = ENCODER.packAny(`${RATE_LIMIT_QUOTA}.RateLimitQuotaBucketSettings`, {
    bucketIdBuilder: { bucketIdBuilder: { all: { stringValue: 'all' } } },
    reportingInterval: { seconds: 5 },
    noAssignmentBehavior: { fallbackRateLimit: { blanketRule: 'DENY_ALL' } },
  });
  const matchers = buildBucketTree(
    MATCHES.map(kindOf),
    () => ({}),
    () => refused,
  );
  const filter = buildRateLimitQuota(ENCODER, { server: { cluster: 'check' }, domain: 'test', matchers });
  const envoy = await startPrincipalEnvoy('value' in binary ? binary.value : '', authority, filter);
  t.teardown(() => envoy.stop());
  let held = 0;
  for (const [title, client] of Object.entries(CLIENTS)) {
    const shown = client === 'plain text' ? undefined : client === 'no certificate' ? {} : authority.issue(client);
    for (const [index, match] of MATCHES.entries()) {
      const { status, check } = await envoy.ask(shown, `/${index}`);
      const attributes = bagOf(deriveHttpAttributes(checkedRequestOf(check, 0n).facts, compileApiSpecs([])));
      const quotas = [{ quota: 'all', charge: 1 }];
      const exact = compileQuotaSpecs([{ rules: [{ match: [{ clause: { 'source.principal': match } }], quotas }] }]);
      const holds = exact.chargesFor(attributes).length > 0;
      t.is(status, holds ? 429 : 200, `${title}: ${JSON.stringify(match)}`);
      if (holds) held++;
    }
  }
  t.true(held > 20, `${held} conditions hold`);
});
