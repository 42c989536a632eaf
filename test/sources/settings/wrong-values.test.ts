import test from 'ava';
import { createInjectionConfigReader, injectionConfigSchema } from '../../../src/config/injection/injection-config.js';
import { meshConfigSchema } from '../../../src/config/mesh/mesh-config-schema.js';
import { meshNetworksSchema } from '../../../src/config/mesh/mesh-networks.js';
import { createMeshConfigReader } from '../../../src/config/mesh/read-mesh-config.js';
import { createMeshNetworksReader } from '../../../src/config/mesh/read-mesh-networks.js';
import { policyServerSchema } from '../../../src/config/policy-server/policy-server-schema.js';
import { createPolicyServerConfigReader } from '../../../src/config/policy-server/read-policy-server-config.js';
import { createSchemaCompiler } from '../../../src/config/schema/schema-reader.js';
import type { SettingsReader } from '../../../src/config/settings-reader.js';
import { createSettingsContent } from '../../../src/sources/settings/settings-content.js';
import { createRecordingLogger } from '../support/recording-logger.js';

/** As much of a JSON schema as our schemas have. */
interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
}

type Path = readonly (string | number)[];
interface Wrong {
  readonly path: Path;
  readonly value: unknown;
}

const NAME = 'north';

/** Every field of a schema with values that are wrong for it: another type, a number or a word beyond the allowed. */
function* wrongValues(schema: Schema, path: Path = []): Generator<Wrong> {
  if (path.length > 0) {
    if (schema.enum !== undefined) yield { path, value: 'NONSENSE' };
    if (schema.type === 'string' || schema.enum !== undefined) yield { path, value: 7 };
    if (schema.type === 'boolean' || schema.type === 'integer') yield { path, value: 'nonsense' };
    if (schema.type === 'array' || schema.type === 'object') yield { path, value: 'nonsense' };
    if (schema.type === 'integer') {
      yield { path, value: 1.5 };
      if (schema.minimum !== undefined) yield { path, value: schema.minimum - 1 };
      if (schema.maximum !== undefined && schema.maximum < Number.MAX_SAFE_INTEGER) {
        yield { path, value: schema.maximum + 1 };
      }
    }
  }
  for (const [name, child] of Object.entries(schema.properties ?? {})) yield* wrongValues(child, [...path, name]);
  if (schema.items !== undefined) yield* wrongValues(schema.items, [...path, 0]);
  const { additionalProperties } = schema;
  const ofMap = [...Object.values(schema.patternProperties ?? {}), additionalProperties];
  for (const child of ofMap) if (typeof child === 'object') yield* wrongValues(child, [...path, NAME]);
}

/** Paths of all fields, and whether any text fits the schema of each. */
function* fieldsOf(schema: Schema, path: Path = []): Generator<{ readonly path: Path; readonly isText: boolean }> {
  if (path.length > 0) yield { path, isText: schema.type === 'string' && schema.enum === undefined };
  for (const [name, child] of Object.entries(schema.properties ?? {})) yield* fieldsOf(child, [...path, name]);
  if (schema.items !== undefined) yield* fieldsOf(schema.items, [...path, 0]);
  const { additionalProperties } = schema;
  const ofMap = [...Object.values(schema.patternProperties ?? {}), additionalProperties];
  for (const child of ofMap) if (typeof child === 'object') yield* fieldsOf(child, [...path, NAME]);
}

const ANY_TEXT = '§ wrong §';

/** A copy with one value set; what leads there is made. */
function withValue(root: unknown, path: Path, value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (typeof step === 'number') return [withValue(Array.isArray(root) ? root[0] : undefined, rest, value)];
  const object = (typeof root === 'object' && root !== null ? root : {}) as Readonly<Record<string, unknown>>;
  return { ...object, [step]: withValue(object[step], rest, value) };
}

