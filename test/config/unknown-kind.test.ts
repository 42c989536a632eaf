import test from 'ava';
import { createKindRegistry } from '../../src/config/kinds.js';
import { explainUnknownKind } from '../../src/config/unknown-kind.js';

const { definitions } = createKindRegistry('mesh.internal');

const mistakes: readonly [apiVersion: string, kind: string, path: string, remedy: string][] = [
  ['config.mesh.internal/v1alpha2', 'QuotaSpecs', 'kind', 'did you mean QuotaSpec?'],
  ['config.mesh.internal/v1alpha2', 'quotaspec', 'kind', 'did you mean QuotaSpec?'],
  ['config.mesh.internal/v1beta1', 'QuotaSpec', 'apiVersion', 'did you mean config.mesh.internal/v1alpha2?'],
  ['config.istio.io/v1alpha2', 'QuotaSpec', 'apiVersion', 'did you mean config.mesh.internal/v1alpha2?'],
  ['config.mesh.intrenal/v1alpha2', 'QuotaSpecs', 'apiVersion', 'did you mean config.mesh.internal/v1alpha2?'],
  ['config.istio.io/v1alpha2', 'rule', 'apiVersion', 'did you mean config.mesh.internal/v1alpha2?'],
  ['config.mesh.internal/v1alpha2', 'Rule', 'kind', 'did you mean rule?'],
  ['v1alpha2', 'QuotaSpec', 'apiVersion', 'did you mean config.mesh.internal/v1alpha2?'],
  ['v1beta1', 'Service', 'apiVersion', 'did you mean v1?'],
  ['v1', 'Servce', 'kind', 'did you mean Service?'],
  ['apps/v1', 'Pod', 'apiVersion', 'did you mean v1?'],
  ['discovery.k8s.io/v1beta1', 'EndpointSlice', 'apiVersion', 'did you mean discovery.k8s.io/v1?'],
  [
    'networking.istio.io/v1',
    'Gateway',
    'apiVersion',
    'did you mean networking.mesh.internal/v1beta1 or networking.mesh.internal/v1alpha3?',
  ],
];

for (const [apiVersion, kind, path, remedy] of mistakes) {
  test(`${kind} in ${apiVersion} is reported as a mistake in ${path}`, (t) => {
    const found = explainUnknownKind(definitions, apiVersion, kind);
    t.is(found?.path, path);
    t.true(found?.remedy.includes(remedy), found?.remedy);
  });
}

const quiet: readonly [apiVersion: string, kind: string][] = [
  ['apps/v1', 'Deployment'],
  ['v1', 'ConfigMap'],
  ['v1', 'ServiceAccount'],
  ['rbac.authorization.k8s.io/v1', 'ClusterRole'],
  ['serving.knative.dev/v1', 'Service'],
  ['telemetry.istio.io/v1', 'Telemetry'],
  ['gateway.networking.k8s.io/v1', 'Gateway'],
  ['gateway.example.com/v1', 'Gateway'],
  ['template.openshift.io/v1', 'Template'],
  ['rules.example.com/v1', 'Rule'],
];

for (const [apiVersion, kind] of quiet) {
  test(`${kind} in ${apiVersion} is another product's kind, and not a mistake`, (t) => {
    t.is(explainUnknownKind(definitions, apiVersion, kind), undefined);
  });
}

test('a kind and a version of any length are compared at once', (t) => {
  const long = 'Q'.repeat(4_000_000);
  t.is(explainUnknownKind(definitions, 'config.mesh.internal/v1alpha2', long)?.path, 'kind');
  t.is(explainUnknownKind(definitions, `${long}/v1`, long), undefined);
});
