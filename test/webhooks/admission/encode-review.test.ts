import test from 'ava';
import type { AdmissionAnswer } from '../../../src/webhooks/admission/admission-answer.js';
import { encodeReview } from '../../../src/webhooks/admission/encode-review.js';
import type { Reply } from '../fixtures/reviews.js';

const envelope = { apiVersion: 'admission.k8s.io/v1beta1', kind: 'AdmissionReview', uid: 'u-1' } as const;
const encode = (answer: AdmissionAnswer): Reply => JSON.parse(encodeReview(envelope, answer)) as Reply;

test('a response repeats version, kind and uid, and has no empty fields', (t) => {
  t.deepEqual(encode({ allowed: true }), {
    apiVersion: 'admission.k8s.io/v1beta1',
    kind: 'AdmissionReview',
    response: { uid: 'u-1', allowed: true },
  });
});

test('a rejection has its message, code and reason in the status', (t) => {
  const { response } = encode({ allowed: false, message: 'no', code: 422, reason: 'Invalid' });
  t.deepEqual(response, { uid: 'u-1', allowed: false, status: { message: 'no', reason: 'Invalid', code: 422 } });
});

test('a patch is sent in base64, with its type', (t) => {
  const patch = [{ op: 'add', path: '/metadata/labels/ü', value: { a: 1 } }] as const;
  const { response } = encode({ allowed: true, patch });
  t.is(response.patchType, 'JSONPatch');
  t.deepEqual(JSON.parse(Buffer.from(response.patch ?? '', 'base64').toString()), patch);
});

test('an empty patch, and a patch of a rejection, are left out', (t) => {
  t.false('patch' in encode({ allowed: true, patch: [] }).response);
  t.false('patch' in encode({ allowed: false, patch: [{ op: 'remove', path: '/a' }] }).response);
});

test('a warning is one line of at most 256 characters, without half a character at its end', (t) => {
  const { response } = encode({ allowed: true, warnings: ['a\r\n b\u2028c\u0000', `${'x'.repeat(254)}😀😀`, '\n'] });
  t.deepEqual(response.warnings, ['a  b c', `${'x'.repeat(254)}…`]);
});

test('warnings beyond 4,096 characters are counted in the last one', (t) => {
  const many = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(120, '-'));
  const { warnings = [] } = encode({ allowed: true, warnings: many }).response;
  t.is(warnings.at(-1), `${100 - warnings.length + 1} more warnings are left off`);
  t.true(warnings.join('').length <= 4096);
  t.true(warnings.length > 30);
});
