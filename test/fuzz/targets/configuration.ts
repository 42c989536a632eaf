import fc from 'fast-check';
import { parseAddressRange } from '../../../src/base/address-range.js';
import { parseDuration } from '../../../src/base/parse-duration.js';
import { parseAddressSelection, parsePortSelection } from '../../../src/config/injection/captured-traffic.js';
import { createKindRegistry } from '../../../src/config/kinds.js';
import { createMeshConfigReader } from '../../../src/config/mesh/read-mesh-config.js';
import { createMeshNetworksReader } from '../../../src/config/mesh/read-mesh-networks.js';
import { createPolicyServerConfigReader } from '../../../src/config/policy-server/read-policy-server-config.js';
import { createSchemaCompiler } from '../../../src/config/schema/schema-reader.js';
import type { SettingsReader } from '../../../src/config/settings-reader.js';
import { createYamlParser } from '../../../src/config/yaml/parse-document.js';
import { splitDocuments } from '../../../src/config/yaml/split-documents.js';
import { parseSettings } from '../../../src/sources/settings/parse-settings.js';
import { type FuzzTarget, fuzzTarget } from '../fuzz-target.js';

const kinds = createKindRegistry('mesh.internal');
const parseYaml = createYamlParser();
const compiler = createSchemaCompiler();
const yamlish = fc.string({ unit: fc.constantFrom(...'a1:-[]{}&*!|>\'"%#?, \n\t<.\u0000é'), maxLength: 200 });

/** Names of the fields that a schema has, at any depth. */
function fieldsOf(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === 'properties' && typeof value === 'object' && value !== null
      ? [...Object.keys(value), ...fieldsOf(Object.values(value))]
      : fieldsOf(value),
  );
}

const leaf = fc.oneof(
  fc.constantFrom('GET', '*', '/a/{b}', '/{', '(', 'a.com', '1s', 'STRICT', '10.0.0.1/8', 'shop', 'redis://x', '::1'),
  fc.string({ maxLength: 8, unit: 'binary' }),
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);

/** Objects with the fields of a schema, wherever they may be. */
function treeOf(fields: readonly string[]): fc.Arbitrary<unknown> {
  const keys = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...fields) },
    fc.constantFrom('__proto__', 'constructor', 'toString'),
    fc.string({ maxLength: 5 }),
  );
  return fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 6, depthSize: 'small' },
      leaf,
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(keys, tie('tree'), { maxKeys: 4 }),
    ),
  })).tree;
}

const objects = fc.constantFrom(...kinds.definitions).chain(({ group, versions, kind, schema, bodyAt }) => {
  const tree = treeOf([...new Set([...fieldsOf(schema), 'spec'])]);
  return fc.record({
    apiVersion: fc.constant(group === '' ? versions[0] : `${group}/${versions[0]}`),
    kind: fc.constant(kind),
    metadata: fc.oneof(
      { weight: 5, arbitrary: fc.constant({ name: 'a' }) },
      fc.dictionary(fc.string(), fc.jsonValue()),
    ),
    [bodyAt === 'spec' ? 'spec' : 'subsets']: tree,
  });
});

const settingsOf = (name: string, read: SettingsReader<unknown>, fields: readonly string[]): FuzzTarget =>
  fuzzTarget(name, {
    inputs: fc.oneof(
      treeOf(fields).map((value) => JSON.stringify(value) ?? ''),
      yamlish,
    ),
    run: (text) => parseSettings(text, read),
  });

export const configurationTargets: readonly FuzzTarget[] = [
  fuzzTarget('yaml', {
    inputs: yamlish,
    run: (text) => splitDocuments(text).map((document) => parseYaml(document.text)),
  }),
  fuzzTarget('object', {
    inputs: objects,
    run: (object) => kinds.read(object, { defaultNamespace: 'shop' }),
  }),
  settingsOf('mesh-config', createMeshConfigReader(compiler), [
    ...[
      'defaultConfig',
      'connectTimeout',
      'outboundTrafficPolicy',
      'mode',
      'mixerCheckServer',
      'trustDomain',
      'tracing',
    ],
    ...['zipkin', 'address', 'enableAutoMtls', 'rootNamespace', 'reportBatchMaxTime', 'policyCheckFailOpen'],
  ]),
  settingsOf('mesh-networks', createMeshNetworksReader(compiler), [
    ...['networks', 'a', 'endpoints', 'fromCidr', 'fromRegistry', 'gateways', 'address', 'port', 'registryServiceName'],
  ]),
  settingsOf('policy-config', createPolicyServerConfigReader(compiler), [
    ...[
      'quotas',
      'name',
      'maxAmount',
      'validDuration',
      'dimensions',
      'overrides',
      'storage',
      'type',
      'address',
      'redis',
    ],
    ...['rateLimitAlgorithm', 'bucketDuration', 'backend', 'tls', 'caFile', 'reports', 'log', 'password', 'username'],
  ]),
  fuzzTarget('duration', {
    inputs: fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'0123456789.hmsnuµ-+') })),
    refusals: ['DurationSyntaxError'],
    run: parseDuration,
  }),
  fuzzTarget('address', {
    inputs: fc.oneof(fc.string({ unit: fc.constantFrom(...'0123456789abcdef.:/x%*, -') }), fc.ipV4(), fc.ipV6()),
    refusals: ['TrafficSyntaxError'],
    run: (text) => {
      parseAddressRange(text);
      parsePortSelection(text);
      parseAddressSelection(text);
    },
  }),
];
