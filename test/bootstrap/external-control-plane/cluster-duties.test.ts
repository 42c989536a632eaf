import test from 'ava';
import { Registry } from 'prom-client';
import { systemClock } from '../../../src/base/clock.js';
import { connectTo } from '../../../src/bootstrap/cluster-connection.js';
import { createClusterDuties } from '../../../src/bootstrap/external-control-plane/cluster-duties.js';
import { createRemoteWork } from '../../../src/bootstrap/external-control-plane/remote-work.js';
import { parseOptions } from '../../../src/cli/parse-options.js';
import { createKindRegistry } from '../../../src/config/kinds.js';
import { createRemoteAccess } from '../../../src/kubernetes/client/remote-access.js';
import { parseRemoteKubeconfig } from '../../../src/kubernetes/client/remote-kubeconfig.js';
import { createLogging } from '../../../src/telemetry/logging.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { createTestAuthority } from '../../ca/support/test-authority.js';
import { type ApiServer, startApiServer } from '../../counterparts/kubernetes/api-server.js';
import { remoteKubeconfig } from '../../counterparts/kubernetes/cluster-secret.js';
import { requireKubernetes } from '../../counterparts/kubernetes/find-testcluster.js';
import type { KubernetesManifest } from '../../counterparts/kubernetes/kubernetes-client.js';
import { readDocuments } from '../../manifests/support/read-documents.js';
import { namespaceManifest } from '../../sources/kubernetes/support/manifests.js';
import { eventually } from '../../support/eventually.js';

const { available: binary } = requireKubernetes();
// Without an API server `npm test` says why it is skipped; with REQUIRE_COUNTERPARTS=1, as in .ci/run, that is an error.
const it = binary === undefined ? test.skip : test;

interface Configuration {
  readonly webhooks: readonly { readonly name: string; readonly clientConfig: { readonly caBundle?: string } }[];
}

async function bundlesOf(api: ApiServer, plural: string, name: string): Promise<readonly (string | undefined)[]> {
  const { body } = await api.client.send('GET', `/apis/admissionregistration.k8s.io/v1/${plural}/${name}`);
  return (body as Configuration).webhooks.map(({ clientConfig: { caBundle } }) => caBundle);
}

/** A remote API server reaches the control plane by an address of its own. */
function configuration(kind: string, name: string, webhook: string): KubernetesManifest {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${kind}WebhookConfiguration`,
    metadata: { name },
    webhooks: [
      {
        name: webhook,
        clientConfig: { url: 'https://meshd.example.com:15017/' },
        rules: [{ operations: ['CREATE'], apiGroups: ['none.mesh.internal'], apiVersions: ['*'], resources: ['*'] }],
        failurePolicy: 'Ignore',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  };
}

it('a remote cluster is given roots and trust in the webhooks, by no more rights than the samples give', async (t) => {
  const api = await startApiServer({ binary: String(binary) });
  t.teardown(() => api.close());
  await api.client.applyAll(readDocuments('samples/multicluster').filter(({ kind }) => kind === 'Namespace'));
  await api.client.applyAll(readDocuments('samples/multicluster').filter(({ kind }) => kind !== 'Namespace'));
  await api.client.apply(namespaceManifest('shop'));
  await api.client.applyAll([
    configuration('Validating', 'meshd-mesh-system', 'validation.mesh.internal'),
    configuration('Mutating', 'mesh-sidecar-injector', 'sidecar-injector.mesh.internal'),
  ]);

  const token = await api.client.send('POST', '/api/v1/namespaces/mesh-system/serviceaccounts/navigator-reader/token', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: {},
  });
  const kubeconfig = remoteKubeconfig(api, { token: (token.body as { status: { token: string } }).status.token });
  const access = createRemoteAccess(parseRemoteKubeconfig(kubeconfig));
  t.teardown(() => access.close());

  const options = parseOptions(new Map(), { CENTRAL_MESHD: 'true' });
  const lines: string[] = [];
  const logging = createLogging(
    { ...options.common, logAsJson: true },
    {
      now: systemClock.now,
      sinks: [{ colored: false, write: (line) => void lines.push(line), close: async () => undefined }],
    },
  );
  const authority = await createTestAuthority(systemClock);
  const roots = (): string => authority.bundle().roots.join('');
  const work = createRemoteWork(logging.scope('secretcontroller'));
  t.teardown(() => work.stop());
  work.begin(
    createClusterDuties({
      kinds: createKindRegistry('mesh.internal'),
      options,
      authority,
      caBundle: { current: roots, onChange: authority.onChange },
      identity: 'meshd-0',
      metrics: createMetrics(new Registry()),
      logging,
      clock: systemClock,
    }),
  );
  const link = connectTo(access, { userAgent: 'navigator-discovery/test', clock: systemClock });
  work.observer.reached({ id: 'west', server: access.server, link });

  for (const namespace of ['shop', 'mesh-system']) {
    await eventually(`roots in ${namespace}`, async () => {
      const { body } = await api.client.send('GET', `/api/v1/namespaces/${namespace}/configmaps/mesh-ca-root-cert`);
      return (body as { data?: Record<string, string> }).data?.['root-cert.pem'] === roots();
    });
  }
  const bundle = Buffer.from(roots()).toString('base64');
  await eventually('trust in the webhooks', async () => {
    const mutating = await bundlesOf(api, 'mutatingwebhookconfigurations', 'mesh-sidecar-injector');
    const validating = await bundlesOf(api, 'validatingwebhookconfigurations', 'meshd-mesh-system');
    return [...mutating, ...validating].every((each) => each === bundle);
  });
  await work.observer.removed('west');
  await work.stop();
  // A stop does not wait for a slow API server without end.
  await eventually('leases are given back', async () => {
    const { body } = await api.client.send('GET', '/apis/coordination.k8s.io/v1/namespaces/mesh-system/leases');
    const { items } = body as { items: { spec: { holderIdentity?: string } }[] };
    return items.every(({ spec }) => (spec.holderIdentity ?? '') === '');
  });
  t.deepEqual(
    lines.filter((line) => /forbidden|cannot/i.test(line)),
    [],
  );
});
