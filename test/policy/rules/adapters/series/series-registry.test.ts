import anyTest from 'ava';
import { createSeriesRegistry } from '../../../../../src/policy/rules/adapters/series/series-registry.js';
import type { SeriesDefinition } from '../../../../../src/policy/rules/adapters/series/series-table.js';
import { requirePrometheusParser } from '../../../../counterparts/prometheus/prometheus-parser.js';

const parser = requirePrometheusParser();
const test = anyTest;
const parserTest = 'value' in parser ? anyTest : anyTest.skip;

const COUNTER: SeriesDefinition = { name: 'mesh_calls', help: 'Calls.', kind: 'counter', labels: ['path'], bounds: [] };
const GAUGE: SeriesDefinition = { ...COUNTER, kind: 'gauge' };
const TIMES: SeriesDefinition = { ...COUNTER, name: 'mesh_seconds', kind: 'histogram', bounds: [0.1, 1] };

function createRig() {
  let nowMs = 0;
  const refused: string[] = [];
  const registry = createSeriesRegistry({
    nowMs: () => nowMs,
    isTaken: (name) => name === 'mesh_build',
    onRefused: (handler) => refused.push(handler),
  });
  return {
    registry,
    refused,
    text: () => [...registry.lines()].join('\n'),
    at: (ms: number) => {
      nowMs = ms;
    },
  };
}

parserTest("Prometheus' own parser reads all kinds, and every text of a label", (t) => {
  if (!('value' in parser)) return;
  const { registry, text } = createRig();
  const hostile = ['', 'a"b\\c\nd', 'Käse {x="y"} 7', '\u2028', 'e'.repeat(1000)];
  const help = 'Help\\ with\n"breaks".';
  const open = registry.open('handler/shop/a', [
    { ...COUNTER, help },
    TIMES,
    { ...GAUGE, name: 'mesh_now', labels: [] },
  ]);
  for (const value of hostile) open.record(0, [value], 2);
  for (const value of [0.05, 0.1, 0.5, 7]) open.record(1, ['/'], value);
  open.record(2, [], Number.NEGATIVE_INFINITY);
  const families = parser.value(`${text()}\n`);
  t.deepEqual(
    families.map(({ name, type, help: read }) => [name, type, read]),
    [
      ['mesh_calls', 'counter', help],
      ['mesh_now', 'gauge', 'Calls.'],
      ['mesh_seconds', 'histogram', 'Calls.'],
    ],
  );
  const [calls, now, seconds] = families.map(({ samples }) => samples);
  const cut = `${'e'.repeat(255)}…`;
  t.deepEqual(
    calls?.map(([, { path }]) => path),
    [...hostile.slice(0, -1), cut],
  );
  t.true(calls?.every(([, labels, value]) => value === 2 && labels['mesh_handler'] === 'shop/a'));
  t.deepEqual(now, [['mesh_now', { mesh_handler: 'shop/a' }, '-inf']]);
  t.deepEqual(
    seconds?.map(([name, { le }, value]) => [name, le, value]),
    [
      ['mesh_seconds_bucket', '0.1', 2],
      ['mesh_seconds_bucket', '1', 3],
      ['mesh_seconds_bucket', '+Inf', 4],
      ['mesh_seconds_sum', undefined, 7.65],
      ['mesh_seconds_count', undefined, 4],
    ],
  );
});

parserTest('handlers share a name without sharing series; where their kinds differ, the name has no type', (t) => {
  if (!('value' in parser)) return;
  const { registry, text } = createRig();
  registry.open('handler/shop/a', [COUNTER]).record(0, ['/'], 1);
  registry.open('handler/bank/a', [COUNTER]).record(0, ['/'], 5);
  const agreed = parser.value(`${text()}\n`);
  t.deepEqual(
    agreed.map(({ type, samples }) => [type, samples.map(([, labels, value]) => [labels['mesh_handler'], value])]),
    [
      [
        'counter',
        [
          ['bank/a', 5],
          ['shop/a', 1],
        ],
      ],
    ],
  );
  registry.open('handler/evil/a', [{ ...TIMES, name: COUNTER.name }]).record(0, ['/'], 1);
  const samples = parser.value(`${text()}\n`).flatMap((family) => [...family.samples]);
  t.is(samples.length, 2 + 5);
  t.false(text().includes('# TYPE'));
});

test('a metric of the policy server cannot be replaced', (t) => {
  const { registry } = createRig();
  t.throws(() => registry.open('handler/shop/a', [{ ...COUNTER, name: 'mesh_build' }]), {
    message: 'mesh_build is a metric of the policy server: choose another name',
  });
});

test('a changed handler keeps the metrics that did not change, and only those', (t) => {
  const { registry, text } = createRig();
  const former = registry.open('handler/shop/a', [COUNTER, TIMES]);
  former.record(0, ['/'], 1);
  former.record(1, ['/'], 1);
  const changed = registry.open('handler/shop/a', [COUNTER, { ...TIMES, bounds: [7] }]);
  former.record(0, ['/'], 1);
  former.record(1, ['/'], 1);
  former.expire(100);
  former.close();
  t.deepEqual(text().split('\n').slice(2, 3), ['mesh_calls{mesh_handler="shop/a",path="/"} 2']);
  t.false(text().includes('mesh_seconds_'));
  changed.close();
  t.is(text(), '');
});

test('series that do not change expire', (t) => {
  const { registry, text, at } = createRig();
  const open = registry.open('handler/shop/a', [COUNTER]);
  open.record(0, ['/old'], 1);
  open.record(0, ['/new'], 1);
  at(10);
  open.record(0, ['/new'], 1);
  open.expire(10);
  t.true(text().includes('/new'));
  t.false(text().includes('/old'));
});

test('each handler, each namespace and all handlers have a limit of series', (t) => {
  const { registry, refused, at, text } = createRig();
  const fill = (handler: string, most = 20_000): number => {
    const open = registry.open(`handler/${handler}`, [COUNTER]);
    let recorded = 0;
    while (recorded < most && open.record(0, [String(recorded)], 1)) recorded++;
    return recorded;
  };
  t.is(fill('shop/a'), 10_000);
  t.deepEqual(refused, ['handler/shop/a']);
  t.is(fill('shop/b'), 10_000);
  t.is(fill('shop/c'), 0, 'the namespace is full');
  for (const namespace of ['n1', 'n2', 'n3', 'n4']) t.is(fill(`${namespace}/a`) + fill(`${namespace}/b`), 20_000);
  t.is(fill('bank/a'), 0, 'the policy server is full');
  const open = registry.open('handler/shop/a', [COUNTER]);
  t.true(open.record(0, ['7'], 1), 'a series that exists is recorded');
  at(10);
  open.expire(5);
  t.true(open.record(0, ['new'], 1), 'series that have expired make room');
  registry.open('handler/shop/a', [TIMES]);
  t.is(fill('bank/a', 5), 5, 'and so do metrics that end');
  t.true(text().length > 0);
});

test('values that look the same are one series, and a metric without series has no lines', (t) => {
  const { registry, text } = createRig();
  const open = registry.open('handler/shop/a', [COUNTER, GAUGE]);
  t.is(text(), '');
  for (const end of ['a', 'b', 'c']) open.record(0, ['e'.repeat(300) + end], 1);
  const lines = text()
    .split('\n')
    .filter((line) => !line.startsWith('#'));
  t.is(lines.length, 1);
  t.true(lines[0]?.endsWith(' 3'));
});
