import test from 'ava';
import { decodeReview } from '../../../src/webhooks/admission/decode-review.js';
import fc from '../../support/property-testing.js';
import { FUZZ_RUNS, fuzzSeed } from '../fixtures/fuzz-seed.js';
import { reviewOf } from '../fixtures/reviews.js';

const decode = (value: unknown) => decodeReview(Buffer.from(JSON.stringify(value)));

for (const apiVersion of ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1']) {
  test(`a review of ${apiVersion} is read, and its version, kind and uid are kept for the response`, (t) => {
    const decoded = decode(reviewOf({ object: { spec: {} } }, apiVersion));
    t.deepEqual(decoded, {
      type: 'review',
      envelope: { apiVersion, kind: 'AdmissionReview', uid: '705ab4f5-6393-11e8-b7cc-42010a800002' },
      request: {
        uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
        kind: { group: 'config.mesh.internal', version: 'v1alpha2', kind: 'QuotaSpec' },
        resource: { group: 'config.mesh.internal', version: 'v1alpha2', resource: 'quotaspecs' },
        subResource: '',
        operation: 'CREATE',
        name: 'limits',
        namespace: 'shop',
        dryRun: false,
        object: { spec: {} },
        oldObject: undefined,
      },
    });
  });
}

test('fields that a DELETE omits are absent', (t) => {
  const decoded = decode(
    reviewOf({ operation: 'DELETE', object: null, name: undefined, namespace: undefined, dryRun: undefined }),
  );
  t.is(decoded.type, 'review');
  if (decoded.type !== 'review') return;
  t.like(decoded.request, { object: undefined, name: '', namespace: '', dryRun: false, operation: 'DELETE' });
});

const BAD: readonly (readonly [what: string, body: string, reason: RegExp])[] = [
  ['not JSON', '{', /JSON/],
  ['a list', '[]', /^it is not a JSON object$/],
  ['null', 'null', /^it is not a JSON object$/],
  ['another API', '{"apiVersion":"v1"}', /^apiVersion: "v1": is neither admission.k8s.io\/v1 nor /],
  ['no API version', '{}', /^apiVersion: \(absent\): is neither/],
  ['another kind', '{"apiVersion":"admission.k8s.io/v1","kind":"Pod"}', /^kind: "Pod": is not AdmissionReview$/],
  ['no request', JSON.stringify({ ...(reviewOf() as object), request: null }), /^request: is not an object$/],
  ['no uid', JSON.stringify(reviewOf({ uid: '' })), /^request.uid: "": is not a text$/],
  ['no operation', JSON.stringify(reviewOf({ operation: 1 })), /^request.operation: 1: is not a text$/],
  ['a name that is a list', JSON.stringify(reviewOf({ name: [] })), /^request.name: a list: is not a text$/],
  ['no kind', JSON.stringify(reviewOf({ kind: 'Pod' })), /^request.kind: "Pod": is not an object$/],
  [
    'half a resource',
    JSON.stringify(reviewOf({ resource: { group: '', version: 'v1' } })),
    /^request.resource.resource: \(absent\): is not a text$/,
  ],
  ['a dryRun that is text', JSON.stringify(reviewOf({ dryRun: 'no' })), /^request.dryRun: "no": is not a boolean$/],
  ['101 levels', `{"a":${'['.repeat(100)}${']'.repeat(100)}}`, /^it nests deeper than 100 levels$/],
];

for (const [what, body, reason] of BAD) {
  test(`${what}: the reason is reported`, (t) => {
    const decoded = decodeReview(Buffer.from(body));
    t.is(decoded.type, 'undecodable');
    if (decoded.type === 'undecodable') t.regex(decoded.reason, reason);
  });
}

test('uid and version of an unreadable review are kept for the response', (t) => {
  const decoded = decode(reviewOf({ operation: undefined }, 'admission.k8s.io/v1beta1'));
  t.deepEqual(decoded.envelope, {
    apiVersion: 'admission.k8s.io/v1beta1',
    kind: 'AdmissionReview',
    uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
  });
});

test('the response to an unknown version has the newest known version', (t) => {
  t.is(decode(reviewOf({}, 'admission.k8s.io/v7')).envelope.apiVersion, 'admission.k8s.io/v1');
});

test('bytes that are not UTF-8 are not a review', (t) => {
  const decoded = decodeReview(Buffer.from([0x7b, 0xff, 0x7d]));
  t.like(decoded, { type: 'undecodable', reason: 'it is not UTF-8' });
});

test('an object of 100 levels is read; brackets in texts do not count', (t) => {
  const deep = JSON.parse(`${'['.repeat(98)}${']'.repeat(98)}`);
  t.is(decode(reviewOf({ object: deep })).type, 'review');
  t.is(decode(reviewOf({ object: { note: `\\"${'['.repeat(500)}` } })).type, 'review');
});

test('a million levels are rejected without recursion', (t) => {
  t.is(decodeReview(Buffer.from('['.repeat(3_000_000))).type, 'undecodable');
});

test('every body leads to a decision and a response with an envelope', (t) => {
  const mutated = fc
    .tuple(
      fc.dictionary(
        fc.constantFrom('uid', 'kind', 'resource', 'name', 'object', 'dryRun', '__proto__'),
        fc.jsonValue(),
      ),
    )
    .map(([changes]) => JSON.stringify(reviewOf(changes)));
  const cut = fc.tuple(mutated, fc.nat(), fc.string()).map(([text, at, put]) => {
    const where = at % text.length;
    return text.slice(0, where) + put + text.slice(where + put.length);
  });
  const bodies = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.json().map((text) => Buffer.from(text)),
    mutated.map((text) => Buffer.from(text)),
    cut.map((text) => Buffer.from(text)),
  );
  fc.assert(
    fc.property(bodies, (body) => {
      const decoded = decodeReview(body);
      t.is(decoded.envelope.kind, 'AdmissionReview');
      if (decoded.type === 'undecodable') t.not(decoded.reason, '');
      else t.is(decoded.request.uid, decoded.envelope.uid);
    }),
    { numRuns: FUZZ_RUNS, seed: fuzzSeed(t) },
  );
});
