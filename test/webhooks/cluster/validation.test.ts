import test, { type ExecutionContext } from 'ava';
import { type ApiServer, startApiServer } from '../../counterparts/kubernetes/api-server.js';
import { requireKubernetes } from '../../counterparts/kubernetes/find-testcluster.js';
import {
  createKubernetesClient,
  type KubernetesAnswer,
  type KubernetesManifest,
} from '../../counterparts/kubernetes/kubernetes-client.js';
import { allCrds, namespaceManifest, quotaSpecManifest } from '../../sources/kubernetes/support/manifests.js';
import { policyContext } from '../../status/analysis/support.js';
import { createTestAuthority } from '../../support/certificate-issuer.js';
import { eventually } from '../../support/eventually.js';
import {
  accessManifests,
  entriesOf,
  isEnforced,
  MESHD_USER,
  NAMESPACE,
  startController,
  startWebhookServer,
  untilWebhookAnswers,
  validatingConfiguration,
} from './webhook-rig.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.serial.skip : test.serial;
const QUOTA_SPECS = '/apis/config.mesh.internal/v1alpha2/namespaces/default/quotaspecs';
const CONFIGURATION = configurationAt(1);
/** `timeoutSeconds` of `manifests/45-validation.yaml`. */
const TIMEOUT_MS = 5_000;
const root = createTestAuthority('webhook root');
let api: ApiServer;

if (binary !== undefined) {
  test.before(async () => {
    api = await startApiServer({ binary });
    await api.client.applyAll([...allCrds(), namespaceManifest(NAMESPACE)]);
    await api.client.applyAll(accessManifests());
    // The control plane takes a kind that is not served yet for one that nobody has to validate.
    await eventually('quotaspecs are served', async () => (await api.client.send('GET', QUOTA_SPECS)).status === 200);
  });
  test.afterEach.always(async () => {
    const path = `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${CONFIGURATION.metadata.name}`;
    await api.client.send('DELETE', path);
  });
  test.after.always(() => api?.close());
}

const base64 = (pem: string): string => Buffer.from(pem).toString('base64');
const messageOf = ({ body }: KubernetesAnswer): string => String((body as { message?: unknown }).message);

/** Applies a QuotaSpec in a dry run. */
function offer(t: ExecutionContext, spec: unknown, name = 'limits'): Promise<KubernetesAnswer> {
  const { apiVersion, kind } = quotaSpecManifest(name);
  return untilWebhookAnswers(t, TIMEOUT_MS, () =>
    api.client.send('POST', `${QUOTA_SPECS}?dryRun=All`, { apiVersion, kind, metadata: { name }, spec }),
  );
}

const VALID = { rules: [{ quotas: [{ quota: 'requests' }] }] };
/** The CRD's schema accepts it. */
const BAD_REGEX = {
  rules: [{ match: [{ clause: { 'request.path': { regex: '[' } } }], quotas: [{ quota: 'requests' }] }],
};
/** The CRD's schema rejects it. */
const BAD_ONE_OF = {
  rules: [{ match: [{ clause: { 'request.path': { exact: '/', prefix: '/' } } }], quotas: [{ quota: 'requests' }] }],
};

function configurationAt(port: number): KubernetesManifest {
  return validatingConfiguration(`https://127.0.0.1:${port}/validate`);
}

function whenRefused(t: ExecutionContext, what: string): Promise<KubernetesAnswer> {
  return eventually(what, async () => {
    const answer = await offer(t, BAD_REGEX);
    return answer.status === 422 && answer;
  });
}

it('the installed configuration gets the roots, and failurePolicy Fail when the API server calls the webhook', async (t) => {
  const { port } = await startWebhookServer(t, root);
  await api.client.apply(configurationAt(port));
  const [before] = await entriesOf(api, CONFIGURATION);
  t.is(before?.rules, undefined, 'API servers ask nothing yet');
  t.is(before?.clientConfig.caBundle, undefined);
  const controller = await startController(t, api, root.certificate);
  await eventually('failurePolicy is Fail', () => isEnforced(api, CONFIGURATION));
  t.is((await entriesOf(api, CONFIGURATION))[0]?.clientConfig.caBundle, base64(root.certificate));
  await eventually('both updates are counted', async () => (await controllerUpdates(controller)) === 2);
  t.deepEqual(
    controller.log.filter(({ level }) => level === 'warn'),
    [],
  );
});

it('an invalid QuotaSpec is rejected with our message, and a valid one accepted', async (t) => {
  const { port } = await startWebhookServer(t, root);
  await startController(t, api, root.certificate);
  await api.client.apply(configurationAt(port));
  const answer = await whenRefused(t, 'the QuotaSpec is refused');
  t.is(
    messageOf(answer),
    'admission webhook "validation.mesh.internal" denied the request: configuration is invalid: QuotaSpec default/limits: ' +
      'spec.rules[0].match[0].clause["request.path"].regex: "[": is not a regular expression: missing closing ]: `[`; ' +
      'use RE2 syntax, which has no look-around and no back references',
  );
  t.is((answer.body as { reason: string }).reason, 'Invalid');
  t.is((await offer(t, VALID)).status, 201);
  t.is((await offer(t, BAD_ONE_OF)).status, 422);
});

