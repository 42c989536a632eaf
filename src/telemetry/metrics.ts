import { Counter, collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client';
import type { BuildInfo } from './build-info.js';
import type { Family } from './families/family.js';
import { type FamilyName, type LabelsOf, metricFamilies } from './metric-families.js';

/** Families with labels take the label values first; families without labels take none. */
type WithLabels<Name extends FamilyName, Rest extends readonly unknown[]> = [keyof LabelsOf<Name>] extends [never]
  ? Rest
  : [labels: LabelsOf<Name>, ...rest: Rest];

/** Records values of the metric families (docs/reference/metrics.md). A wrong name, type or label does not compile. */
export interface Metrics {
  /** Increments a counter, by 1 by default. */
  increment<Name extends FamilyName<'counter'>>(name: Name, ...values: WithLabels<Name, [by?: number]>): void;
  /** Sets a gauge to a value. */
  set<Name extends FamilyName<'gauge'>>(name: Name, ...values: WithLabels<Name, [value: number]>): void;
  /** Adds to a gauge; a negative number subtracts. */
  add<Name extends FamilyName<'gauge'>>(name: Name, ...values: WithLabels<Name, [by: number]>): void;
  /** Removes one series when its subject no longer exists. */
  remove<Name extends FamilyName<'gauge' | 'counter'>>(name: Name, labels: LabelsOf<Name>): void;
  /** Adds one observation to a histogram, in the family's unit. */
  observe<Name extends FamilyName<'histogram'>>(name: Name, ...values: WithLabels<Name, [value: number]>): void;
}

/**
 * Creates metrics in a registry.
 *
 * @param atStart families that the first scrape shows with help and type, recorded or not; default: a family appears at
 *   its first record
 */
export function createMetrics(registry: Registry, atStart: readonly FamilyName[] = []): Metrics {
  const counters = createOnFirstUse((name) => new Counter(configOf(name, registry)));
  const gauges = createOnFirstUse((name) => createGauge(name, registry));
  const histograms = createOnFirstUse((name) => new Histogram(histogramConfigOf(name, registry)));
  const creators = { counter: counters, gauge: gauges, histogram: histograms };
  for (const name of atStart) creators[metricFamilies[name].type](name);
  return {
    increment: (name, ...values) => {
      const { labels, number = 1 } = split(values);
      counters(name).inc(labels, number);
    },
    set: (name, ...values) => {
      const { labels, number = 0 } = split(values);
      gauges(name).set(labels, number);
    },
    add: (name, ...values) => {
      const { labels, number = 0 } = split(values);
      gauges(name).inc(labels, number);
    },
    remove: (name, labels) => (metricFamilies[name].type === 'gauge' ? gauges : counters)(name).remove(labels),
    observe: (name, ...values) => {
      const { labels, number = 0 } = split(values);
      histograms(name).observe(labels, number);
    },
  };
}

/** Records values known at the start: mesh_build, nav_info, and the process and runtime families of prom-client. */
export function recordStart(metrics: Metrics, registry: Registry, { version, tag }: BuildInfo): void {
  collectDefaultMetrics({ register: registry });
  metrics.set('mesh_build', { component: 'navigator', tag }, 1);
  metrics.set('nav_info', { version }, 1);
}

function createOnFirstUse<Metric>(create: (name: FamilyName) => Metric): (name: FamilyName) => Metric {
  const known = new Map<FamilyName, Metric>();
  return (name) => {
    const present = known.get(name);
    if (present !== undefined) {
      return present;
    }
    const created = create(name);
    known.set(name, created);
    return created;
  };
}

interface Recorded {
  readonly labels: Record<string, string>;
  readonly number: number | undefined;
}

/** The number follows the labels, if there are any. */
function split(values: readonly unknown[]): Recorded {
  const [first, second] = values;
  return typeof first === 'object' && first !== null
    ? { labels: first as Record<string, string>, number: second as number | undefined }
    : { labels: {}, number: first as number | undefined };
}

function createGauge(name: FamilyName, registry: Registry): Gauge {
  const family: Family = metricFamilies[name];
  const gauge = new Gauge(configOf(name, registry));
  if (family.type === 'gauge' && family.startsEmpty === true) gauge.remove();
  return gauge;
}

function configOf(name: FamilyName, registry: Registry) {
  const { help, labels }: Family = metricFamilies[name];
  return { name, help, labelNames: [...labels], registers: [registry] };
}

function histogramConfigOf(name: FamilyName, registry: Registry) {
  const family: Family = metricFamilies[name];
  const config = configOf(name, registry);
  return family.type === 'histogram' ? { ...config, buckets: [...family.buckets] } : config;
}
