import test from 'ava';
import { createKindRegistry } from '../../../src/config/kinds.js';
import { DEFAULT_MESH_DOMAIN } from '../../../src/config/mesh-domain.js';

const kinds = createKindRegistry(DEFAULT_MESH_DOMAIN);

type Fields = Readonly<Record<string, unknown>>;

const PORT = { number: 80, name: 'http', protocol: 'HTTP' };
const SERVER = { port: PORT, hosts: ['shop.example.com'] };
const TLS_PORT = { number: 443, name: 'https', protocol: 'HTTPS' };
const CERTIFICATE = { serverCertificate: '/etc/certs/tls.crt', privateKey: '/etc/certs/tls.key' };

function violationsOf(spec: Fields): readonly string[] {
  const raw = {
    apiVersion: 'networking.mesh.internal/v1beta1',
    kind: 'Gateway',
    metadata: { name: 'ingress', namespace: 'edge' },
    spec,
  };
  const result = kinds.read(raw, { defaultNamespace: '' });
  if (result.type === 'object') return [];
  if (result.type !== 'invalid') throw new Error(result.type);
  return result.violations.map(({ path, message }) => `${path} ${message}`);
}

const withServer = (fields: Fields): Fields => ({ servers: [{ ...SERVER, ...fields }] });
const withTls = (tls: Fields): Fields => withServer({ port: TLS_PORT, tls });

const VALID: Readonly<Record<string, Fields>> = {
  'a plaintext server': { servers: [SERVER], selector: { app: 'ingress' } },
  'hosts of namespaces, wildcards and all hosts': withServer({
    hosts: ['shop/a.example.com', './b.example.com', '*/*.example.com', '*', 'team/*'],
  }),
  'a redirect': withServer({ tls: { httpsRedirect: true } }),
  'a certificate in files': withTls({ mode: 'SIMPLE', ...CERTIFICATE }),
  'a certificate in a secret': withTls({ mode: 'SIMPLE', credentialName: 'shop-cert' }),
  'client certificates': withTls({
    mode: 'MUTUAL',
    ...CERTIFICATE,
    caCertificates: '/etc/certs/ca.crt',
    subjectAltNames: ['partner.example.com'],
    verifyCertificateSpki: ['n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg='],
    verifyCertificateHash: [`${'9F:'.repeat(31)}9f`, '9f'.repeat(32)],
    minProtocolVersion: 'TLSV1_0',
    maxProtocolVersion: 'TLSV1_3',
    cipherSuites: ['ECDHE-RSA-AES128-GCM-SHA256'],
  }),
  'TLS that the router does not decrypt': withTls({ mode: 'PASSTHROUGH' }),
  'the default mode, which needs no certificate': withTls({}),
  'mutual TLS of the mesh': withTls({ mode: 'MESH_MUTUAL', subjectAltNames: ['spiffe://cluster.local/ns/a/sa/b'] }),
  'server names of the mesh': withTls({ mode: 'AUTO_PASSTHROUGH' }),
  'an address and a target port': withServer({ bind: '10.0.0.1', port: { ...PORT, targetPort: 8080 } }),
  'default endpoints': {
    servers: ['127.0.0.1:9000', ':9000', 'unix:///run/app.sock'].map((defaultEndpoint, index) => ({
      ...SERVER,
      port: { ...PORT, name: `http-${index}` },
      name: `server-${index}`,
      defaultEndpoint,
    })),
  },
};

for (const [title, spec] of Object.entries(VALID)) {
  test(`a Gateway may have ${title}`, (t) => {
    t.deepEqual(violationsOf(spec), []);
  });
}