interface Document {
  readonly schema: unknown;
  readonly read: SettingsReader<unknown>;
  /** In order, with something in each list, and with what a new process would not have by itself. */
  readonly good: unknown;
  /** Words whose meaning the schema alone does not have: fields with values that it takes and the rules refuse. */
  readonly further: readonly Wrong[];
  /** Fields whose wrong values are tried, by their names at the top and below it; all unless given. */
  readonly fields?: (name: string, below: string) => boolean;
}

const duration = (...path: Path): readonly Wrong[] => [{ path, value: 'soon' }];
const compiler = createSchemaCompiler();
const DOCUMENTS: Readonly<Record<string, Document>> = {
  'mesh config': {
    schema: meshConfigSchema,
    read: createMeshConfigReader(compiler),
    fields: (name) => name !== 'localityLbSetting',
    good: {
      disablePolicyChecks: false,
      mixerCheckServer: 'embedded',
      mixerReportServer: 'embedded',
      enableTracing: false,
    },
    further: [
      ...['connectTimeout', 'protocolDetectionTimeout', 'dnsRefreshRate', 'reportBatchMaxTime'].flatMap((field) =>
        duration(field),
      ),
      ...['drainDuration', 'parentShutdownDuration', 'terminationDrainDuration'].flatMap((field) =>
        duration('defaultConfig', field),
      ),
      { path: ['mixerCheckServer'], value: 'no port' },
      { path: ['mixerReportServer'], value: 'no port' },
      { path: ['trustDomain'], value: 'not a domain' },
      { path: ['trustDomainAliases', 0], value: 'not a domain' },
      { path: ['rootNamespace'], value: 'not a namespace' },
      { path: ['defaultServiceExportTo', 0], value: 'not a namespace' },
      { path: ['defaultVirtualServiceExportTo', 0], value: 'not a namespace' },
      { path: ['defaultDestinationRuleExportTo', 0], value: 'not a namespace' },
      { path: ['serviceSettings', 0, 'hosts', 0], value: 'not a host' },
      { path: ['accessLogFormat'], value: '%NONSENSE%' },
      { path: ['defaultConfig', 'discoveryAddress'], value: 'no port' },
      { path: ['defaultConfig', 'tracing', 'zipkin', 'address'], value: 'no port' },
    ],
  },
  'mesh config with distribution': {
    schema: meshConfigSchema,
    read: createMeshConfigReader(compiler),
    good: { localityLbSetting: { distribute: [{ from: 'region-1/*', to: { [NAME]: 100 } }] } },
    fields: (name, below) => name === 'localityLbSetting' && below !== 'failover',
    further: [{ path: ['localityLbSetting', 'distribute', 0, 'to'], value: { 'region-1': 1 } }],
  },
  'mesh config with failover': {
    schema: meshConfigSchema,
    read: createMeshConfigReader(compiler),
    good: { localityLbSetting: { failover: [{ from: 'region-1', to: 'region-2' }] } },
    fields: (name, below) => name === 'localityLbSetting' && below !== 'distribute',
    further: [{ path: ['localityLbSetting', 'failover', 0, 'to'], value: 'region-1' }],
  },
  'mesh networks': {
    schema: meshNetworksSchema,
    read: createMeshNetworksReader(compiler),
    good: {
      networks: {
        north: { endpoints: [{ fromCidr: '10.0.0.0/8' }], gateways: [{ address: '192.0.2.1', port: 15443 }] },
      },
    },
    further: [
      { path: ['networks', NAME, 'endpoints', 0, 'fromCidr'], value: '10.0.0.0/33' },
      { path: ['networks', NAME, 'gateways', 0, 'address'], value: 'not an address' },
      { path: ['networks', NAME, 'endpoints'], value: [] },
      { path: ['networks', NAME, 'gateways'], value: [] },
    ],
  },
  'policy config': {
    schema: policyServerSchema,
    read: createPolicyServerConfigReader(compiler),
    good: {
      quotas: [
        {
          name: 'requests',
          maxAmount: 5,
          validDuration: '1s',
          dimensions: ['request.api_key'],
          keys: { dimension: 'request.api_key', values: ['a', 'b'] },
          overrides: [{ dimensions: { 'request.api_key': 'a' }, maxAmount: 7 }],
        },
      ],
    },
    fields: (name) => name !== 'backend',
    further: [
      ...duration('quotas', 0, 'validDuration'),
      ...duration('overload', 'shedAfter'),
      { path: ['storage'], value: { type: 'redis', address: 'nonsense' } },
      { path: ['storage'], value: { type: 'redis', address: 'redis://localhost', timeout: 'soon' } },
      { path: ['quotas', 0, 'overrides'], value: [{ dimensions: { 'request.api_key': 'a' }, validDuration: 'soon' }] },
    ],
  },
  'policy config of a remote server': {
    schema: policyServerSchema,
    read: createPolicyServerConfigReader(compiler),
    good: { backend: { address: 'policy.example.com:9091', tls: { caFile: '/ca.pem' }, transport: {} } },
    further: [{ path: ['backend', 'address'], value: 'no port' }],
    fields: (name) => name === 'backend',
  },
  'injection config': {
    schema: injectionConfigSchema,
    read: createInjectionConfigReader(compiler, (template) =>
      template.includes('{{') ? { path: 'template', message: 'does not compile', remedy: 'correct it' } : undefined,
    ),
    good: {
      policy: 'enabled',
      template: 'containers: []',
      alwaysInjectSelector: [
        { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'c', operator: 'In', values: ['d'] }] },
      ],
      neverInjectSelector: [
        { matchLabels: { e: 'f' }, matchExpressions: [{ key: 'g', operator: 'In', values: ['h'] }] },
      ],
    },
    further: [
      { path: ['policy'], value: 'sometimes' },
      { path: ['template'], value: '{{' },
      { path: ['template'], value: '' },
    ],
  },
};

