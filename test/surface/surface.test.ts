import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { versionFlags } from '../../src/cli/commands/version-command.js';
import { discoveryProgram } from '../../src/cli/discovery-program.js';
import { commonFlags } from '../../src/cli/settings/common-flags.js';
import { discoveryFlags } from '../../src/cli/settings/discovery-flags.js';
import { environmentVariables } from '../../src/cli/settings/environment-variables.js';
import { LOG_LEVELS, LOG_SCOPES } from '../../src/telemetry/logging-options.js';
import { metricFamilies, NAVIGATOR_DISCOVERY_FAMILIES } from '../../src/telemetry/metric-families.js';
import { projectRoot } from '../counterparts/project-root.js';
import { CLIENT_LIMITS, COMMANDS, ERRORS, LISTENERS, LOG_LEVEL_ROWS, LOG_SCOPE_ROWS, VERSIONS } from './behaviour.js';
import { COMMON_FLAGS, DISCOVERY_FLAGS, VERSION_FLAGS } from './flags.js';
import { GAPS, METRIC_GAPS } from './gaps.js';
import { BUCKETS, METRICS } from './metrics.js';
import type { SurfaceRow } from './surface-row.js';
import { VARIABLES } from './variables.js';

const LISTS: Readonly<Record<string, readonly SurfaceRow[]>> = {
  'flag of discovery': DISCOVERY_FLAGS,
  'common flag': COMMON_FLAGS,
  'flag of version': VERSION_FLAGS,
  'environment variable': VARIABLES,
  metric: METRICS,
  listener: LISTENERS,
  command: COMMANDS,
  'log scope': LOG_SCOPE_ROWS,
  'log level': LOG_LEVEL_ROWS,
  error: ERRORS,
  'limit of clients': CLIENT_LIMITS,
  version: VERSIONS,
};

/** Number of rows in each list of the specification: a row cannot leave a list unnoticed. */
const ROWS: Readonly<Record<string, number>> = {
  'flag of discovery': 26,
  'common flag': 14,
  'flag of version': 2,
  'environment variable': 71,
  metric: 112,
  listener: 8,
  command: 4,
  'log scope': 26,
  'log level': 6,
  error: 8,
  'limit of clients': 4,
  version: 3,
};

const TESTS = join(projectRoot(), 'test');
const gapOf = (name: string): string | undefined =>
  GAPS[name] ?? Object.entries(METRIC_GAPS).find(([prefix]) => name.startsWith(prefix))?.[1];

for (const [title, rows] of Object.entries(LISTS)) {
  test(`each ${title} has a test that shows its effect, or is a gap with a reason`, (t) => {
    t.is(rows.length, ROWS[title] as number);
    t.is(new Set(rows.map(({ name }) => name)).size, rows.length);
    t.deepEqual(rows.flatMap(faultOf), []);
  });
}

/** Why the row has no test that shows its effect; nothing if it has one, or is a gap. */
function faultOf({ name, file, title, mention }: SurfaceRow): readonly string[] {
  const gap = gapOf(name);
  if (file === '') return gap === undefined ? [`${name} has no test, and gaps.ts does not list it`] : [];
  if (gap !== undefined) return [`${name} has a test, so it is no gap`];
  const path = join(TESTS, file);
  if (!existsSync(path)) return [`${name}: no file test/${file}`];
  const source = readFileSync(path, 'utf8');
  if (title === '' || !source.includes(title)) return [`${name}: test/${file} has no test "${title}"`];
  const named = mention === '' ? name : mention;
  return source.includes(named) ? [] : [`${name}: test/${file} does not mention ${named}`];
}

test('each gap is a row of a list', (t) => {
  const names = new Set(Object.values(LISTS).flatMap((rows) => rows.map(({ name }) => name)));
  t.deepEqual(
    Object.keys(GAPS).filter((name) => !names.has(name)),
    [],
  );
});

