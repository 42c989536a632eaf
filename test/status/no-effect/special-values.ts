import { type Manifest, serviceManifest } from './base-mesh.js';
import { type CaseChange, specWith } from './case-mesh.js';

/** A value without an effect that cannot be generated from its type. */
export interface SpecialValue extends CaseChange {
  /** The fields with this value, as the walk writes them. */
  readonly fields: readonly string[];
}

type Others = (namespace: string) => readonly Manifest[];

const CLAUSE = 'rules[].match[].clause';

function clause(fields: string, at: string, value: object, shown: string): SpecialValue {
  return {
    title: `the clause ${JSON.stringify(value)}`,
    kind: 'QuotaSpec',
    fields: [fields],
    at: `spec.rules[0].match[0].clause${at}`,
    shown,
    spec: (specs) => specWith(specs, 'QuotaSpec', CLAUSE, () => value),
  };
}

function quotaSpec(field: string, at: string, value: unknown, shown: string): SpecialValue {
  return {
    title: `${field} with ${JSON.stringify(value)}`,
    kind: 'QuotaSpec',
    fields: [field],
    at: `spec.${at}`,
    shown,
    spec: (specs) => specWith(specs, 'QuotaSpec', field, () => value),
  };
}

const QUOTA_SPEC: readonly SpecialValue[] = [
  clause(CLAUSE, '["response.code"]', { 'response.code': { exact: '200' } }, 'response.code is known only'),
  clause(CLAUSE, '["destination.labels[tier]"]', { 'destination.labels[tier]': { exact: 'gold' } }, 'the label "tier"'),
  clause(CLAUSE, '["request.headers[a@b]"]', { 'request.headers[a@b]': { exact: 'x' } }, 'an entry "a@b"'),
  clause(
    CLAUSE,
    '',
    { 'request.method': { exact: 'GET' }, 'request.httpmethod': { exact: 'POST' } },
    'cannot be "GET" and "POST" at once',
  ),
  clause(
    CLAUSE,
    '',
    { 'request.headers[X-User]': { exact: 'a' }, 'request.headers[x-user]': { prefix: 'b' } },
    'cannot be "a" and begin with "b" at once',
  ),
  clause(
    CLAUSE,
    '',
    { 'request.path': { prefix: '/' }, 'connection.id': { regex: '.*' } },
    'only HTTP requests can meet request.path, and only TCP connections connection.id',
  ),
  clause(`${CLAUSE}{}.exact`, '["request.scheme"]', { 'request.scheme': { exact: 'ftp' } }, 'never is "ftp"'),
  clause(`${CLAUSE}{}.exact`, '["request.method"]', { 'request.method': { exact: 'get' } }, 'did you mean GET?'),
  clause(`${CLAUSE}{}.exact`, '["request.url_path"]', { 'request.url_path': { exact: '/a?b' } }, '"/a?b" has one'),
  clause(`${CLAUSE}{}.exact`, '["team.size"]', { 'team.size': { exact: '7' } }, 'team.size never is "7"'),
  clause(`${CLAUSE}{}.prefix`, '["request.path"]', { 'request.path': { prefix: 'pets' } }, '"pets" does not'),
  clause(`${CLAUSE}{}.regex`, '["request.path"]', { 'request.path': { regex: 'pets/.*' } }, '"pets/.*" does not'),
  clause(
    `${CLAUSE}{}.regex`,
    '["context.protocol"]',
    { 'context.protocol': { regex: 'https' } },
    'never matches "https"',
  ),
  quotaSpec('rules[].match[]', 'rules[0].match[1]', { clause: {} }, 'match[0] of the rule has no conditions'),
];

function api(field: string, at: string, change: (old: unknown) => unknown, shown: string): SpecialValue {
  return {
    title: `${field} that is ${shown}`,
    kind: 'HTTPAPISpec',
    fields: [field],
    at: `spec.${at}`,
    shown,
    spec: (specs) => specWith(specs, 'HTTPAPISpec', field, change),
  };
}

const withFirst = (more: object) => (old: unknown) => [...(old as unknown[]), more];
const TEAM = { attributes: { 'api.operation': { stringValue: 'x' } } };

const HTTP_API_SPEC: readonly SpecialValue[] = [
  api(
    'patterns',
    'patterns[2]',
    withFirst({ httpMethod: 'GET', uriTemplate: '/pets/{name}', attributes: TEAM }),
    'GET /pets/{name}',
  ),
  api(
    'patterns[].httpMethod',
    'patterns[0].httpMethod',
    () => 'GETS',
    '"GETS" is not a method of RFC 7231 (did you mean GET?)',
  ),
  api('patterns[].regex', 'patterns[1].regex', () => 'pets/.*', '"pets/.*" matches no path'),
  api('apiKeys', 'apiKeys[2]', withFirst({ header: 'X-KEY' }), 'header x-key'),
  {
    ...api('apiKeys', 'apiKeys[2]', withFirst({ query: 'key' }), 'query key'),
    fields: ['apiKeys[].query', 'apiKeys[].header'],
  },
  api(
    'attributes.attributes',
    'attributes.attributes["api.operation"]',
    (old) => ({ ...(old as object), 'api.operation': { stringValue: 'always' } }),
    'every pattern sets api.operation',
  ),
  {
    ...api(
      'attributes.attributes{}',
      'attributes.attributes["api.service"].stringValue',
      () => ({ stringValue: '' }),
      'is empty',
    ),
    fields: ['attributes.attributes{}.stringValue', 'patterns[].attributes.attributes{}.stringValue'],
  },
];

