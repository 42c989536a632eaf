import test from 'ava';
import { injectShipped, shippedSettings, type TestPod } from '../webhooks/injection/support/injection.js';
import { findDocument, type ManifestDocument, readDocuments } from './support/read-documents.js';

const DOCUMENTS = readDocuments('manifests/gateway');

function find<Fields>(kind: string): ManifestDocument & Fields {
  const [found, ...others] = DOCUMENTS.filter((each) => each.kind === kind);
  if (found === undefined || others.length > 0) throw new Error(`manifests/gateway should have one ${kind}`);
  return found as ManifestDocument & Fields;
}

interface Selecting {
  readonly spec: { readonly selector: { readonly matchLabels: object }; readonly podSelector: { matchLabels: object } };
}

const { spec } = find<{ spec: { selector: { matchLabels: object }; template: TestPod } }>('Deployment');
const pod = injectShipped(spec.template, shippedSettings());

test('all objects of the gateway are in its namespace', (t) => {
  const { metadata } = find('Namespace');
  t.is(metadata.labels?.['mesh-injection'], 'enabled');
  for (const {
    kind,
    metadata: { namespace },
  } of DOCUMENTS)
    if (kind !== 'Namespace') t.is(namespace, metadata.name, kind);
});

test('Service, budget, network policy and autoscaler select the pods of the Deployment', (t) => {
  const labels = spec.template.metadata.labels ?? {};
  t.like(labels, spec.selector.matchLabels);
  t.like(labels, find<{ spec: { selector: object } }>('Service').spec.selector);
  t.like(labels, find<Selecting>('PodDisruptionBudget').spec.selector.matchLabels);
  t.like(labels, find<Selecting>('NetworkPolicy').spec.podSelector.matchLabels);
  const { name } = find('Deployment').metadata;
  t.like(find<{ spec: object }>('HorizontalPodAutoscaler').spec, { scaleTargetRef: { kind: 'Deployment', name } });
});

test('ports of the Service lead to ports of the container, which Envoy may use and the network policy opens', (t) => {
  const { ports } = find<{ spec: { ports: readonly { targetPort: number }[] } }>('Service').spec;
  const targets = ports.map(({ targetPort }) => targetPort);
  t.deepEqual(targets, [8080, 8443]);
  const own = (pod.spec.containers[0]?.['ports'] ?? []) as readonly { readonly containerPort: number }[];
  const { ingress } = find<{ spec: { ingress: readonly { ports: readonly { port: number }[] }[] } }>(
    'NetworkPolicy',
  ).spec;
  for (const target of targets) {
    t.true(target > 1023);
    t.true(own.some(({ containerPort }) => containerPort === target));
    t.true(ingress[0]?.ports.some(({ port }) => port === target));
  }
});

test('the account of meshd may list and watch the Secrets of the namespace, and nothing else', (t) => {
  const role = find<{ rules: unknown }>('Role');
  t.deepEqual(role.rules, [{ apiGroups: [''], resources: ['secrets'], verbs: ['list', 'watch'] }]);
  const binding = find<{ roleRef: object; subjects: readonly object[] }>('RoleBinding');
  t.like(binding.roleRef, { kind: 'Role', name: role.metadata.name });
  const { kind, metadata } = findDocument('ServiceAccount', 'meshd');
  t.deepEqual(binding.subjects, [{ kind, name: metadata.name, namespace: metadata.namespace }]);
});

test('the pod has the account of the gateway, without a token for the API server', (t) => {
  t.is(pod.spec['serviceAccountName'], find('ServiceAccount').metadata.name);
  t.is(pod.spec['automountServiceAccountToken'], false);
});

test('the pod leaves time for its drain', (t) => {
  const { lifecycle } = pod.spec.containers[0] as { lifecycle?: { preStop: { sleep: { seconds: number } } } };
  const seconds = lifecycle?.preStop.sleep.seconds ?? 0;
  t.true(seconds > 0 && Number(pod.spec['terminationGracePeriodSeconds']) > seconds);
});
