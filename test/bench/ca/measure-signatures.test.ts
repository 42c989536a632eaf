import test from 'ava';
import { createCertificateRequest } from '../../../bench/ca/certificate-request.js';
import { measureSignatures } from '../../../bench/ca/measure-signatures.js';
import { formatSignatureReport, isSignatureGoalMet } from '../../../bench/ca/signature-report.js';
import { monotonicMs } from '../../../bench/measure/monotonic-clock.js';
import { createOpenSsl } from '../../ca/support/openssl.js';

test('openssl can read the certificate requests of the benchmark', async (t) => {
  const openssl = await createOpenSsl(t);
  await openssl.file('request.pem', await createCertificateRequest());
  t.regex(
    await openssl('req', '-in', 'request.pem', '-noout', '-verify', '-text'),
    /Public Key Algorithm: id-ecPublicKey/,
  );
});

test('both kinds of keys are measured', async (t) => {
  const results = await measureSignatures(0.1, monotonicMs);
  t.deepEqual(
    results.map(({ key }) => key),
    ['RSA 2048', 'EC P-256'],
  );
  t.true(results.every(({ perCpuSecond, p50Ms, p99Ms }) => perCpuSecond > 0 && p50Ms > 0 && p50Ms <= p99Ms));
});

test('the goal is met at 300 per second with every key', (t) => {
  const result = { key: 'RSA 2048', perCpuSecond: 300, p50Ms: 1, p99Ms: 2 };
  t.true(isSignatureGoalMet([result]));
  t.false(isSignatureGoalMet([result, { ...result, perCpuSecond: 299 }]));
  t.false(isSignatureGoalMet([]));
  t.regex(formatSignatureReport([result]), /Goal: at least 300 per second on one core: met\./);
});
