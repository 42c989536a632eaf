import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { loadAll } from 'js-yaml';
import { projectRoot } from '../../counterparts/project-root.js';
import { ACCOUNTS } from '../../support/adapter-descriptors.js';
import { problemsOf, readRuleKind } from './support.js';

const VALID: Readonly<Record<string, readonly [kind: string, spec: object]>> = {
  'attributes of another component': [
    'attributemanifest',
    { revision: '1', name: 'gate', attributes: { 'request.tier': { description: 'Plan.', valueType: 'STRING' } } },
  ],
  'an attribute of the mesh with its own type': [
    'attributemanifest',
    { attributes: { 'source.ip': { valueType: 'IP_ADDRESS' }, 'request.headers': { valueType: 'STRING_MAP' } } },
  ],
  'an adapter of your own with a token': [
    'handler',
    {
      adapter: 'keyval.shop',
      connection: {
        address: '[::1]:9000',
        timeout: '2s',
        authentication: { tls: { caCertificates: '/etc/ca.pem', tokenPath: '/var/token', authHeader: 'BEARER' } },
      },
    },
  ],
  'an adapter of your own with mutual TLS': [
    'handler',
    {
      adapter: 'keyval',
      connection: {
        address: 'keyval.shop:9000',
        authentication: { mutual: { privateKey: '/k.pem', clientCertificate: '/c.pem', serverName: 'keyval' } },
      },
    },
  ],
  'an adapter of your own with OAuth': [
    'handler',
    {
      adapter: 'keyval',
      connection: {
        address: 'keyval.shop:9000',
        authentication: {
          tls: {
            oauth: {
              clientId: 'mesh',
              clientSecret: '/secret',
              tokenUrl: 'https://tokens.example.com',
              scopes: ['read'],
              endpointParams: { audience: 'keyval' },
            },
            customHeader: 'x-token',
            serverName: 'keyval',
          },
        },
      },
    },
  ],
  'a rule that changes headers and samples': [
    'rule',
    {
      match: 'true',
      actions: [{ handler: 'keyval.handler.shop', instances: ['lookup.shop'], name: 'found' }],
      requestHeaderOperations: [{ name: 'x-tier', values: ['found.output.value'], operation: 'APPEND' }],
      responseHeaderOperations: [{ name: 'server', operation: 'REMOVE' }],
      sampling: {
        random: { percentSampled: { numerator: 5, denominator: 'TEN_THOUSAND' } },
        rateLimit: { samplingDuration: '5s', maxUnsampledEntries: 10, samplingRate: 4 },
      },
    },
  ],
  'a template': ['template', { descriptor: ACCOUNTS }],
  'an adapter with wrapped lines': ['adapter', { templates: ['keyval'], config: ACCOUNTS.replace(/.{76}/g, '$&\n') }],
};

for (const [title, [kind, spec]] of Object.entries(VALID)) {
  test(`${kind} is valid: ${title}`, (t) => {
    t.deepEqual(problemsOf(kind, spec), []);
  });
}

