import test, { type ExecutionContext } from 'ava';
import { readPluggedIn } from '../../../src/ca/authority/plugged-in.js';
import type { MaterialTexts } from '../../../src/ca/authority/signing-material.js';
import type { FileContent } from '../../../src/ca/watched-files.js';
import { selfSigned } from '../support/material.js';
import { createOpenSsl, KEYS, type OpenSsl } from '../support/openssl.js';
import { keyOf, makeCertificate, makePluggedIn } from '../support/plugged-in.js';

const FOLDER = '/etc/cacerts';

function read(texts: Partial<MaterialTexts>, now = new Date()) {
  const content = (text: string | undefined): FileContent =>
    text === undefined ? { type: 'missing' } : { type: 'text', text };
  const { privateKey, certificate, chain, roots } = texts;
  const contents = {
    privateKey: content(privateKey),
    certificate: content(certificate),
    chain: content(chain),
    roots: content(roots),
  };
  return readPluggedIn(FOLDER, contents, now);
}

function refused(t: ExecutionContext, texts: Partial<MaterialTexts>, reason: RegExp, now?: Date): void {
  const found = read(texts, now);
  t.is(found.type, 'refused');
  t.regex(found.type === 'refused' ? found.reason : '', reason);
}

test('a CA below two intermediates signs, and the chain of a leaf does not include the root', async (t) => {
  const texts = await makePluggedIn(await createOpenSsl(t));
  const found = read(texts);
  if (found.type !== 'material') return t.fail(JSON.stringify(found));
  const { intermediates, roots, certificate } = found.material;
  t.deepEqual(
    intermediates.map(({ subject }) => subject),
    ['O=example\nCN=ca', 'O=example\nCN=middle'],
  );
  t.is(intermediates[0], certificate);
  t.deepEqual(
    roots.map(({ subject }) => subject),
    ['O=example\nCN=root'],
  );
});

test('the order of a chain and extra certificates in it do not matter', async (t) => {
  const openssl = await createOpenSsl(t);
  const texts = await makePluggedIn(openssl);
  const other = await makeCertificate(openssl, { name: 'other' });
  const blocks = [...texts.chain.matchAll(/-----BEGIN[^-]*-----[^-]*-----END CERTIFICATE-----\n/g)].map(
    ([text]) => text,
  );
  const found = read({ ...texts, chain: [other, ...blocks.reverse()].join('Bag Attributes: none\n') });
  t.is(found.type === 'material' && found.material.intermediates.length, 2);
});

test('a root may sign by itself, without a chain, and the first root is the one that signs', async (t) => {
  const openssl = await createOpenSsl(t);
  const certificate = await makeCertificate(openssl, { name: 'root', key: [...KEYS['RSA 2048'], '-nodes'] });
  const other = await makeCertificate(openssl, { name: 'other' });
  const found = read({ privateKey: await keyOf(openssl, 'root'), certificate, roots: other + certificate + other });
  if (found.type !== 'material') return t.fail(JSON.stringify(found));
  t.deepEqual(found.material.intermediates, []);
  t.deepEqual(
    found.material.roots.map(({ subject }) => subject),
    ['O=example\nCN=root', 'O=example\nCN=other'],
  );
});

test('roots without a CA are trusted in addition to the self-signed root', async (t) => {
  const { roots } = await makePluggedIn(await createOpenSsl(t));
  t.deepEqual(read({ roots }), { type: 'none', extraRoots: roots.trim() });
  t.deepEqual(read({}), { type: 'none', extraRoots: '' });
});

test('the error for a missing, empty or unreadable file names the file and the remedy', async (t) => {
  const { privateKey, certificate, roots } = await makePluggedIn(await createOpenSsl(t));
  refused(
    t,
    { certificate, roots },
    /^\/etc\/cacerts\/ca-key\.pem is missing or empty; put all of a CA into \/etc\/cacerts, /,
  );
  refused(t, { privateKey, roots }, /^\/etc\/cacerts\/ca-cert\.pem is missing or empty; /);
  refused(t, { privateKey, certificate, roots: ' \n' }, /^\/etc\/cacerts\/root-cert\.pem is missing or empty; /);
  const contents = {
    privateKey: { type: 'unreadable', reason: 'EACCES: permission denied' },
    certificate: { type: 'missing' },
    chain: { type: 'missing' },
    roots: { type: 'missing' },
  } as const;
  t.deepEqual(readPluggedIn(FOLDER, contents, new Date()), {
    type: 'refused',
    reason: '/etc/cacerts/ca-key.pem cannot be read: EACCES: permission denied; let this process read it, or remove it',
  });
});

