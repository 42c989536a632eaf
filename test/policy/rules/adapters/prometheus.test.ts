import test from 'ava';
import type { AttributeValue } from '../../../../src/policy/client/attribute-value.js';
import { createFakeClock } from '../../../support/fake-clock.js';
import { createAdapterRig } from './adapter-rig.js';

const RULE = `rule shop/r {actions: [{handler: metrics, instances: [requests, sizes]}]}
  instance shop/requests {compiledTemplate: metric, params: {value: '1', dimensions: {path: request.path, code: response.code | 200}}}
  instance shop/sizes {compiledTemplate: metric, params: {value: request.size | 0, dimensions: {path: request.path}}}`;
const METRICS = `{name: requests_total, instanceName: requests, kind: COUNTER, labelNames: [path, code, missing]},
  {name: size, namespace: shop, instanceName: sizes.instance.shop, kind: GAUGE, labelNames: []},
  {name: sizes, instanceName: sizes.shop, kind: DISTRIBUTION, labelNames: [path], buckets: {linearBuckets: {numFiniteBuckets: 2, width: 10}}}`;

const int64 = (value: bigint): AttributeValue => ({ type: 'int64', value });

function openMetrics(metrics = METRICS, more = '', rule = RULE) {
  const clock = createFakeClock();
  const rig = createAdapterRig(clock);
  const apply = (those: string) =>
    rig.apply(`${rule}
    handler shop/metrics {compiledAdapter: prometheus, params: {metrics: [${those.replaceAll('\n', ' ')}]${more}}}`);
  apply(metrics);
  const report = (attributes: Readonly<Record<string, string | AttributeValue>>): void => {
    rig.report(attributes);
    clock.advance(100);
  };
  const series = (): readonly string[] =>
    rig
      .handlerSeries()
      .flatMap((line) => line.split('\n'))
      .filter((line) => !line.startsWith('#'));
  return { ...rig, clock, apply, report, shown: series };
}

test('counters, gauges and distributions are made of the instances that they name', (t) => {
  const { report, shown } = openMetrics();
  report({ 'request.path': '/a', 'request.size': int64(15n) });
  report({ 'request.path': '/a', 'request.size': int64(3n), 'response.code': int64(200n) });
  t.deepEqual(shown(), [
    'mesh_requests_total{mesh_handler="shop/metrics",path="/a",code="200",missing=""} 2',
    'mesh_sizes_bucket{mesh_handler="shop/metrics",path="/a",le="0"} 0',
    'mesh_sizes_bucket{mesh_handler="shop/metrics",path="/a",le="10"} 1',
    'mesh_sizes_bucket{mesh_handler="shop/metrics",path="/a",le="20"} 2',
    'mesh_sizes_bucket{mesh_handler="shop/metrics",path="/a",le="+Inf"} 2',
    'mesh_sizes_sum{mesh_handler="shop/metrics",path="/a"} 18',
    'mesh_sizes_count{mesh_handler="shop/metrics",path="/a"} 2',
    'shop_size{mesh_handler="shop/metrics"} 3',
  ]);
});

test('series are removed that do not change for metricsExpiryDuration', async (t) => {
  const { report, shown, clock, series, apply } = openMetrics(
    METRICS,
    ', metricsExpirationPolicy: {metricsExpiryDuration: 10s, expiryCheckIntervalDuration: 2s}',
  );
  report({ 'request.path': '/a' });
  clock.advance(9_000);
  report({ 'request.path': '/b' });
  t.true(shown().some((line) => line.includes('"/a"')));
  clock.advance(3_000);
  t.false(shown().some((line) => line.includes('"/a"')));
  t.true(shown().some((line) => line.includes('"/b"')));
  t.deepEqual(await series('policy_handler_daemons_total{'), [
    'policy_handler_daemons_total{handler="handler/shop/metrics"} 1',
  ]);
  apply('');
  clock.advance(1_000);
  t.deepEqual(shown(), []);
});

test('values that are no numbers, and decreases of counters, are told and not recorded', (t) => {
  const rule = RULE.replace("value: '1'", 'value: request.path').replace('request.size | 0', 'request.size');
  const { report, shown, logger } = openMetrics(METRICS, '', rule);
  report({ 'request.path': '/a', 'request.size': int64(1n) });
  t.false(shown().some((line) => line.startsWith('mesh_requests_total')));
  t.is(logger.records.at(-1)?.message, 'value of an instance is no number for its metric');
  report({ 'request.path': '-7', 'request.size': int64(1n) });
  t.false(shown().some((line) => line.startsWith('mesh_requests_total')));
  report({ 'request.path': '7.5', 'request.size': int64(1n) });
  t.true(shown().includes('mesh_requests_total{mesh_handler="shop/metrics",path="7.5",code="200",missing=""} 7.5'));
});

test('a limit of series is told by log and metric', async (t) => {
  const { report, shown, logger, ofAdapters, handler } = openMetrics();
  for (let n = 0; n < 10_010; n++) report({ 'request.path': `/${n}` });
  t.is(shown().length, 10_000);
  const [record] = logger.records;
  t.like(record, {
    message: 'time series of a handler refused, because it has too many',
    fields: { handler: 'handler/shop/metrics' },
  });
  t.regex(await ofAdapters(), /policy_adapter_series_refused_total\{handler="handler\/shop\/metrics"\} \d+/);
  await handler.close();
});

test('a handler with the name of a metric of the policy server does not run', (t) => {
  const { logger } = openMetrics('{name: build, instanceName: requests, kind: COUNTER}');
  const [record] = logger.records;
  t.is(record?.message, 'handler of rules does not run');
  t.regex(String(record?.fields['err']), /mesh_build is a metric of the policy server: choose another name/);
});
