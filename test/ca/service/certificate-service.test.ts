import { X509Certificate } from 'node:crypto';
import test from 'ava';
import type { ApiAnswer } from '../../../src/kubernetes/client/api-sender.js';
import { createTestAuthority } from '../../support/certificate-issuer.js';
import { unsignedToken } from '../authentication/credentials.js';
import { DAY_MS, materialOf, selfSigned } from '../support/material.js';
import { createOpenSsl, makeRequest } from '../support/openssl.js';
import { createCaRig, failing } from './ca-rig.js';

const CART = 'spiffe://cluster.local/ns/shop/sa/cart';
const bearer = { authorization: `Bearer ${unsignedToken({ sub: 'cart', exp: 4_000_000_000 })}` } as const;
const reviewCart = async (): Promise<ApiAnswer> => ({
  status: 201,
  body: {
    status: {
      authenticated: true,
      user: { username: 'system:serviceaccount:shop:cart', groups: ['system:serviceaccounts'] },
      audiences: ['mesh-ca'],
    },
  },
  retryAfterMs: undefined,
});

const lifetimeMs = (certificate: X509Certificate): number => Date.parse(certificate.validTo) - Date.now();

test('a caller with a token gets a certificate for its identity, whatever its request names', async (t) => {
  const rig = await createCaRig(t, { review: reviewCart });
  const csr = await makeRequest(await createOpenSsl(t), 'EC P-256');
  const { code, chain } = await rig.create({ channel: rig.secured.channel(), metadata: bearer, csr });
  t.is(code, 'OK');
  const [leaf = '', root = ''] = chain;
  t.is(chain.length, 2);
  const certificate = new X509Certificate(leaf);
  t.is(certificate.subjectAltName, `URI:${CART}`);
  t.true(certificate.verify(new X509Certificate(root).publicKey));
  t.true(Math.abs(lifetimeMs(certificate) - DAY_MS) < 60_000);
  t.deepEqual(await rig.counts(), ['csr_count 1', 'success_cert_issuance_count 1']);
});

test('a caller renews with its certificate, for the duration that it requests', async (t) => {
  const rig = await createCaRig(t);
  const csr = await makeRequest(await createOpenSsl(t), 'RSA 2048');
  const { chain } = await rig.create({ channel: rig.secured.channel({ uris: [CART] }), csr, validity: 3600 });
  const certificate = new X509Certificate(chain[0] ?? '');
  t.is(certificate.subjectAltName, `URI:${CART}`);
  t.true(Math.abs(lifetimeMs(certificate) - 3_600_000) < 60_000);
});

test('the response has all intermediates in one text, and all roots in the last one', async (t) => {
  const rig = await createCaRig(t, {
    authority: (local) => ({
      ...local,
      bundle: () => ({ roots: ['ROOT1\n', 'ROOT2\n'], intermediates: ['MID1\n', 'MID2\n'] }),
      issue: async (request) => {
        const issued = await local.issue(request);
        return { ...issued, chain: [...issued.chain, 'MID1\n', 'MID2\n'] };
      },
    }),
  });
  const csr = await makeRequest(await createOpenSsl(t), 'EC P-256');
  const { chain } = await rig.create({ channel: rig.secured.channel({ uris: [CART] }), csr });
  t.deepEqual(chain.slice(1), ['MID1\nMID2\n', 'ROOT1\nROOT2\n']);
});

test('a caller that is not authenticated gets no certificate', async (t) => {
  const rig = await createCaRig(t);
  const csr = await makeRequest(await createOpenSsl(t), 'EC P-256');
  for (const metadata of [{}, bearer, { authorization: 'Basic YTpi' }, { authorization: 'Bearer ' }]) {
    const { code, details, chain } = await rig.create({ channel: rig.secured.channel(), metadata, csr });
    t.deepEqual(
      { code, details, chain },
      { code: 'UNAUTHENTICATED', details: 'request authenticate failure', chain: [] },
    );
  }
  t.deepEqual(await rig.counts(), ['authentication_failure_count 4', 'csr_count 4']);
  t.is(rig.logger.records.filter(({ level }) => level === 'warn').length, 1);
});

for (const validity of ['-9223372036854775808', '-1', '0']) {
  test(`a validity of ${validity} seconds means the default`, async (t) => {
    const rig = await createCaRig(t);
    const csr = await makeRequest(await createOpenSsl(t), 'EC P-256');
    const { chain } = await rig.create({ channel: rig.secured.channel({ uris: [CART] }), csr, validity });
    t.true(Math.abs(lifetimeMs(new X509Certificate(chain[0] ?? '')) - DAY_MS) < 60_000);
  });
}

for (const validity of ['7776001', '9223372036854775807']) {
  test(`a validity of ${validity} seconds is beyond the maximum`, async (t) => {
    const rig = await createCaRig(t);
    const csr = await makeRequest(await createOpenSsl(t), 'EC P-256');
    const { code, details } = await rig.create({ channel: rig.secured.channel({ uris: [CART] }), csr, validity });
    t.is(code, 'INVALID_ARGUMENT');
    t.regex(details, /^CSR signing error \(requested TTL \S+ is greater than the max allowed TTL 2160h0m0s\)$/);
    t.deepEqual(await rig.counts(), ['csr_count 1', 'csr_sign_err_count{error="TTL_ERROR"} 1']);
  });
}

