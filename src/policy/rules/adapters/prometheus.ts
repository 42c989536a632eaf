import { parseDuration } from '../../../base/parse-duration.js';
import { metricNameOf, type PrometheusParams } from '../../../config/policy-rules/catalogue/params/prometheus.js';
import type { Instance } from '../instance.js';
import { valueText } from '../value-text.js';
import type { Adapter, HandlerEnvironment } from './adapter.js';
import { namesOf } from './quota-adapter.js';
import { bucketBounds } from './series/bucket-bounds.js';
import { metricNumber } from './series/metric-number.js';
import type { SeriesDefinition } from './series/series-table.js';

type MetricParams = PrometheusParams['metrics'][number];

const KINDS = { GAUGE: 'gauge', COUNTER: 'counter', DISTRIBUTION: 'histogram' } as const;
/** Expired series are looked for no more often. */
const MIN_CHECK_MS = 1_000;

/**
 * Makes metrics of instances, on the page /metrics of the policy server.
 *
 * @throws Error for the name of a metric of the policy server
 */
export function buildPrometheus(params: PrometheusParams, environment: HandlerEnvironment): Adapter {
  const { handler, series, log } = environment;
  const { metrics } = params;
  const open = series.open(handler, metrics.map(definitionOf));
  const places = new Map<string, number[]>();
  for (const [place, { instanceName }] of metrics.entries()) {
    places.set(instanceName, [...(places.get(instanceName) ?? []), place]);
  }
  const stopExpiry = keepExpiring(params.metricsExpirationPolicy, open.expire, environment);

  const record = (instance: Instance, place: number): void => {
    const metric = metrics[place];
    const number = metricNumber(instance.values.get('value'));
    if (metric === undefined) return;
    const { name, kind, labelNames } = metric;
    if (number === undefined || !canRecord(kind, number)) {
      log.warn({ metric: name, instance: instance.fullName }, 'value of an instance is no number for its metric');
      return;
    }
    const dimensions = instance.maps.get('dimensions');
    const labels = labelNames.map((label) => valueText(dimensions?.get(label)));
    if (open.record(place, labels, number)) return;
    log.warn({ metric: name }, 'time series of a handler refused, because it has too many');
  };

  return {
    report: (instances) => {
      for (const instance of instances) {
        for (const name of namesOf(instance)) for (const place of places.get(name) ?? []) record(instance, place);
      }
    },
    close: async () => {
      stopExpiry();
      open.close();
    },
  };
}

/** A sum that is not a number would stay so. */
function canRecord(kind: MetricParams['kind'], number: number): boolean {
  if (kind === 'COUNTER') return number >= 0;
  return kind === 'GAUGE' || !Number.isNaN(number);
}

function definitionOf(metric: MetricParams): SeriesDefinition {
  const { description = '', kind, labelNames, buckets } = metric;
  return {
    name: metricNameOf(metric),
    help: description,
    kind: KINDS[kind as keyof typeof KINDS],
    labels: labelNames,
    bounds: kind === 'DISTRIBUTION' ? bucketBounds(buckets) : [],
  };
}

/** @returns what stops it */
function keepExpiring(
  policy: PrometheusParams['metricsExpirationPolicy'],
  expire: (sinceMs: number) => void,
  { clock, resources }: HandlerEnvironment,
): () => void {
  if (policy === undefined) return () => undefined;
  const expiryMs = parseDuration(policy.metricsExpiryDuration);
  const { expiryCheckIntervalDuration: written } = policy;
  const checkMs = Math.max(MIN_CHECK_MS, written === undefined ? expiryMs / 2 : parseDuration(written));
  const end = resources.daemon();
  let cancel = (): void => undefined;
  const check = (): void => {
    expire(clock.monotonicMs() - expiryMs);
    cancel = clock.schedule(checkMs, check);
  };
  check();
  return () => {
    cancel();
    end();
  };
}