/**
 * Fields that take any text: names, patterns and files. A new one belongs here only when every text has the effect that it
 * says; otherwise give it a rule.
 */
const TAKES_ANY_TEXT: ReadonlySet<string> = new Set([
  'mesh config: ingressClass',
  'mesh config: ingressService',
  'mesh config: accessLogFile',
  'mesh config: accessLogFormat',
  'mesh config: inboundClusterStatName',
  'mesh config: outboundClusterStatName',
  'mesh config: defaultConfig.configPath',
  'mesh config: defaultConfig.serviceCluster',
  'mesh config with distribution: localityLbSetting.distribute.0.from',
  'mesh config with failover: localityLbSetting.failover.0.from',
  'mesh config with failover: localityLbSetting.failover.0.to',
  'mesh networks: networks.north.gateways.0.locality',
  'policy config: quotas.0.name',
  'policy config: quotas.0.keys.values.0',
  // A file that does not exist is refused where it is read.
  'policy config: quotas.0.keys.file',
  'policy config of a remote server: backend.tls.caFile',
  'injection config: injectedAnnotations.north',
  // Only the compiler of templates, which this test has not, knows.
  'injection config: template',
  'injection config: templates.north',
]);

/** Fields that are the name of another field with one letter less. */
const HIDES_ANOTHER: ReadonlySet<string> = new Set(['injection config: templates']);

const DEFAULTS = { defaults: true };
const show = ({ path, value }: Wrong): string => `${path.join('.')} = ${JSON.stringify(value)}`;

function create(read: SettingsReader<unknown>, kept?: string) {
  let refused = 0;
  const content = createSettingsContent<unknown>({
    read,
    defaults: DEFAULTS,
    place: {},
    label: 'ConfigMap mesh-system/mesh: data.mesh',
    logger: createRecordingLogger(),
    custody: {
      recall: async () => kept,
      keep: () => undefined,
      forget: () => undefined,
      refused: () => {
        refused++;
      },
    },
  });
  return { content, refusals: () => refused };
}