const INVALID: readonly (readonly [title: string, spec: Fields, violations: readonly string[]])[] = [
  ['no server', { servers: [] }, ['spec.servers has too few items']],
  ['no host', withServer({ hosts: [] }), ['spec.servers[0].hosts has too few items']],
  [
    'hosts without a dot, and namespaces that are none',
    withServer({ hosts: ['localhost', 'a_b/x.example.com', '/x.example.com', 'ns/', '*example.com'] }),
    [
      'spec.servers[0].hosts[0] is not a host name of a gateway',
      'spec.servers[0].hosts[1] has no namespace before its slash',
      'spec.servers[0].hosts[2] has no namespace before its slash',
      'spec.servers[0].hosts[3] is not a host name of a gateway',
      'spec.servers[0].hosts[4] is not a host name of a gateway',
    ],
  ],
  [
    'two servers of one name',
    {
      servers: [
        { ...SERVER, name: 'a' },
        { ...SERVER, name: 'a' },
      ],
    },
    ['spec.servers[1].port.name is the name of servers[0] too', 'spec.servers[1].name is the name of servers[0] too'],
  ],
  [
    'an unknown protocol',
    withServer({ port: { ...PORT, protocol: 'QUIC' } }),
    ['spec.servers[0].port.protocol is not a protocol of gateways'],
  ],
  [
    'UDP',
    withServer({ port: { ...PORT, protocol: 'udp' } }),
    ['spec.servers[0].port.protocol is not a protocol of gateways'],
  ],
  [
    'a port without a name',
    withServer({ port: { ...PORT, name: '' } }),
    ['spec.servers[0].port.name is not a valid port name'],
  ],
  ['a name as its address', withServer({ bind: 'eth0' }), ['spec.servers[0].bind is not an IP address']],
  [
    'an endpoint elsewhere',
    withServer({ defaultEndpoint: '10.0.0.1:80' }),
    ['spec.servers[0].defaultEndpoint is not an address of the router itself'],
  ],
  ['HTTPS without TLS', withServer({ port: TLS_PORT }), ['spec.servers[0].tls is missing for protocol HTTPS']],
  [
    'a certificate for plaintext',
    withServer({ tls: { mode: 'SIMPLE', ...CERTIFICATE } }),
    ['spec.servers[0].tls is set for protocol HTTP, which is plaintext'],
  ],
  [
    'a redirect of bytes',
    withServer({ port: { ...PORT, protocol: 'TCP' }, tls: { httpsRedirect: true } }),
    ['spec.servers[0].tls is set for protocol TCP, which is plaintext'],
  ],
  [
    'SIMPLE without a certificate',
    withTls({ mode: 'SIMPLE' }),
    [
      'spec.servers[0].tls.serverCertificate is missing for mode SIMPLE',
      'spec.servers[0].tls.privateKey is missing for mode SIMPLE',
    ],
  ],
  [
    'MUTUAL without roots',
    withTls({ mode: 'MUTUAL', ...CERTIFICATE }),
    ['spec.servers[0].tls.caCertificates is missing for mode MUTUAL'],
  ],
  [
    'MESH_MUTUAL with certificates',
    withTls({ mode: 'MESH_MUTUAL', ...CERTIFICATE, credentialName: 'cert' }),
    ['serverCertificate', 'privateKey', 'credentialName'].map(
      (field) => `spec.servers[0].tls.${field} is set with mode MESH_MUTUAL, which uses the certificate of the mesh`,
    ),
  ],
  [
    'a secret of another namespace',
    withTls({ mode: 'SIMPLE', credentialName: 'other/cert' }),
    ['spec.servers[0].tls.credentialName is not the name of a secret'],
  ],
  [
    'the secret of its roots as credential',
    withTls({ mode: 'SIMPLE', credentialName: 'shop-cacert' }),
    ['spec.servers[0].tls.credentialName has the ending of secrets with root certificates'],
  ],
  [
    'versions in the wrong order',
    withTls({ mode: 'SIMPLE', credentialName: 'cert', maxProtocolVersion: 'TLSV1_1' }),
    ['spec.servers[0].tls.maxProtocolVersion is below the default minProtocolVersion TLSV1_2'],
  ],
  [
    'a cipher suite and hashes that Envoy rejects',
    withTls({
      mode: 'MUTUAL',
      credentialName: 'cert',
      cipherSuites: ['RC4-SHA'],
      verifyCertificateSpki: ['abc'],
      verifyCertificateHash: ['abc'],
    }),
    [
      'spec.servers[0].tls.cipherSuites[0] is not a cipher suite of Envoy',
      'spec.servers[0].tls.verifyCertificateSpki[0] is not a SHA-256 hash in Base64',
      'spec.servers[0].tls.verifyCertificateHash[0] is not a SHA-256 hash in hexadecimal digits',
    ],
  ],
  [
    'a wildcard in its selector',
    { servers: [SERVER], selector: { app: '*' } },
    ['spec.selector.app is not a valid label value'],
  ],
];

for (const [title, spec, violations] of INVALID) {
  test(`a Gateway may not have ${title}`, (t) => {
    t.deepEqual(violationsOf(spec), violations);
  });
}