interface Setting {
  readonly name: string;
  readonly shorthand?: string;
  readonly default: string;
  readonly type: { readonly name: string; parse(texts: readonly string[]): { readonly ok: boolean } };
  readonly meaning: string;
  readonly addition?: boolean;
}

const SETTINGS: readonly (readonly [string, readonly SurfaceRow[], readonly Setting[]])[] = [
  ['flags of discovery', DISCOVERY_FLAGS, Object.values(discoveryFlags)],
  ['common flags', COMMON_FLAGS, Object.values(commonFlags)],
  ['flags of version', VERSION_FLAGS, Object.values(versionFlags)],
  ['environment variables', VARIABLES, Object.values(environmentVariables)],
];

for (const [title, rows, settings] of SETTINGS) {
  test(`the ${title} have the names, shorthands, types and defaults of the specification`, (t) => {
    const actual = settings
      .filter(({ addition }) => addition !== true)
      .map(({ name, type, shorthand, default: value }) => [name, `${type.name} ${shorthand ?? ''}`.trim(), value]);
    const specified = rows.map(({ name, type, default: value }) => [name, type, value]);
    t.deepEqual(actual.sort(byName), specified.sort(byName));
  });

  test(`the ${title} have valid defaults and a help text`, (t) => {
    for (const setting of settings) {
      t.true(setting.type.parse([setting.default]).ok, setting.name);
      t.true(setting.meaning.length > 5, setting.name);
    }
  });
}

const METRIC_TYPES: Readonly<Record<string, string>> = {
  Sum: 'counter',
  Count: 'counter',
  LastValue: 'gauge',
  Distribution: 'histogram',
};

test('the metrics have the names, types and labels of the specification', (t) => {
  const known: readonly string[] = NAVIGATOR_DISCOVERY_FAMILIES;
  for (const { name, type, default: labels } of METRICS) {
    t.true(known.includes(name), name);
    const family = metricFamilies[name as keyof typeof metricFamilies];
    t.is(family.type, METRIC_TYPES[type] as typeof family.type, name);
    t.is(family.labels.join(','), labels, name);
  }
});

test('each histogram has the buckets of the specification, and finer ones only below them', (t) => {
  t.deepEqual(
    Object.keys(BUCKETS).sort(),
    METRICS.filter(({ type }) => type === 'Distribution')
      .map(({ name }) => name)
      .sort(),
  );
  for (const [name, bounds] of Object.entries(BUCKETS)) {
    const family = metricFamilies[name as keyof typeof metricFamilies];
    const [first = 0] = bounds;
    const buckets: readonly number[] = family.type === 'histogram' ? family.buckets : [];
    t.deepEqual(
      buckets.filter((bound) => bound >= first),
      bounds,
      name,
    );
  }
});

test('the log scopes and levels are those of the specification, and the scopes of policy servers and of DNS', (t) => {
  const names = (rows: readonly SurfaceRow[]) => rows.map(({ name }) => name);
  t.deepEqual([...LOG_SCOPES].sort(), [...names(LOG_SCOPE_ROWS), 'dns', 'policy'].sort());
  t.deepEqual([...LOG_LEVELS], names(LOG_LEVEL_ROWS));
});

test('the commands have the synopses of the specification', (t) => {
  for (const { name, type } of COMMANDS) {
    if (name === discoveryProgram.name) continue;
    t.is(discoveryProgram.commands.get(name)?.synopsis, type);
  }
});

test('each listener has the default address of its flag or variable', (t) => {
  const settings: readonly Setting[] = SETTINGS.flatMap(([, , all]) => all);
  for (const { name, default: address } of LISTENERS) {
    t.is(settings.find((setting) => setting.name === name)?.default, address, name);
  }
});

function byName(one: readonly (string | undefined)[], other: readonly (string | undefined)[]): number {
  return (one[0] ?? '') < (other[0] ?? '') ? -1 : 1;
}