for (const [name, { schema, read, good, further, fields: isTried = () => true }] of Object.entries(DOCUMENTS)) {
  const goodText = JSON.stringify(good);
  const isOfDocument = ({ path: [top, below = ''] }: Pick<Wrong, 'path'>): boolean =>
    isTried(String(top), String(below));
  const fields = [...fieldsOf(schema as Schema)].filter(isOfDocument);
  const anyText = fields.filter(({ isText }) => isText).map(({ path }): Wrong => ({ path, value: ANY_TEXT }));
  const isFree = ({ path }: Wrong): boolean => TAKES_ANY_TEXT.has(`${name}: ${path.join('.')}`);
  const all = [
    ...[...wrongValues(schema as Schema)].filter(isOfDocument),
    ...anyText.filter((wrong) => !isFree(wrong)),
    ...further,
  ];

  for (const wrong of anyText.filter(isFree)) {
    test(`${name}: ${wrong.path.join('.')} takes any text`, (t) => {
      const { content } = create(read);
      t.is(
        content.accept(JSON.stringify(withValue(good, wrong.path, wrong.value))),
        'changed',
        'it refuses texts by now',
      );
    });
  }

  for (const { path } of fields.filter(
    (field) => typeof field.path.at(-1) === 'string' && field.path.at(-1) !== NAME,
  )) {
    if (HIDES_ANOTHER.has(`${name}: ${path.join('.')}`)) continue;
    const key = String(path.at(-1));
    test(`${name}: ${path.join('.')} with a letter too few is named with what was meant, and switches nothing off`, async (t) => {
      const text = JSON.stringify(withValue(good, [...path.slice(0, -1), key.slice(0, -1)], 'x'), undefined, 1);
      const { content, refusals } = create(read);
      content.accept(goodText);
      const before = content.current();
      const outcome = content.accept(text);
      const told = outcome === 'refused' ? content.problems() : content.warnings();
      t.true(
        told.some(
          (line) =>
            /^line \d+: /.test(line) && line.includes(key.slice(0, -1)) && line.includes(`did you mean ${key}?`),
        ),
        `${outcome}: ${told.join(', ')}`,
      );
      if (outcome === 'refused') t.is(refusals(), 1);
      t.deepEqual(content.current(), before);
    });
  }

  test(`${name}: the content that wrong values are put into is in order`, (t) => {
    const { content } = create(read);
    t.is(content.accept(goodText), 'changed');
    t.deepEqual(content.warnings(), []);
    t.true(all.length >= (isTried('', '') ? 10 : 5), `${all.length} wrong values`);
  });

  for (const wrong of all) {
    test(`${name}: ${show(wrong)} switches nothing off, and is named with line, field and remedy`, async (t) => {
      const text = JSON.stringify(withValue(good, wrong.path, wrong.value), undefined, 1);
      const field = String(wrong.path.findLast((step) => typeof step === 'string'));

      const starting = create(read);
      t.is(starting.content.accept(text), 'refused');
      const error = await t.throwsAsync(starting.content.settle(), { name: 'SettingsRefusedError' });
      t.true(error?.message.startsWith('ConfigMap mesh-system/mesh: data.mesh: settings are refused: line '));
      t.true(error?.message.includes(field), error?.message);
      for (const problem of starting.content.problems()) t.regex(problem, /^line \d+: .+(; .+)/);

      const restarted = create(read, goodText);
      t.is(restarted.content.accept(text), 'refused');
      await restarted.content.settle();
      const running = create(read);
      running.content.accept(goodText);
      const before = running.content.current();
      t.not(before, DEFAULTS);
      t.is(running.content.accept(text), 'refused');
      t.is(running.content.current(), before);
      t.deepEqual(restarted.content.current(), before);
      t.deepEqual(
        [starting, restarted, running].map((each) => each.refusals()),
        [1, 1, 1],
      );
    });
  }
}
