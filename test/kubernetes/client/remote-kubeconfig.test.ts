import test from 'ava';
import { ClusterAccessError } from '../../../src/kubernetes/client/cluster-access-error.js';
import { createRemoteAccess } from '../../../src/kubernetes/client/remote-access.js';
import { parseRemoteKubeconfig } from '../../../src/kubernetes/client/remote-kubeconfig.js';
import fc from '../../support/property-testing.js';
import { createSelfSignedCertificate } from '../../support/self-signed-certificate.js';

const { certificate, key } = createSelfSignedCertificate();
const other = createSelfSignedCertificate();
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const CLUSTER = { server: 'https://west.example.com:6443/', 'certificate-authority-data': base64(certificate) };
const USER = { token: 'h3ll0' };

function kubeconfig(cluster: object = CLUSTER, user: object = USER, rest: object = {}): string {
  return JSON.stringify({
    clusters: [
      { name: 'other', cluster: { server: 'http://other' } },
      { name: 'c', cluster },
    ],
    users: [
      { name: 'other', user: { exec: { command: '/bin/true' } } },
      { name: 'u', user },
    ],
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'here',
    ...rest,
  });
}

test('the current context is read: server, authority and token', (t) => {
  t.deepEqual(parseRemoteKubeconfig(kubeconfig()), {
    server: 'https://west.example.com:6443',
    ca: Buffer.from(certificate),
    serverName: undefined,
    credentials: { type: 'token', token: 'h3ll0' },
  });
});

test('a client certificate with its key, another name of the server and public authorities are taken', (t) => {
  const user = { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) };
  const read = parseRemoteKubeconfig(kubeconfig({ server: 'https://10.0.0.1', 'tls-server-name': 'api' }, user));
  t.deepEqual(read, {
    server: 'https://10.0.0.1',
    ca: undefined,
    serverName: 'api',
    credentials: { type: 'certificate', certificate: Buffer.from(certificate), key: Buffer.from(key) },
  });
});

test('empty fields, as some tools write them, are ignored', (t) => {
  const cluster = { ...CLUSTER, 'insecure-skip-tls-verify': false, 'proxy-url': '', 'certificate-authority': '' };
  t.is(parseRemoteKubeconfig(kubeconfig(cluster, { ...USER, exec: null, tokenFile: '' })).credentials.type, 'token');
});

test('requests have the token, and trust only the given authority in any environment', async (t) => {
  const access = createRemoteAccess(parseRemoteKubeconfig(kubeconfig()));
  t.teardown(() => access.close());
  const { headers, agent } = await access.requestOptions();
  t.deepEqual(headers, { authorization: 'Bearer h3ll0' });
  t.like((agent as unknown as { options: object }).options, { rejectUnauthorized: true, ca: Buffer.from(certificate) });
});

const SECRET = 's3cr3t-of-the-test';

