import test from 'ava';
import { createKindRegistry } from '../../../src/config/kinds.js';

interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly additionalProperties?: Node | boolean;
  readonly enum?: readonly string[];
}

/** The fields of each message of the public kinds, by its place in a kind. */
const FIELDS: Readonly<Record<string, string>> = {
  attributemanifest: 'attributes name revision',
  'attributemanifest.attributes{}': 'description valueType',
  handler: 'adapter compiledAdapter connection name params',
  'handler.connection': 'address authentication timeout',
  'handler.connection.authentication': 'mutual tls',
  'handler.connection.authentication.tls': 'authHeader caCertificates customHeader oauth serverName tokenPath',
  'handler.connection.authentication.tls.oauth': 'clientId clientSecret endpointParams scopes tokenUrl',
  'handler.connection.authentication.mutual': 'caCertificates clientCertificate privateKey serverName',
  instance: 'attributeBindings compiledTemplate name params template',
  rule: 'actions dryRun match requestHeaderOperations responseHeaderOperations sampling',
  'rule.actions[]': 'handler instances name',
  'rule.requestHeaderOperations[]': 'name operation values',
  'rule.responseHeaderOperations[]': 'name operation values',
  'rule.sampling': 'random rateLimit',
  'rule.sampling.random': 'attributeExpression percentSampled useIndependentRandomness',
  'rule.sampling.random.percentSampled': 'denominator numerator',
  'rule.sampling.rateLimit': 'maxUnsampledEntries samplingDuration samplingRate',
  adapter: 'config description name sessionBased session_based templates',
  template: 'descriptor name',
};

/** The values of each enumeration. A value type that is not specified is refused, as a type is needed. */
const VALUES: Readonly<Record<string, string>> = {
  'attributemanifest.attributes{}.valueType':
    'STRING INT64 DOUBLE BOOL TIMESTAMP IP_ADDRESS EMAIL_ADDRESS URI DNS_NAME DURATION STRING_MAP',
  'handler.connection.authentication.tls.authHeader': 'PLAIN BEARER',
  'rule.requestHeaderOperations[].operation': 'REPLACE REMOVE APPEND',
  'rule.responseHeaderOperations[].operation': 'REPLACE REMOVE APPEND',
  'rule.sampling.random.percentSampled.denominator': 'HUNDRED TEN_THOUSAND',
};

function* nodesOf(path: string, node: Node): Iterable<readonly [string, Node]> {
  yield [path, node];
  for (const [name, each] of Object.entries(node.properties ?? {})) yield* nodesOf(`${path}.${name}`, each);
  if (node.items !== undefined) yield* nodesOf(`${path}[]`, node.items);
  if (typeof node.additionalProperties === 'object') yield* nodesOf(`${path}{}`, node.additionalProperties);
}

const KINDS = new Set(Object.keys(FIELDS).filter((path) => /^[a-z]+$/.test(path)));
const nodes = createKindRegistry('mesh.internal')
  .definitions.filter(({ kind }) => KINDS.has(kind))
  .flatMap(({ kind, schema }) => [...nodesOf(kind, schema as Node)]);

test('the kinds of the policy runtime have all public fields, and no others', (t) => {
  const found = nodes.flatMap(([path, { properties }]) =>
    properties === undefined ? [] : [[path, Object.keys(properties).sort().join(' ')]],
  );
  t.deepEqual(Object.fromEntries(found), FIELDS);
});

test('their enumerations have all public values', (t) => {
  const found = nodes.flatMap(([path, node]) => (node.enum === undefined ? [] : [[path, node.enum.join(' ')]]));
  t.deepEqual(Object.fromEntries(found), VALUES);
});
