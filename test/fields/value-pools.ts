import type { ValuePools } from './arbitrary-spec.js';

/** Files with real certificates: Envoy reads them when it checks a configuration. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
  readonly roots: string;
}

const HOSTS = [
  'web',
  'web.default.svc.cluster.local',
  'store',
  'api.example.com',
  'WWW.example.com',
  '*.example.com',
  '*',
];
const SCOPED_HOSTS = ['*/*', './*', 'default/web.default.svc.cluster.local', 'shop/*', '~/*'];
const DURATIONS = ['1s', '250ms', '1h', '0s', '1.5s', '10ms', '2'];
const TEXTS = ['/', '/a', '/a?b#c', 'GET', 'https', '[a-z]+', '/items/.*', '*', 'x%y', 'é', 'v1', 'alice', '%REQ(x)%'];
const NAMES = ['a', 'b', 'http', 'tcp-x', 'v1', 'v2', 'x-user', 'cookie', ':path', 'Host', 'content-length'];
const ADDRESSES = [
  '10.0.0.1',
  '10.0.0.0/8',
  '::1',
  'fd00::/8',
  '127.0.0.1:8080',
  ':9000',
  'unix:///tmp/a.sock',
  '0.0.0.0',
];
const IDENTITIES = [
  'cluster.local/ns/default/sa/web',
  'spiffe://cluster.local/ns/a/sa/b',
  '*/sa/web',
  'https://a/b',
  '*',
];
const KEYS = '{"keys":[{"kty":"oct","kid":"a","k":"AAAA"}]}';

/** A module's worth of Envoy's own configuration, whole, broken and foreign. */
const PATCHES = [
  { name: 'patched', connect_timeout: '3s' },
  { name: 'envoy.filters.http.lua', typed_config: lua('function envoy_on_request(handle) end') },
  { name: 'envoy.filters.http.lua', typed_config: { '@type': 'type.googleapis.com/unknown.Message' } },
  { name: 'a', domains: ['a.example.com'], routes: [{ match: { prefix: '/' }, direct_response: { status: 200 } }] },
  { match: { prefix: '/patched' }, direct_response: { status: 418 } },
  { connect_timeout: 'later' },
  { per_connection_buffer_limit_bytes: 1024 },
  {},
];

function lua(code: string): object {
  return {
    '@type': 'type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua',
    default_source_code: { inline_string: code },
  };
}

/** Values that name things of `mesh.yaml`, and things that are not there. */
export function valuePools({ certificate, key, roots }: CertificateFiles): ValuePools {
  const durations = ['timeout', 'perTryTimeout', 'fixedDelay', 'maxAge', 'connectTimeout', 'time', 'interval'];
  const texts = ['exact', 'prefix', 'regex', 'uri', 'authority', 'values', 'notValues', 'paths', 'notPaths', 'methods'];
  const addresses = ['address', 'addresses', 'bind', 'defaultEndpoint', 'ipBlocks', 'notIpBlocks', 'sourceSubnet'];
  const identities = ['principals', 'notPrincipals', 'requestPrincipals', 'notRequestPrincipals', 'subjectAltNames'];
  const files: [readonly string[], readonly unknown[]][] = [
    [['clientCertificate', 'serverCertificate'], [certificate]],
    [['privateKey'], [key]],
    [['caCertificates'], [roots]],
  ];
  const byName: [readonly string[], readonly unknown[]][] = [
    [['host', 'sniHosts', 'service', 'notHosts', 'sni'], HOSTS],
    [['hosts'], [...HOSTS, ...SCOPED_HOSTS, 'default/*.example.com']],
    [
      ['gateways', 'gateway'],
      ['mesh', 'ingress', 'default/ingress', 'shop/none'],
    ],
    [['subset'], ['v1', 'v2', 'v3']],
    [[...durations, 'idleTimeout', 'baseEjectionTime', 'ttl'], DURATIONS],
    [[...texts, 'notMethods', 'add.value', 'set.value', 'outputPayloadToHeader'], TEXTS],
    [['name', 'remove', 'httpHeaderName', 'httpQueryParameterName', 'fromParams', 'allowHeaders'], NAMES],
    [[...addresses, 'destinationSubnets'], ADDRESSES],
    [identities, IDENTITIES],
    [
      ['namespace', 'namespaces', 'notNamespaces', 'sourceNamespace'],
      ['default', 'shop', 'none', '*'],
    ],
    [['exportTo'], ['*', '.', 'shop']],
    [
      ['ports', 'notPorts'],
      ['8080', '80', '0', 'http'],
    ],
    [['retryOn'], ['5xx,503', 'connect-failure', 'retriable-status-codes,reset', '999', 'nonsense']],
    [['protocol'], ['HTTP', 'HTTPS', 'HTTP2', 'GRPC', 'TCP', 'TLS', 'MONGO', 'UDP', 'http']],
    ...files,
    [['credentialName'], ['cred']],
    [['cipherSuites'], ['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES128-GCM-SHA256', 'none']],
    [
      ['key'],
      ['request.headers[a]', 'source.ip', 'connection.sni', 'request.auth.claims[a]', 'destination.port', 'none'],
    ],
    [
      ['labels.value', 'matchLabels.value', 'sourceLabels.value', 'selector.value'],
      ['web', 'v1', 'v2', 'client', 'ingress'],
    ],
    [
      ['labels.key', 'matchLabels.key', 'sourceLabels.key', 'selector.key'],
      ['app', 'version'],
    ],
    [['ports.key'], ['http', 'tls']],
    [['ports.value'], [8080, 9000]],
    [['issuer'], ['https://issuer.example.com', 'joe@example.com']],
    [['jwks'], [KEYS, '{}', 'none']],
    [['jwksUri'], ['https://issuer.example.com/keys', 'ftp://x']],
    [['audiences'], ['web', 'https://audience.example.com']],
    [
      ['from', 'to.key'],
      ['region-1/*', 'region-1/zone-1/*', '*', 'region-2'],
    ],
    [['to'], ['region-2', 'region-1']],
    [['to.value'], [100, 50]],
    [['locality'], ['region-1/zone-1', 'region-2', 'a/b/c']],
    [['proxyVersion'], ['1\\..*', '(', '.*']],
    [['value'], PATCHES],
    [['applicationProtocols'], ['h2', 'http/1.1']],
  ];
  return {
    byField: Object.fromEntries(byName.flatMap(([names, values]) => names.map((name) => [name, values] as const))),
    only: new Set(files.flatMap(([names]) => names)),
  };
}
