import test from 'ava';
import { Registry } from 'prom-client';
import { recordPushMetrics } from '../../src/push/record-push-metrics.js';
import { createMetrics } from '../../src/telemetry/metrics.js';

function createSubject() {
  const registry = new Registry();
  const metrics = recordPushMetrics(createMetrics(registry));
  const series = async (family: string): Promise<readonly string[]> =>
    (await registry.metrics()).split('\n').filter((line) => line.startsWith(`${family}{`));
  return { metrics, series };
}

test('series of disconnected proxies stay for some time, and their number is limited', async (t) => {
  const { metrics, series } = createSubject();
  metrics.connected('staying', 'v1');
  metrics.rejected('cds', 'staying', 'INTERNAL');
  for (let proxy = 0; proxy < 1000; proxy++) {
    metrics.connected(`node-${proxy}`, `v${proxy}`);
    metrics.rejected('cds', `node-${proxy}`, 'INTERNAL');
    metrics.rejected('rds', `node-${proxy}`, 'INVALID_ARGUMENT');
    metrics.disconnected(`node-${proxy}`, `v${proxy}`);
  }
  t.is((await series('nav_xds')).length, 101);
  t.is((await series('nav_xds_cds_reject')).length, 101);
  t.is((await series('nav_xds_rds_reject')).length, 100);
  t.true((await series('nav_xds')).includes('nav_xds{version="v1"} 1'));
  t.true((await series('nav_xds')).includes('nav_xds{version="v999"} 0'));
  t.true((await series('nav_xds_cds_reject')).includes('nav_xds_cds_reject{node="staying",err="INTERNAL"} 1'));
  t.true((await series('nav_xds_rds_reject')).includes('nav_xds_rds_reject{node="node-999",err="INVALID_ARGUMENT"} 1'));
});

test('a proxy that is connected twice is gone when both connections are', async (t) => {
  const { metrics, series } = createSubject();
  metrics.connected('twice', 'v1');
  metrics.connected('twice', 'v1');
  metrics.rejected('lds', 'twice', 'INTERNAL');
  metrics.disconnected('twice', 'v1');
  for (let proxy = 0; proxy < 200; proxy++) {
    metrics.connected(`node-${proxy}`, '');
    metrics.rejected('lds', `node-${proxy}`, 'INTERNAL');
    metrics.disconnected(`node-${proxy}`, '');
  }
  t.true((await series('nav_xds_lds_reject')).some((line) => line.includes('node="twice"')));
  t.deepEqual(await series('nav_xds'), ['nav_xds{version="v1"} 1', 'nav_xds{version="unknown"} 0']);
});

test('a version of any length is a label of a bounded one', async (t) => {
  const { metrics, series } = createSubject();
  metrics.connected('node', 'x'.repeat(4000));
  t.is((await series('nav_xds'))[0], `nav_xds{version="${'x'.repeat(64)}"} 1`);
});

test('beyond a hundred versions, invented versions share a series, and the sums stay right', async (t) => {
  const { metrics, series } = createSubject();
  for (let proxy = 0; proxy < 1_000; proxy++) metrics.connected(`node-${proxy}`, `v${proxy}`);
  t.is((await series('nav_xds')).length, 101);
  t.true((await series('nav_xds')).includes('nav_xds{version="other"} 900'));
  for (let proxy = 0; proxy < 1_000; proxy++) metrics.disconnected(`node-${proxy}`, `v${proxy}`);
  t.true((await series('nav_xds')).every((line) => line.endsWith(' 0')));
});

test('nodes that reject something share a series beyond a thousand, and their names are cut', async (t) => {
  const { metrics, series } = createSubject();
  const idOf = (proxy: number): string => `${proxy}-${'x'.repeat(2_000)}`;
  for (let proxy = 0; proxy < 3_000; proxy++) {
    metrics.connected(idOf(proxy), '');
    metrics.rejected('cds', idOf(proxy), 'INTERNAL');
  }
  const lines = await series('nav_xds_cds_reject');
  t.is(lines.length, 1_001);
  t.true(lines.every((line) => line.length < 330));
  t.true(lines.includes('nav_xds_cds_reject{node="other",err="INTERNAL"} 2000'));
  for (let proxy = 0; proxy < 3_000; proxy++) metrics.disconnected(idOf(proxy), '');
  t.true((await series('nav_xds_cds_reject')).length <= 101);
});