for (const [what, csr, details] of [
  ['is no PEM', 'hello', /^CSR signing error \(certificate signing request is not properly encoded/],
  ['is empty', '', /^CSR signing error \(certificate signing request is not properly encoded/],
  [
    'has nothing in it',
    '-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n',
    /^CSR signing error \(failed to parse X.509 certificate signing request\)$/,
  ],
] as const) {
  test(`a request that ${what} is rejected and counted`, async (t) => {
    const rig = await createCaRig(t);
    const answer = await rig.create({ channel: rig.secured.channel({ uris: [CART] }), csr });
    t.is(answer.code, 'INVALID_ARGUMENT');
    t.regex(answer.details, details);
    t.deepEqual(await rig.counts(), [
      'csr_count 1',
      'csr_parsing_err_count 1',
      'csr_sign_err_count{error="CSR_ERROR"} 1',
    ]);
  });
}

test('bytes that are not a request are rejected and counted', async (t) => {
  const rig = await createCaRig(t);
  const bytes = Buffer.from([0x0a, 0x7f, 0x41]);
  const { code, details } = await rig.create({ channel: rig.secured.channel({ uris: [CART] }), bytes });
  t.deepEqual({ code, details }, { code: 'INVALID_ARGUMENT', details: 'the message is not a MeshCertificateRequest' });
  t.deepEqual(await rig.counts(), ['csr_count 1', 'csr_parsing_err_count 1']);
});

for (const code of ['CA_NOT_READY', 'CERT_GEN_ERROR'] as const) {
  test(`${code} is an internal error with its reason`, async (t) => {
    const rig = await createCaRig(t, { authority: failing(code, 'because') });
    const csr = await makeRequest(await createOpenSsl(t), 'EC P-256');
    const answer = await rig.create({ channel: rig.secured.channel({ uris: [CART] }), csr });
    t.is(answer.code, 'INTERNAL');
    t.is(answer.details, 'CSR signing error (because)');
    t.deepEqual(await rig.counts(), ['csr_count 1', `csr_sign_err_count{error="${code}"} 1`]);
  });
}

test('our authority does not sign for authenticated workloads of another trust domain', async (t) => {
  const partner = createTestAuthority('partner');
  const rig = await createCaRig(t, { partner });
  const csr = await makeRequest(await createOpenSsl(t), 'EC P-256');
  const uri = 'spiffe://partner.example/ns/shop/sa/cart';
  const { code, details } = await rig.create({ channel: rig.secured.channel({ uris: [uri] }, partner), csr });
  t.is(code, 'PERMISSION_DENIED');
  t.is(details, `this authority signs for its own trust domain, not for ${uri}`);
  t.deepEqual(await rig.counts(), ['csr_count 1', 'id_extraction_err_count 1']);
});

test('an exception ends only its call, and the caller does not get its text', async (t) => {
  let fail = true;
  const rig = await createCaRig(t, {
    authority: (local) => ({
      ...local,
      issue: (request) => {
        if (fail) throw new Error('secret of the process');
        return local.issue(request);
      },
    }),
  });
  const csr = await makeRequest(await createOpenSsl(t), 'EC P-256');
  const channel = rig.secured.channel({ uris: [CART] });
  const { code, details } = await rig.create({ channel, csr });
  t.deepEqual({ code, details }, { code: 'INTERNAL', details: 'internal error' });
  t.is(rig.logger.records.at(-1)?.level, 'error');
  fail = false;
  t.is((await rig.create({ channel, csr })).code, 'OK');
});

test('callers beyond the queue are rejected, and the others get their certificates', async (t) => {
  const waiting: (() => void)[] = [];
  const rig = await createCaRig(t, {
    limits: { maxConcurrent: 1, maxWaiting: 2, maxWaitMs: 60_000 },
    authority: (local) => ({
      ...local,
      issue: async (request) => {
        await new Promise<void>((resolve) => waiting.push(resolve));
        return await local.issue(request);
      },
    }),
  });
  const csr = await makeRequest(await createOpenSsl(t), 'EC P-256');
  const channel = rig.secured.channel({ uris: [CART] });
  const answers = Array.from({ length: 5 }, () => rig.create({ channel, csr }));
  let settled = 0;
  for (const answer of answers) void answer.then(() => settled++);
  while (settled < 5) {
    if (settled >= 2) waiting.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const codes = (await Promise.all(answers)).map(({ code }) => code).sort();
  t.deepEqual(codes, ['OK', 'OK', 'OK', 'RESOURCE_EXHAUSTED', 'RESOURCE_EXHAUSTED']);
  t.true((await rig.counts()).includes('csr_shed_count{reason="queue full"} 2'));
});

test('after a change of the root the response has the root that signs', async (t) => {
  const rig = await createCaRig(t);
  const csr = await makeRequest(await createOpenSsl(t), 'EC P-256');
  const channel = rig.secured.channel({ uris: [CART] });
  const before = await rig.create({ channel, csr });
  rig.local.replace(materialOf(await selfSigned()));
  const after = await rig.create({ channel, csr });
  t.not(before.chain.at(-1), after.chain.at(-1));
  const [leaf = '', root = ''] = after.chain;
  t.true(new X509Certificate(leaf).verify(new X509Certificate(root).publicKey));
});
