import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import { dnsSettings } from '../../src/bootstrap/dns-serving.js';
import {
  distributorSettings,
  generatorSettings,
  grpcServerSettings,
  httpServerSettings,
  policyListenerSettings,
  regexLimitsOf,
  restSettings,
  secureGrpcSettings,
  statusSettings,
  storeSettings,
  tracingSettings,
  xdsLimits,
} from '../../src/bootstrap/map-options.js';
import type { Options } from '../../src/bootstrap/options.js';
import { parseOptions } from '../../src/cli/parse-options.js';
import { commonFlags } from '../../src/cli/settings/common-flags.js';
import { discoveryFlags } from '../../src/cli/settings/discovery-flags.js';
import { environmentVariables } from '../../src/cli/settings/environment-variables.js';
import type { Setting } from '../../src/cli/settings/setting.js';
import { projectRoot } from '../counterparts/project-root.js';
import { filesIn } from '../docs/markdown.js';
import { PASSED_WHOLE, SHOWN_BY, TRANSLATED_TO, USED_AT } from './wiring-table.js';

const HEAP_BYTES = 1 << 30;
const EMBEDDED = { trustDomain: 'td', embeddedPolicyPort: () => 1 };

/** The settings of all parts that pure functions of the composition root make of the options. */
function settingsOf(options: Options): Readonly<Record<string, object>> {
  return {
    distributor: distributorSettings(options, ''),
    grpc: grpcServerSettings(options),
    secureGrpc: secureGrpcSettings(options),
    policyListener: policyListenerSettings(options),
    store: storeSettings(options),
    http: httpServerSettings(options),
    status: statusSettings(options),
    generators: generatorSettings(options.environment, EMBEDDED),
    xds: xdsLimits(options.environment, HEAP_BYTES),
    rest: restSettings(options),
    regex: regexLimitsOf(options.environment),
    tracing: tracingSettings(options, ''),
    dns: dnsSettings(options, { host: '', port: 0 }),
  };
}

/** Values, of which a setting has one at most as its default. The first that a setting accepts is used. */
const OTHER_TEXTS = [
  ...['true', 'false', '77777', '77', '7', '7777777', '77s', '7.7', 'tcp-tls:other', 'http/json'],
  ...['http://127.0.0.7:4318', 'other=7', 'other', '127.0.0.7:7777', 'policy'],
];

function parse(setting: AnySetting, text: string): Options {
  return setting.isFlag
    ? parseOptions(new Map([[setting.name, [text]]]), {})
    : parseOptions(new Map(), { [setting.name]: text });
}

interface AnySetting extends Pick<Setting<unknown>, 'name' | 'default' | 'type'> {
  readonly field: string;
  readonly isFlag: boolean;
}

const SETTINGS: readonly AnySetting[] = (
  [
    [discoveryFlags, true],
    [commonFlags, true],
    [environmentVariables, false],
  ] as const
).flatMap(([table, isFlag]) =>
  Object.entries(table as Readonly<Record<string, Setting<unknown>>>)
    .filter(([, { unimplemented }]) => unimplemented === undefined)
    .map(([field, { name, default: byDefault, type }]) => ({ field, isFlag, name, default: byDefault, type })),
);

const before = leavesOf(settingsOf(parseOptions(new Map(), {})));

/** The settings of parts that change with a setting; empty if pure functions do not read it. */
function changesOf(setting: AnySetting): readonly string[] {
  const usual = setting.type.parse([setting.default]);
  const other = OTHER_TEXTS.find((text) => {
    const parsed = setting.type.parse([text]);
    return parsed.ok && !(usual.ok && isDeepStrictEqual(parsed.value, usual.value));
  });
  if (other === undefined) return [];
  const after = leavesOf(settingsOf(parse(setting, other)));
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .sort();
}

function leavesOf(value: unknown, path = ''): ReadonlyMap<string, string> {
  if (typeof value !== 'object' || value === null) return new Map([[path, String(value)]]);
  return new Map(
    Object.entries(value).flatMap(([key, each]) => [...leavesOf(each, path === '' ? key : `${path}.${key}`)]),
  );
}

test('each setting changes the settings of the parts that it is for, and no others', (t) => {
  const actual = SETTINGS.map((setting) => [setting.name, changesOf(setting).join(' ')] as const);
  t.deepEqual(Object.fromEntries(actual.filter(([, paths]) => paths !== '')), TRANSLATED_TO);
});

/** What the line with a field makes of it: the value of a property, an argument of a call, a constant, a condition. */
const TARGETS: readonly ((field: string) => RegExp)[] = [
  (field) => new RegExp(`(\\w+): [^{},]*\\b${field}\\b`),
  (field) => new RegExp(`(\\w+)\\([^()]*\\b${field}\\b`),
  (field) => new RegExp(`const (\\w+) = .*\\b${field}\\b`),
  (field) => new RegExp(`\\b${field}: (\\w+)`),
  (field) => new RegExp(`(if|&&|\\|\\|).*\\b${field}\\b|\\b${field}\\b.*(&&|\\|\\|)`),
];
const lines = filesIn(join(projectRoot(), 'src/bootstrap'), ['.ts'])
  .filter((file) => !/(environment|options)\.ts$/.test(file))
  .flatMap((file) =>
    readFileSync(join(projectRoot(), file), 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(\*|\/)/.test(line))
      .map((line) => ({ file: file.slice('src/bootstrap/'.length), line })),
  );

/** The places of the composition root that use a field. */
function usesOf(field: string): string {
  const word = new RegExp(`\\b${field}\\b`);
  const uses = lines
    .filter(({ line }) => word.test(line))
    .flatMap(({ file, line }) => {
      const match = TARGETS.map((of) => of(field).exec(line)).find((found) => found !== null);
      const target = match?.[1] ?? match?.[2];
      return target === undefined ? [] : [`${file} ${target}`];
    });
  return [...new Set(uses)].sort().join(', ');
}

test('the composition root uses each other setting at its places', (t) => {
  const others = SETTINGS.filter(
    ({ name }) => !(name in TRANSLATED_TO) && !(name in SHOWN_BY) && !PASSED_WHOLE.includes(name),
  );
  t.deepEqual(
    Object.entries(SHOWN_BY).filter(
      ([, { file, mention }]) => !readFileSync(join(projectRoot(), file), 'utf8').includes(mention),
    ),
    [],
  );
  t.deepEqual(Object.fromEntries(others.map(({ name, field }) => [name, usesOf(field)])), USED_AT);
});