function service(item: object, at: string, shown: string, fields: readonly string[], others?: Others) {
  return (kind: string): SpecialValue => ({
    title: `the service ${JSON.stringify(item)} of ${kind}`,
    kind,
    fields,
    at: `spec.services[1]${at}`,
    shown,
    spec: (specs) => specWith(specs, kind, 'services', (old) => [(old as unknown[])[0], item]),
    ...(others && { others }),
  });
}

const ports =
  (name: string, protocol: string): Others =>
  (namespace) => [
    serviceManifest(namespace, name, { ports: [{ number: 9000, name: 'only', protocol }], resolution: 'DNS' }),
  ];
const EXTERNAL: Others = (namespace) => [
  serviceManifest(namespace, 'partner', {
    hosts: [`partner.${namespace}.example.com`],
    location: 'MESH_EXTERNAL',
    ports: [{ number: 80, name: 'http', protocol: 'HTTP' }],
    resolution: 'DNS',
  }),
];

const OF_BOTH = [
  service({ service: 'w*b' }, '.service', '"w*b" matches no service', ['services[].service']),
  service({ name: 'web', labels: { version: 'v9' } }, '.labels', 'no workload of the service has version=v9', [
    'services[].labels',
    'services[].labels{}',
  ]),
  service({ name: 'web', labels: { version: 'v1', other: 'x' } }, '.labels', 'has version=v1,other=x', [
    'services[].labels',
  ]),
  service({ service: '*.partner.*' }, '', 'no service has a host that contains .partner.', ['services[].service']),
];

/** Ports and places in which one of the kinds has no effect. */
const OF_ONE: readonly SpecialValue[] = [
  service(
    { name: 'raw' },
    '',
    'has no HTTP port (9000 tcp)',
    ['services[].name'],
    ports('raw', 'TCP'),
  )('HTTPAPISpecBinding'),
  service(
    { name: 'dns' },
    '',
    'has no TCP or HTTP port (9000 udp)',
    ['services[].name'],
    ports('dns', 'UDP'),
  )('QuotaSpecBinding'),
  externalService('QuotaSpecBinding'),
  externalService('HTTPAPISpecBinding'),
];

function externalService(kind: string): SpecialValue {
  const item = service({}, '', 'is outside the mesh', ['services[].service'], EXTERNAL)(kind);
  return {
    ...item,
    title: `an external service of ${kind}`,
    spec: (specs, namespace) =>
      specWith(specs, kind, 'services', (old) => [
        (old as unknown[])[0],
        { service: `partner.${namespace}.example.com` },
      ]),
  };
}

/** A wildcard that covers the next item. */
function coveredItem(kind: string): SpecialValue {
  return {
    title: `an item of ${kind} that a wildcard covers`,
    kind,
    fields: ['services[]'],
    at: 'spec.services[1]',
    shown: 'services[0] names this and more',
    spec: (specs, namespace) =>
      specWith(specs, kind, 'services', () => [{ service: `*.${namespace}.svc.*` }, { name: 'api' }]),
  };
}

function plan(field: string, at: string, value: unknown, shown: string): SpecialValue {
  return {
    title: `${field} of a plan with ${JSON.stringify(value)}`,
    kind: 'Plan',
    fields: [field],
    at: `spec.${at}`,
    shown,
    spec: (specs) => specWith(specs, 'Plan', field, () => value),
  };
}

const LATE = { 'response.code': { exact: '200' } };
const OPPOSED = { 'request.method': { exact: 'GET' }, 'request.httpmethod': { exact: 'POST' } };

const PLAN: readonly SpecialValue[] = [
  ...(
    [
      ['match', 'plan'],
      ['limits[].match', 'limit'],
    ] as const
  ).flatMap(([match, owner]) => {
    const at = `${match.replace('[]', '[0]')}[0].clause`;
    return [
      plan(`${match}[].clause`, `${at}["response.code"]`, LATE, 'response.code is known only'),
      plan(`${match}[].clause`, at, OPPOSED, 'cannot be "GET" and "POST" at once'),
      plan(`${match}[].clause{}.prefix`, `${at}["request.path"]`, 'pets', '"pets" does not'),
      plan(
        match,
        `${match.replace('[]', '[0]')}[1]`,
        [{ clause: {} }, { clause: OPPOSED }],
        `match[0] of the ${owner}`,
      ),
    ];
  }),
  service({ service: 'w*b' }, '.service', '"w*b" matches no service', ['services[].service'])('Plan'),
  service({ service: '*.partner.*' }, '', 'no service has a host that contains .partner.', ['services[].service'])(
    'Plan',
  ),
  service(
    { name: 'raw' },
    '',
    'has no HTTP port (9000 tcp), and a connection has no key',
    ['services[].name'],
    ports('raw', 'TCP'),
  )('Plan'),
  externalService('Plan'),
  coveredItem('Plan'),
];

export const SPECIAL_VALUES: readonly SpecialValue[] = [
  ...QUOTA_SPEC,
  ...PLAN,
  ...HTTP_API_SPEC,
  ...['QuotaSpecBinding', 'HTTPAPISpecBinding'].flatMap((kind) => [
    ...OF_BOTH.map((made) => made(kind)),
    coveredItem(kind),
  ]),
  ...OF_ONE,
];