const INVALID: readonly (readonly [kind: string, spec: object, problem: string])[] = [
  [
    'attributemanifest',
    { attributes: { 'request.tier': { valueType: 'VALUE_TYPE_UNSPECIFIED' } } },
    'spec.attributes["request.tier"].valueType: "VALUE_TYPE_UNSPECIFIED": is not one of the allowed values; use STRING, INT64, DOUBLE, BOOL, TIMESTAMP, IP_ADDRESS, EMAIL_ADDRESS, URI, DNS_NAME, DURATION, STRING_MAP',
  ],
  [
    'attributemanifest',
    { attributes: { 'request.size': { valueType: 'STRING' } } },
    'spec.attributes["request.size"].valueType: "STRING": is not the type of request.size, an attribute of the mesh; use INT64, or remove the attribute',
  ],
  [
    'attributemanifest',
    { attributes: { 'request tier': { valueType: 'STRING' } } },
    'spec.attributes["request tier"]: is not the name of an attribute; use words of letters, digits and underscores, with dots between them and at most 256 characters, for example request.tier',
  ],
  [
    'handler',
    {},
    'spec: a mapping: sets none of compiledAdapter, adapter; set exactly one of compiledAdapter, adapter',
  ],
  [
    'handler',
    { adapter: 'keyval' },
    'spec.connection: is missing; add connection.address: an adapter of your own runs as a program of its own',
  ],
  [
    'handler',
    { compiledAdapter: 'noop', connection: { address: 'a:1' } },
    'spec.connection: is set, but noop is built in; remove it, or name an adapter of your own in adapter',
  ],
  [
    'handler',
    { adapter: 'keyval', connection: { address: 'keyval' } },
    'spec.connection.address: "keyval": is not an address; use host:port',
  ],
  [
    'handler',
    { adapter: 'keyval', connection: { address: 'a:1', authentication: { tls: { authHeader: 'PLAIN' } } } },
    'spec.connection.authentication.tls.authHeader: "PLAIN": is the place of a token, and there is no token; set tokenPath or oauth, or remove it',
  ],
  [
    'instance',
    { compiledTemplate: 'quota', template: 'q' },
    'spec: a mapping: sets compiledTemplate and template together; set exactly one of compiledTemplate, template',
  ],
  [
    'rule',
    {
      actions: [
        { handler: 'a', name: 'x' },
        { handler: 'b', name: 'x' },
      ],
    },
    'spec.actions[1].name: "x": is also the name of actions[0]; give each action a name of its own',
  ],
  [
    'rule',
    { requestHeaderOperations: [{ name: 'x tier', values: ['"1"'] }] },
    'spec.requestHeaderOperations[0].name: "x tier": is not the name of a header; use for example x-tier',
  ],
  [
    'rule',
    { requestHeaderOperations: [{ name: 'x-tier' }] },
    'spec.requestHeaderOperations[0].values: is missing; give a value, which REPLACE needs',
  ],
  [
    'rule',
    { responseHeaderOperations: [{ name: 'x-tier', values: ['"1"'], operation: 'REMOVE' }] },
    'spec.responseHeaderOperations[0].values: a list of 1: is set, but REMOVE has no values; remove it',
  ],
  [
    'rule',
    { requestHeaderOperations: [{ name: 'Host', values: ['"1"'] }] },
    'spec.requestHeaderOperations[0].name: "Host": is a header that proxies set, because it says how or where a message is sent; use another header, for example x-tier',
  ],
  [
    'rule',
    { responseHeaderOperations: [{ name: 'X-Mesh-Policy-Unavailable', values: ['"1"'] }] },
    'spec.responseHeaderOperations[0].name: "X-Mesh-Policy-Unavailable": begins with x-mesh-, as the headers that proxies and policy servers send each other; use another header, for example x-tier',
  ],
  [
    'rule',
    { responseHeaderOperations: [{ name: 'Set-Cookie', values: ['"a=1"'] }] },
    'spec.responseHeaderOperations[0].operation: "REPLACE": would replace all cookies of a response with one header; use APPEND for set-cookie',
  ],
  [
    'rule',
    { sampling: { random: { percentSampled: { numerator: 101 } } } },
    'spec.sampling.random.percentSampled.numerator: 101: is more than all requests: HUNDRED is 100; use 0 to 100',
  ],
  [
    'adapter',
    { sessionBased: true, session_based: false },
    'spec.session_based: false: is false, but sessionBased is true; keep one of them',
  ],
  [
    'template',
    { descriptor: 'not base64' },
    'spec.descriptor: "not base64": is not base64; use the output of protoc --include_imports --descriptor_set_out, in base64',
  ],
  [
    'adapter',
    { config: 'QUJD' },
    'spec.config: "QUJD": is not a FileDescriptorSet; use the output of protoc --include_imports --descriptor_set_out, in base64',
  ],
];

for (const [kind, spec, problem] of INVALID) {
  test(`${kind} is refused: ${problem}`, (t) => {
    t.deepEqual(problemsOf(kind, spec), [problem]);
  });
}

test('an adapter has one spelling of sessionBased', (t) => {
  t.like(readRuleKind('adapter', { session_based: true }).body, { sessionBased: true, session_based: undefined });
  t.like(readRuleKind('adapter', {}).body, { sessionBased: false });
});

test('the objects of docs/policy-rules.md are valid', (t) => {
  const page = readFileSync(join(projectRoot(), 'docs/policy-rules.md'), 'utf8');
  const objects = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].flatMap(([, yaml]) => loadAll(yaml ?? '')) as readonly {
    readonly kind: string;
    readonly spec: object;
  }[];
  t.true(objects.length >= 5);
  for (const { kind, spec } of objects) t.deepEqual(problemsOf(kind, spec), [], JSON.stringify(spec));
});
