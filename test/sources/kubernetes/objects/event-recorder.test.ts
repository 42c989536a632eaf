import test from 'ava';
import { Registry } from 'prom-client';
import type { KindDefinition } from '../../../../src/config/kind-definition.js';
import { createKindRegistry } from '../../../../src/config/kinds.js';
import { DEFAULT_MESH_DOMAIN } from '../../../../src/config/mesh-domain.js';
import { createEventRecorder } from '../../../../src/sources/kubernetes/objects/event-recorder.js';
import { createMetrics } from '../../../../src/telemetry/metrics.js';

const { definitions } = createKindRegistry(DEFAULT_MESH_DOMAIN);
const definitionOf = (kind: string): KindDefinition =>
  definitions.find((definition) => definition.kind === kind) as KindDefinition;

/** Samples of a family, as `type event value`. */
async function samples(registry: Registry, name: string): Promise<readonly string[]> {
  const metric = await registry.getSingleMetric(name)?.get();
  return (metric?.values ?? []).map(({ labels, value }) => [...Object.values(labels), value].join(' '));
}

test('core objects count as registry events and mesh objects as config events, by the names of their metrics', async (t) => {
  const registry = new Registry();
  const recorder = createEventRecorder(createMetrics(registry));
  for (const kind of ['Service', 'Node', 'Pod', 'Endpoints', 'EndpointSlice'])
    recorder.event(definitionOf(kind), 'add');
  recorder.event(definitionOf('Pod'), 'updatesame');
  recorder.event(definitionOf('QuotaSpec'), 'update');
  recorder.event(definitionOf('ServiceEntry'), 'delete');
  t.deepEqual(await samples(registry, 'nav_k8s_reg_events'), [
    'Services add 1',
    'Nodes add 1',
    'Pods add 1',
    'Endpoints add 1',
    'EndpointSlice add 1',
    'Pods updatesame 1',
  ]);
  t.deepEqual(await samples(registry, 'nav_k8s_cfg_events'), ['QuotaSpec update 1', 'ServiceEntry delete 1']);
});

test('handled events, failed ones and translated objects count by their kind', async (t) => {
  const registry = new Registry();
  const recorder = createEventRecorder(createMetrics(registry));
  recorder.event(definitionOf('Service'), 'add');
  recorder.converted(definitionOf('Service'), true);
  recorder.converted(definitionOf('QuotaSpec'), false);
  recorder.refused('QuotaSpec/shop/limits');
  recorder.failed('delivery');
  t.deepEqual(await samples(registry, 'cfgsrv_source_kube_event_success_total'), ['1']);
  t.deepEqual(await samples(registry, 'cfgsrv_source_kube_event_error_total'), ['invalid 1', 'delivery 1']);
  t.deepEqual(await samples(registry, 'cfgsrv_source_kube_dynamic_converter_success_total'), ['v1  Service 1']);
  t.deepEqual(await samples(registry, 'cfgsrv_source_kube_dynamic_converter_failure_total'), [
    `config.${DEFAULT_MESH_DOMAIN}/v1alpha2 config.${DEFAULT_MESH_DOMAIN} QuotaSpec 1`,
  ]);
});

test('a refused object has a series until it is in order again, and counts for good', async (t) => {
  const registry = new Registry();
  const recorder = createEventRecorder(createMetrics(registry));
  recorder.refused('QuotaSpec/shop/limits');
  recorder.refused('QuotaSpec/shop/limits');
  t.deepEqual(await samples(registry, 'nav_k8s_object_errors'), ['shop/limits 1']);
  t.deepEqual(await samples(registry, 'nav_total_k8s_object_errors'), ['2']);
  recorder.wellAgain('QuotaSpec/shop/limits');
  t.deepEqual(await samples(registry, 'nav_k8s_object_errors'), []);
  t.deepEqual(await samples(registry, 'nav_total_k8s_object_errors'), ['2']);
});

test('of two objects of one name the series stays until both are in order again', async (t) => {
  const registry = new Registry();
  const recorder = createEventRecorder(createMetrics(registry));
  recorder.refused('QuotaSpec/shop/limits');
  recorder.refused('QuotaSpecBinding/shop/limits');
  recorder.wellAgain('QuotaSpec/shop/limits');
  t.deepEqual(await samples(registry, 'nav_k8s_object_errors'), ['shop/limits 1']);
  recorder.wellAgain('QuotaSpecBinding/shop/limits');
  t.deepEqual(await samples(registry, 'nav_k8s_object_errors'), []);
});