for (const version of ['v1', 'v1beta1']) {
  it(`requests of API servers in admission ${version} are answered`, async (t) => {
    const { port } = await startWebhookServer(t, root);
    const configuration = configurationAt(port);
    const [entry] = configuration['webhooks'] as readonly object[];
    await api.client.apply({ ...configuration, webhooks: [{ ...entry, admissionReviewVersions: [version] }] });
    await startController(t, api, root.certificate);
    t.regex(
      messageOf(await whenRefused(t, 'the QuotaSpec is refused')),
      /denied the request: configuration is invalid/,
    );
  });
}

it('valid objects that look wrong are accepted with warnings', async (t) => {
  const { port, warnings } = await startWebhookServer(t, root);
  await startController(t, api, root.certificate);
  await api.client.apply(configurationAt(port));
  await whenRefused(t, 'the webhook is asked');
  warnings.observe(
    policyContext(
      'ServiceEntry default/web {hosts: [web.default.svc.cluster.local], location: MESH_INTERNAL, ports: [{number: 80, name: http, protocol: HTTP}]}',
    ),
  );
  const spec = { services: [{ name: 'web' }], quotaSpecs: [{ name: 'gone' }] };
  const binding = {
    apiVersion: 'config.mesh.internal/v1alpha2',
    kind: 'QuotaSpecBinding',
    metadata: { name: 'limits' },
  };
  // While failurePolicy is Ignore, an API server accepts an object without the answer of a late webhook.
  const { warnings: told } = await eventually('the binding is accepted with warnings', async () => {
    const path = `${QUOTA_SPECS.replace('quotaspecs', 'quotaspecbindings')}?dryRun=All`;
    const answer = await api.client.send('POST', path, { ...binding, spec });
    return answer.status === 201 && answer.warnings.length > 0 && answer;
  });
  t.deepEqual(
    told.filter((line) => line.startsWith('MESH0101')),
    [
      'MESH0101: spec.quotaSpecs[0]: QuotaSpec/default/gone does not exist; ' +
        'create the resource, or correct name and namespace of the reference',
    ],
  );
});

it('foreign changes of the configuration are corrected', async (t) => {
  const { port } = await startWebhookServer(t, root);
  await api.client.apply(configurationAt(port));
  await startController(t, api, root.certificate);
  const isRight = async (): Promise<boolean> => {
    const [entry] = await entriesOf(api, CONFIGURATION);
    return entry?.failurePolicy === 'Fail' && entry.clientConfig.caBundle === base64(root.certificate);
  };
  await eventually('the configuration is right', isRight);
  const [entry] = await entriesOf(api, CONFIGURATION);
  const foreign = createTestAuthority('foreign').certificate;
  const clientConfig = { ...entry?.clientConfig, caBundle: base64(foreign) };
  await api.client.patch(CONFIGURATION, { webhooks: [{ ...entry, clientConfig, failurePolicy: 'Ignore' }] });
  await eventually('the configuration is right again', isRight);
  await api.client.apply(configurationAt(port));
  await eventually('the configuration is right after it was applied anew', isRight);
  await api.client.delete(CONFIGURATION);
  await api.client.apply(configurationAt(port));
  await eventually('the configuration is right after it was made anew', isRight);
  t.is((await whenRefused(t, 'the webhook is asked')).status, 422);
});

it('root and server certificate change without a restart, and every object is validated meanwhile', async (t) => {
  const { port, material } = await startWebhookServer(t, root);
  await api.client.apply(configurationAt(port));
  const { caBundle } = await startController(t, api, root.certificate);
  await eventually('failurePolicy is Fail', () => isEnforced(api, CONFIGURATION));
  await whenRefused(t, 'the webhook is asked');
  const next = createTestAuthority('next root');
  const trusts = (pem: string) =>
    eventually('the roots are written', async () => {
      const refused = await offer(t, BAD_REGEX);
      t.is(refused.status, 422, messageOf(refused));
      return (await entriesOf(api, CONFIGURATION))[0]?.clientConfig.caBundle === base64(pem);
    });
  caBundle.set(root.certificate + next.certificate);
  await trusts(root.certificate + next.certificate);
  // The API server uses a configuration shortly after it was written.
  await eventually('the new certificate is trusted', async () => {
    material.use(next);
    const refused = await offer(t, BAD_REGEX);
    return refused.status === 422;
  });
  caBundle.set(next.certificate);
  await trusts(next.certificate);
  await whenRefused(t, 'the webhook is asked');
  t.is((await entriesOf(api, CONFIGURATION))[0]?.failurePolicy, 'Fail');
});

