import test from 'ava';
import { systemClock } from '../../../src/base/clock.js';
import { createInjectionCaPatcher } from '../../../src/webhooks/certificates/injection-ca-patcher.js';
import { type ApiServer, startApiServer } from '../../counterparts/kubernetes/api-server.js';
import { requireKubernetes } from '../../counterparts/kubernetes/find-testcluster.js';
import type { KubernetesManifest } from '../../counterparts/kubernetes/kubernetes-client.js';
import { allCrds, namespaceManifest } from '../../sources/kubernetes/support/manifests.js';
import { createTestAuthority } from '../../support/certificate-issuer.js';
import { eventually } from '../../support/eventually.js';
import { createRecordingLogger } from '../../support/recording-logger.js';
import { createTestCaBundle } from '../fixtures/ca-bundle.js';
import { accessManifests, entriesOf, NAMESPACE, openCluster } from './webhook-rig.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.serial.skip : test.serial;
const first = createTestAuthority('first root').certificate;
const second = createTestAuthority('second root').certificate;
const base64 = (pem: string): string => Buffer.from(pem).toString('base64');
let api: ApiServer;

if (binary !== undefined) {
  test.before(async () => {
    api = await startApiServer({ binary });
    await api.client.applyAll([...allCrds(), namespaceManifest(NAMESPACE)]);
    await api.client.applyAll(accessManifests());
  });
  test.after.always(() => api?.close());
}

const entry = (name: string) => ({
  name,
  clientConfig: { url: 'https://127.0.0.1:1/inject' },
  rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
});
const CONFIGURATION = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
  metadata: { name: 'mesh-sidecar-injector' },
  webhooks: ['sidecar-injector.mesh.internal', 'other.mesh.internal', 'pod.sidecar-injector.mesh.internal'].map(entry),
} satisfies KubernetesManifest;

it('the entries of the injector get the present roots after each change, and other entries stay', async (t) => {
  const { send, createWatcher } = await openCluster(t, api);
  const caBundle = createTestCaBundle(first);
  const logger = createRecordingLogger();
  const patcher = createInjectionCaPatcher({
    configName: CONFIGURATION.metadata.name,
    meshDomain: 'mesh.internal',
    caBundle,
    send,
    createWatcher,
    clock: systemClock,
    logger,
  });
  patcher.start();
  t.teardown(() => patcher.stop());
  const bundles = async () => (await entriesOf(api, CONFIGURATION)).map(({ clientConfig }) => clientConfig.caBundle);
  const trusts = (what: string, pem: string) =>
    eventually(what, async () => {
      const [own, other, ofPods] = await bundles();
      return own === base64(pem) && ofPods === own && other === undefined;
    });

  const warnings = () => logger.records.filter(({ level }) => level === 'warn').map(({ message }) => message);
  await eventually('its absence is told', () => warnings().length > 0);
  t.deepEqual(warnings(), ['injection webhook configuration cannot be read']);
  await api.client.apply(CONFIGURATION);
  await trusts('the roots are there', first);
  const [before] = (await entriesOf(api, CONFIGURATION)) as readonly unknown[];
  t.like(before, { ...entry('sidecar-injector.mesh.internal'), clientConfig: { url: 'https://127.0.0.1:1/inject' } });

  const foreign = entry('sidecar-injector.mesh.internal');
  const edited = { ...foreign, clientConfig: { ...foreign.clientConfig, caBundle: base64(second) } };
  await api.client.patch(CONFIGURATION, { webhooks: [edited, ...CONFIGURATION.webhooks.slice(1)] });
  await trusts('an edit is put right', first);
  caBundle.set(second);
  await trusts('new roots are there', second);

  await patcher.stop();
  t.is(caBundle.listeners, 0);
});
