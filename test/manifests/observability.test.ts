import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { load } from 'js-yaml';
import type { Family } from '../../src/telemetry/families/family.js';
import { metricFamilies } from '../../src/telemetry/metric-families.js';
import { projectRoot } from '../counterparts/project-root.js';
import { anchorsOf } from '../docs/markdown.js';

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}
interface Rules {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Alert[] }[];
}
interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
}

const read = (file: string): string => readFileSync(join(projectRoot(), 'manifests/observability', file), 'utf8');
const rules = load(read('alerts.yaml')) as Rules;
const alerts = rules.groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(read('dashboard.json')) as Dashboard;
const queries = [
  ...alerts.map(({ alert, expr }) => [alert, expr, ''] as const),
  ...dashboard.panels.flatMap(({ title, targets }) =>
    targets.map(({ expr, legendFormat }) => [title, expr, legendFormat] as const),
  ),
];

const FUNCTIONS = ['absent', 'histogram_quantile', 'increase', 'max', 'max_over_time', 'min', 'rate', 'sum', 'time'];
const WORDS = [...FUNCTIONS, 'and', 'by', 'or', 'unless'];
const families: Readonly<Record<string, Family>> = metricFamilies;

/** The family of a series, whose histograms have three kinds. */
function familyOf(series: string): Family | undefined {
  const whole = families[series];
  if (whole !== undefined) return whole;
  const family = families[series.replace(/_(bucket|count|sum)$/, '')];
  return family?.type === 'histogram' ? family : undefined;
}

/** What a query has besides numbers, texts, durations and labels: names of series and functions. */
function namesIn(query: string): readonly string[] {
  const bare = query
    .replace(/\{[^}]*\}/g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\bby \([^)]*\)/g, '');
  return [...bare.matchAll(/[a-zA-Z_]\w*/g)].map(([name]) => name).filter((name) => !WORDS.includes(name));
}

/** Labels that a query groups by, selects by, or shows. */
function labelsIn(query: string, legend: string): readonly string[] {
  const grouped = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, */));
  const selected = [...query.matchAll(/\{([^}]*)\}/g)].flatMap(([, list = '']) =>
    [...list.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label = '']) => label),
  );
  const shown = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
  return [...grouped, ...selected, ...shown];
}

for (const [title, query, legend] of queries) {
  test(`${title}: ${query} reads families with their labels, by their types`, (t) => {
    const names = namesIn(query);
    t.true(names.length > 0);
    const known = names.map((name) => familyOf(name));
    t.deepEqual(
      names.filter((_, index) => known[index] === undefined),
      [],
      'names that are no family',
    );
    const labels = new Set(known.flatMap((family) => family?.labels ?? []));
    if (query.includes('_bucket')) labels.add('le');
    t.deepEqual(
      labelsIn(query, legend).filter((label) => !labels.has(label)),
      [],
      'labels that no family of the query has',
    );
    for (const name of names) {
      // A counter is of use by its growth alone, and the value of a gauge has no rate.
      const growth = new RegExp(`(rate|increase)\\(${name}(\\{[^}]*\\})?\\[`).test(query);
      t.is(growth, familyOf(name)?.type !== 'gauge', `${name} is used by its growth`);
    }
    for (const [open = '', close = ''] of ['()', '[]', '{}'].map((pair) => [...pair])) {
      t.is(query.split(open).length, query.split(close).length, `${open} and ${close} match`);
    }
  });
}

test('each alert has a severity, a text and a section that tells what to do', (t) => {
  t.is(new Set(alerts.map(({ alert }) => alert)).size, alerts.length);
  for (const { alert, for: wait, labels, annotations } of alerts) {
    t.true(['critical', 'warning', 'info'].includes(labels.severity), alert);
    t.regex(wait, /^\d+[mh]$/, alert);
    t.regex(annotations.summary, /\.$/, alert);
    const [page = '', anchor = ''] = annotations.runbook_url.split('#');
    t.true(anchorsOf(join(projectRoot(), page)).has(anchor), `${alert}: ${annotations.runbook_url}`);
  }
});

test('the rules of the Prometheus operator are those of the plain file', (t) => {
  const { kind, spec } = load(read('prometheus-rule.yaml')) as { readonly kind: string; readonly spec: Rules };
  t.is(kind, 'PrometheusRule');
  t.deepEqual(spec, rules);
});

test('no panel of the dashboard covers another, and each fits into 24 columns', (t) => {
  const taken = new Set<string>();
  for (const { title, gridPos } of dashboard.panels) {
    t.true(gridPos.x + gridPos.w <= 24, title);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        t.false(taken.has(`${x},${y}`), title);
        taken.add(`${x},${y}`);
      }
    }
  }
});
