import test from 'ava';
import { Registry } from 'prom-client';
import type { Finding, FindingMetric } from '../../src/model/finding.js';
import { createPendingPodRecorder } from '../../src/push/record-pending-pods.js';
import { createMetrics } from '../../src/telemetry/metrics.js';

function createSubject() {
  const registry = new Registry();
  const recorder = createPendingPodRecorder(createMetrics(registry));
  const value = async (family: string): Promise<number | undefined> =>
    (await registry.getSingleMetric(family)?.get())?.values[0]?.value;
  return {
    observe: (findings: readonly Finding[]) => recorder.observe({ findings }),
    pending: () => value('nav_k8s_endpoints_pending_pod'),
    total: () => value('nav_k8s_endpoints_with_no_pods'),
  };
}

const finding = (key: string, metric: FindingMetric = 'endpoint_no_pod'): Finding => ({ metric, key, message: '' });

test('endpoints wait for as long as their pods are not known, and have been counted for good', async (t) => {
  const { observe, pending, total } = createSubject();
  observe([finding('web|10.0.0.1'), finding('web|10.0.0.2'), finding('web|10.0.0.3', 'nav_endpoint_not_ready')]);
  t.deepEqual([await pending(), await total()], [2, 2]);
  observe([finding('web|10.0.0.2')]);
  t.deepEqual([await pending(), await total()], [1, 2]);
  observe([]);
  t.deepEqual([await pending(), await total()], [0, 2]);
});

test('an endpoint counts once while it waits, and again when its pod goes before it does', async (t) => {
  const { observe, pending, total } = createSubject();
  observe([finding('web|10.0.0.1')]);
  observe([finding('web|10.0.0.1'), finding('web|10.0.0.2')]);
  t.deepEqual([await pending(), await total()], [2, 2]);
  observe([finding('web|10.0.0.2')]);
  observe([finding('web|10.0.0.2'), finding('web|10.0.0.1')]);
  t.deepEqual([await pending(), await total()], [2, 3]);
});

test('without a waiting endpoint both metrics are zero', async (t) => {
  const { observe, pending, total } = createSubject();
  observe([]);
  t.deepEqual([await pending(), await total()], [0, undefined]);
});