it('without the webhook every object is rejected, and the CRD rejects a wrong one-of', async (t) => {
  const server = await startWebhookServer(t, root);
  await api.client.apply(configurationAt(server.port));
  await startController(t, api, root.certificate);
  await whenRefused(t, 'the webhook is asked');
  await eventually('failurePolicy is Fail', () => isEnforced(api, CONFIGURATION));
  await server.stop();
  await eventually('valid objects are refused', async () => (await offer(t, VALID)).status === 500);
  t.regex(messageOf(await offer(t, VALID)), /failed calling webhook "validation\.mesh\.internal"/);
  const answer = await offer(t, BAD_ONE_OF);
  t.is(answer.status, 422);
  t.notRegex(messageOf(answer), /webhook/);
});

it('a webhook that never answered rejects no object, but the CRD rejects a wrong one-of', async (t) => {
  await api.client.apply(configurationAt(1));
  const controller = await startController(t, api, root.certificate);
  await eventually('the roots are written', async () => (await controller.metric('config_updates')) === 1);
  await eventually('valid objects pass', async () => (await offer(t, VALID)).status === 201);
  t.is((await offer(t, BAD_ONE_OF)).status, 422);
  t.is((await entriesOf(api, CONFIGURATION))[0]?.failurePolicy, 'Ignore');
});

it('a missing configuration is logged and counted, and kept correct when it exists', async (t) => {
  const { port } = await startWebhookServer(t, root);
  const controller = await startController(t, api, root.certificate);
  await eventually(
    'it is counted',
    async () => ((await controller.metric('config_update_error{reason="NotFound"}')) ?? 0) > 0,
  );
  t.is(controller.log.filter(({ message }) => message === 'validating webhook configuration is missing').length, 1);
  await api.client.apply(configurationAt(port));
  await eventually('failurePolicy is Fail', () => isEnforced(api, CONFIGURATION));
});

it('one of two instances is active, and then the other one', async (t) => {
  const { port } = await startWebhookServer(t, root);
  await api.client.apply(configurationAt(port));
  const first = await startController(t, api, root.certificate, 'meshd-a');
  await eventually('the first leads', async () => (await controllerUpdates(first)) > 0);
  const second = await startController(t, api, root.certificate, 'meshd-b');
  await api.client.patch(CONFIGURATION, {
    webhooks: [{ ...(await entriesOf(api, CONFIGURATION))[0], failurePolicy: 'Ignore' }],
  });
  await eventually('it is put right', async () => (await entriesOf(api, CONFIGURATION))[0]?.failurePolicy === 'Fail');
  t.is(await controllerUpdates(second), 0);
  await first.stop();
  await eventually('the second leads', () => second.log.some(({ message }) => message === 'this instance leads'));
  await api.client.patch(CONFIGURATION, {
    webhooks: [{ ...(await entriesOf(api, CONFIGURATION))[0], failurePolicy: 'Ignore' }],
  });
  await eventually('it is put right', async () => (await entriesOf(api, CONFIGURATION))[0]?.failurePolicy === 'Fail');
  await eventually('the second has done it', async () => (await controllerUpdates(second)) > 0);
});

it('meshd may change only its own webhook configurations and the object of its dry run', async (t) => {
  const meshd = createKubernetesClient(api.url, `${MESHD_USER}-token`, api.ca);
  t.teardown(() => meshd.close());
  const apply = (plural: string, kind: string, name: string) =>
    meshd.send(
      'PATCH',
      `/apis/config.mesh.internal/v1alpha2/namespaces/${NAMESPACE}/${plural}/${name}?fieldManager=meshd&dryRun=All`,
      { apiVersion: 'config.mesh.internal/v1alpha2', kind, metadata: { name }, spec: VALID },
      'application/apply-patch+yaml',
    );
  t.is((await apply('quotaspecs', 'QuotaSpec', 'invalid-quotaspec')).status, 201);
  t.is((await apply('quotaspecs', 'QuotaSpec', 'another')).status, 403);
  t.is((await apply('quotaspecbindings', 'QuotaSpecBinding', 'invalid-quotaspec')).status, 403);
  const configurations = '/apis/admissionregistration.k8s.io/v1';
  for (const [plural, name] of [
    ['validatingwebhookconfigurations', CONFIGURATION.metadata.name],
    ['mutatingwebhookconfigurations', 'mesh-sidecar-injector'],
  ]) {
    t.is((await meshd.send('GET', `${configurations}/${plural}/${name}`)).status, 404);
    t.is((await meshd.send('GET', `${configurations}/${plural}/another`)).status, 403);
    t.is((await meshd.send('GET', `${configurations}/${plural}`)).status, 403);
    t.is((await meshd.send('DELETE', `${configurations}/${plural}/${name}`)).status, 403);
    t.is((await meshd.send('POST', `${configurations}/${plural}`, {})).status, 403);
  }
});

async function controllerUpdates(controller: { metric(line: string): Promise<number | undefined> }): Promise<number> {
  return (await controller.metric('config_updates')) ?? 0;
}
