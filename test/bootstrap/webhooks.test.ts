import test from 'ava';
import { startApiServer } from '../counterparts/kubernetes/api-server.js';
import { requireKubernetes } from '../counterparts/kubernetes/find-testcluster.js';
import { allCrds, namespaceManifest } from '../sources/kubernetes/support/manifests.js';
import { eventually } from '../support/eventually.js';
import {
  accessManifests,
  isEnforced,
  MESHD_USER,
  NAMESPACE,
  validatingConfiguration,
} from '../webhooks/cluster/webhook-rig.js';
import { createHttpReader } from './support/http-reader.js';
import { startServerProcess } from './support/server-process.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.skip : test;
const QUOTAS = '/apis/config.mesh.internal/v1alpha2/namespaces/default';
const API_VERSION = 'config.mesh.internal/v1alpha2';

it('a server with the rights of manifests/ has the API server ask it about objects, and warns of missing ones', async (t) => {
  const api = await startApiServer({ binary: String(binary) });
  t.teardown(() => api.close());
  await api.client.applyAll([...allCrds(), namespaceManifest(NAMESPACE)]);
  await api.client.applyAll(accessManifests());
  const server = startServerProcess(t, ['--orchconfig', await api.kubeconfigOf(MESHD_USER)], {
    NAV_ENABLE_ANALYSIS: 'true',
    POD_NAME: 'meshd-0',
    POD_NAMESPACE: NAMESPACE,
    MESHD_CUSTOM_HOST: 'localhost',
    NAV_DEBOUNCE_AFTER: '20ms',
  });
  const { http } = await server.ports();
  const { https } = await server.logged('discovery server is ready');
  const configuration = validatingConfiguration(`https://localhost:${String(https).split(':').at(-1)}/validate`);
  await api.client.apply(configuration);
  await eventually('objects must be asked about', () => isEnforced(api, configuration));

  const offer = (plural: string, kind: string, name: string, spec: object, query = '') =>
    api.client.send('POST', `${QUOTAS}/${plural}${query}`, { apiVersion: API_VERSION, kind, metadata: { name }, spec });
  const spec = { rules: [{ quotas: [{ quota: 'requests' }] }] };
  const bad = { rules: [{ ...spec.rules[0], match: [{ clause: { 'request.path': { regex: '(' } } }] }] };
  const refused = await eventually('an invalid object is refused', async () => {
    const answer = await offer('quotaspecs', 'QuotaSpec', 'bad', bad, '?dryRun=All');
    return answer.status === 422 && answer;
  });
  t.regex(
    (refused.body as { message: string }).message,
    /denied the request: configuration is invalid: QuotaSpec default\/bad: spec\.rules\[0\]\.match\[0\]\.clause\["request\.path"\]\.regex: "\(": /,
  );

  const binding = { services: [{ service: '*' }], quotaSpecs: [{ name: 'limits' }] };
  const early = await offer('quotaspecbindings', 'QuotaSpecBinding', 'limits', binding, '?dryRun=All');
  t.true(early.warnings.some((line) => line.startsWith('MESH0101: spec.quotaSpecs[0]: QuotaSpec/default/limits')));
  // As `kubectl apply` of one file with both does: the binding comes before the spec has reached the snapshot.
  t.is((await offer('quotaspecs', 'QuotaSpec', 'limits', spec)).status, 201);
  const late = await offer('quotaspecbindings', 'QuotaSpecBinding', 'limits', binding);
  t.is(late.status, 201);
  t.false(
    late.warnings.some((line) => line.startsWith('MESH0101')),
    late.warnings.join('\n'),
  );

  const metrics = (await createHttpReader(http).get('/metrics')).body;
  const labels = 'group="config.mesh.internal",version="v1alpha2",resource="quotaspecs"';
  t.true(metrics.includes(`cfgsrv_validation_passed{${labels}} 1\n`), metrics.match(/cfgsrv.*/g)?.join('\n'));
  t.true(metrics.includes(`cfgsrv_validation_failed{${labels},reason="invalid_resource"}`));
  t.regex(metrics, /^cfgsrv_validation_config_updates [12]$/m);
  server.process.child.kill('SIGTERM');
  t.deepEqual(await server.ended(), { code: 0, signal: null });
});