for (const [what, text, reason] of [
  [
    'an exec plugin',
    kubeconfig(CLUSTER, { ...USER, exec: { command: SECRET } }),
    /^user\.exec: it runs a program; give/,
  ],
  [
    'an auth provider',
    kubeconfig(CLUSTER, { 'auth-provider': { name: 'gcp', config: { 'cmd-path': SECRET } } }),
    /^user\.auth-provider: it may run a program/,
  ],
  ['a file with a token', kubeconfig(CLUSTER, { tokenFile: `/${SECRET}` }), /^user\.tokenFile: it names a file/],
  [
    'a file with a certificate',
    kubeconfig(CLUSTER, { 'client-certificate': `/${SECRET}`, 'client-key': '/k' }),
    /^user\.client-certificate: it names a file/,
  ],
  [
    'a file with a key',
    kubeconfig(CLUSTER, { ...USER, 'client-key': `/${SECRET}` }),
    /^user\.client-key: it names a file/,
  ],
  [
    'a file with an authority',
    kubeconfig({ ...CLUSTER, 'certificate-authority': `/${SECRET}` }),
    /^cluster\.certificate-authority: it names a file/,
  ],
  [
    'a server that nobody vouches for',
    kubeconfig({ server: 'https://x', 'insecure-skip-tls-verify': true }),
    /^cluster\.insecure-skip-tls-verify: anyone could answer/,
  ],
  ['a proxy', kubeconfig({ ...CLUSTER, 'proxy-url': 'http://127.0.0.1:15000' }), /^cluster\.proxy-url: /],
  ['another identity to act as', kubeconfig(CLUSTER, { ...USER, as: SECRET }), /^user\.as: acting as somebody else/],
  ['a password', kubeconfig(CLUSTER, { username: 'a', password: SECRET }), /^user\.username: API servers know no/],
  ['no credentials', kubeconfig(CLUSTER, {}), /^user has no token/],
  ['a certificate without a key', kubeconfig(CLUSTER, { 'client-certificate-data': SECRET }), /^user has no token/],
  [
    'a key of another certificate',
    kubeconfig(CLUSTER, { 'client-certificate-data': base64(certificate), 'client-key-data': base64(other.key) }),
    /client-key-data are not a certificate and its key/,
  ],
  [
    'a token with a line of its own',
    kubeconfig(CLUSTER, { token: `${SECRET}\r\nX: y` }),
    /^user\.token has characters/,
  ],
  ['a token that is no text', kubeconfig(CLUSTER, { token: { a: SECRET } }), /^user\.token is not text/],
  ['plain HTTP', kubeconfig({ server: 'http://west' }), /^cluster\.server is not an https URL/],
  ['a server that is no URL', kubeconfig({ server: SECRET }), /^cluster\.server is not an https URL/],
  ['credentials in the URL', kubeconfig({ server: `https://a:${SECRET}@x` }), /^cluster\.server has more than host/],
  [
    'an authority that is no certificate',
    kubeconfig({ server: 'https://x', 'certificate-authority-data': base64(SECRET) }),
    /^cluster\.certificate-authority-data is not a certificate/,
  ],
  ['no context', kubeconfig(CLUSTER, USER, { 'current-context': undefined }), /^current-context is missing/],
  ['a context that is not there', kubeconfig(CLUSTER, USER, { contexts: [] }), /^current-context names no entry/],
  ['a cluster that is not there', kubeconfig(CLUSTER, USER, { clusters: 5 }), /^the context's cluster names no entry/],
  ['text that is no YAML', `{"token": "${SECRET}`, /^it is not YAML/],
  ['text that is no mapping', SECRET, /^it is not a mapping/],
  ['nothing', '', /^it is not a mapping/],
] as const) {
  test(`a kubeconfig from a secret with ${what} is refused, and its values are not told`, (t) => {
    const error = t.throws(() => parseRemoteKubeconfig(text), { instanceOf: ClusterAccessError, message: reason });
    t.is(error?.code, 'KUBECONFIG_INVALID');
    t.false(error?.message.includes(SECRET));
  });
}

const anyValue = fc.oneof(
  fc.constantFrom(SECRET, base64(SECRET), base64(certificate), base64(key), `https://${SECRET}`, '', 'c', 'u', 'here'),
  fc.jsonValue({ maxDepth: 1 }),
);
const anyFields = (...names: readonly string[]) => fc.dictionary(fc.constantFrom(...names), anyValue);
const anyKubeconfig = fc
  .tuple(
    anyFields('server', 'certificate-authority-data', 'certificate-authority', 'tls-server-name', 'proxy-url'),
    anyFields('token', 'exec', 'client-certificate-data', 'client-key-data', 'username', 'tokenFile'),
    fc.oneof(fc.constant({}), anyFields('clusters', 'users', 'contexts', 'current-context')),
  )
  .map(([cluster, user, rest]) => kubeconfig(cluster, user, rest));

test('any content that is not a kubeconfig is rejected with one code and without its values', (t) => {
  fc.assert(
    fc.property(fc.oneof(anyKubeconfig, fc.string(), fc.json()), (text) => {
      try {
        const { server, credentials } = parseRemoteKubeconfig(text);
        t.true(server.startsWith('https://'));
        t.true(credentials.type === 'token' || credentials.type === 'certificate');
      } catch (error) {
        if (!(error instanceof ClusterAccessError)) throw error;
        t.false(error.message.includes(SECRET));
      }
    }),
    { numRuns: 2_000 },
  );
});