test('a key that is broken, encrypted, weak or of another certificate is rejected, and no part of it appears in the error', async (t) => {
  const openssl = await createOpenSsl(t);
  const texts = await makePluggedIn(openssl);
  const broken = texts.privateKey.replace(/\n.{20}/, '\n');
  refused(
    t,
    { ...texts, privateKey: broken },
    /^\/etc\/cacerts\/ca-key\.pem is not a private key in PEM; write the key as [^\n]*$/,
  );
  refused(t, { ...texts, privateKey: texts.certificate }, /^\/etc\/cacerts\/ca-key\.pem is not a private key in PEM; /);
  const encrypted = await openssl('pkcs8', '-topk8', '-in', 'ca.key', '-passout', 'pass:secret');
  refused(
    t,
    { ...texts, privateKey: encrypted },
    /^\/etc\/cacerts\/ca-key\.pem is encrypted; .* without a passphrase$/,
  );
  refused(
    t,
    { ...texts, privateKey: await keyOf(openssl, 'root') },
    /^\/etc\/cacerts\/ca-key\.pem does not belong to the certificate; /,
  );
  const weak = await weakCa(openssl);
  refused(
    t,
    weak,
    /^\/etc\/cacerts\/ca-key\.pem is too weak \(RSA of 1024 bits\); make a CA with a key of RSA of 2048 to 8192 /,
  );
});

async function weakCa(openssl: OpenSsl): Promise<MaterialTexts> {
  const certificate = await makeCertificate(openssl, { name: 'weak', key: [...KEYS['RSA 1024'], '-nodes'] });
  return { privateKey: await keyOf(openssl, 'weak'), certificate, chain: '', roots: certificate };
}

test('a certificate that may not sign others is rejected', async (t) => {
  const openssl = await createOpenSsl(t);
  const { roots } = await makePluggedIn(openssl);
  for (const extensions of [
    ['-addext', 'basicConstraints=critical,CA:FALSE'],
    ['-addext', 'basicConstraints=critical,CA:TRUE', '-addext', 'keyUsage=digitalSignature'],
  ]) {
    const certificate = await makeCertificate(openssl, { name: 'leaf', issuer: 'root', extensions });
    const texts = { privateKey: await keyOf(openssl, 'leaf'), certificate, chain: '', roots };
    refused(
      t,
      texts,
      /^\/etc\/cacerts\/ca-cert\.pem is not of a CA \(O=example, CN=leaf, serial [0-9A-F]+\); have one issued /,
    );
  }
});

test('a chain with a gap, or to another root of the same name, is rejected', async (t) => {
  const openssl = await createOpenSsl(t);
  const texts = await makePluggedIn(openssl);
  const gap =
    /^\/etc\/cacerts\/cert-chain\.pem does not lead to a root: nothing has issued O=example, CN=ca, .* whose issuer is O=example, CN=middle; put /;
  refused(t, { ...texts, chain: '' }, gap);
  const sameName = await makeCertificate(openssl, { name: 'root' });
  refused(
    t,
    { ...texts, roots: sameName },
    /^\/etc\/cacerts\/cert-chain\.pem does not lead to a root: nothing has issued O=example, CN=(root|middle), /,
  );
});

test('a root with equal name and key identifier that did not sign the chain is not its root', async (t) => {
  const own = await selfSigned();
  const names = { organization: 'cluster.local', keyId: Buffer.from('equal') };
  const [first, second] = [await selfSigned(names), await selfSigned(names)];
  t.is(read(first).type, 'material');
  refused(
    t,
    { ...first, roots: second.roots + own.roots },
    /^\/etc\/cacerts\/cert-chain\.pem does not lead to a root: /,
  );
});

test('a certificate with an issuer does not count as a root, even in the file of roots', async (t) => {
  const texts = await makePluggedIn(await createOpenSsl(t));
  refused(
    t,
    { ...texts, chain: '', roots: texts.certificate },
    /^\/etc\/cacerts\/cert-chain\.pem does not lead to a root: /,
  );
});

test('files without certificates are rejected, and the error names the block', async (t) => {
  const texts = await makePluggedIn(await createOpenSsl(t));
  refused(
    t,
    { ...texts, certificate: 'text' },
    /^\/etc\/cacerts\/ca-cert\.pem cannot be read: no PEM block "CERTIFICATE" is in it; /,
  );
  refused(
    t,
    { ...texts, chain: texts.privateKey },
    /^\/etc\/cacerts\/cert-chain\.pem cannot be read: block 1 \(PRIVATE KEY\) is not a CERTIFICATE; /,
  );
  const broken = texts.roots.replace(/\n.{20}/, '\nAAAAAAAAAAAAAAAAAAAA');
  refused(
    t,
    { ...texts, roots: texts.roots + broken },
    /^\/etc\/cacerts\/root-cert\.pem cannot be read: block 2 \(CERTIFICATE\) is not an X\.509 certificate; /,
  );
});

test('an expired or not yet valid certificate is rejected, and the error names the file', async (t) => {
  const texts = await makePluggedIn(await createOpenSsl(t), 10);
  const inDays = (days: number): Date => new Date(Date.now() + days * 24 * 3_600_000);
  t.is(read(texts, inDays(9)).type, 'material');
  refused(
    t,
    texts,
    /^\/etc\/cacerts\/ca-cert\.pem expired at \d{4}-\d\d-\d\dT\S+Z; replace it by one that is valid$/,
    inDays(11),
  );
  refused(
    t,
    texts,
    /^\/etc\/cacerts\/ca-cert\.pem is not valid before \d{4}-\S+Z; wait until then, or set the clock of this machine$/,
    inDays(-1),
  );
});
