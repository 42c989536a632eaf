import test from 'ava';
import { startApiServer } from '../counterparts/kubernetes/api-server.js';
import { requireGatewayApiCrds } from '../counterparts/kubernetes/find-gateway-api.js';
import { requireKubernetes } from '../counterparts/kubernetes/find-testcluster.js';
import type { KubernetesManifest } from '../counterparts/kubernetes/kubernetes-client.js';
import { allCrds, namespaceManifest, serviceManifest } from '../sources/kubernetes/support/manifests.js';
import { createTestAuthority } from '../support/certificate-issuer.js';
import { eventually } from '../support/eventually.js';
import { ProxyClient } from './support/proxy-client.js';
import { startServerProcess } from './support/server-process.js';

const { available: binary } = requireKubernetes();
const crds = requireGatewayApiCrds();
// Without an API server or the CRDs, `npm test` says why it is skipped.
const it = binary === undefined || crds === undefined ? test.skip : test;

const CONTROLLER = 'mesh.internal/gateway-controller';
const object = (kind: string, name: string, spec: object, namespace = 'shop'): KubernetesManifest => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind,
  metadata: kind === 'GatewayClass' ? { name } : { name, namespace },
  spec,
});

const CLASS = object('GatewayClass', 'navigator', { controllerName: CONTROLLER });
const GATEWAY = object('Gateway', 'public', {
  gatewayClassName: 'navigator',
  listeners: [
    { name: 'http', port: 80, protocol: 'HTTP' },
    { name: 'https', port: 443, protocol: 'HTTPS', tls: { certificateRefs: [{ name: 'cert' }] } },
  ],
});
const ROUTE = object('HTTPRoute', 'web', {
  parentRefs: [{ name: 'public' }],
  rules: [
    {
      backendRefs: [
        { name: 'web', port: 80 },
        { name: 'ledger', namespace: 'bank', port: 80 },
      ],
    },
  ],
});
const GRANT = object(
  'ReferenceGrant',
  'shop',
  {
    from: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', namespace: 'shop' }],
    to: [{ group: '', kind: 'Service' }],
  },
  'bank',
);

/** Of another controller. */
const FOREIGN = {
  ...{ type: 'Accepted', status: 'True', reason: 'Accepted', message: '', observedGeneration: 1 },
  lastTransitionTime: '2026-01-01T00:00:00Z',
};

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly observedGeneration: number;
}
interface Statuses {
  readonly conditions?: readonly Condition[];
  readonly addresses?: readonly { readonly value: string }[];
  readonly listeners?: readonly {
    readonly name: string;
    readonly attachedRoutes: number;
    readonly conditions: readonly Condition[];
  }[];
  readonly parents?: readonly { readonly controllerName: string; readonly conditions: readonly Condition[] }[];
}

const textsOf = (conditions: readonly Condition[] = []): string =>
  conditions
    .map(({ type, status, reason, observedGeneration }) => `${type} ${status} ${reason} ${observedGeneration}`)
    .join(', ');

it('CRDs of the Gateway API that come later are noticed, and the conditions of its objects follow them', async (t) => {
  const api = await startApiServer({ binary: String(binary) });
  t.teardown(() => api.close());
  const { client } = api;
  await client.applyAll(allCrds());
  await client.applyAll(['shop', 'bank', 'mesh-system'].map(namespaceManifest));
  await client.applyAll([
    serviceManifest('mesh-ingressgateway', 'mesh-system', { clusterIP: '10.96.0.80', selector: { app: 'router' } }),
    ...[serviceManifest('web', 'shop'), serviceManifest('ledger', 'bank')],
  ]);
  const server = startServerProcess(t, ['--orchconfig', api.kubeconfig], {
    NAV_ENABLED_SERVICE_APIS: 'true',
    POD_NAME: 'meshd-0',
  });
  const { grpc } = await server.ports();
  await server.logged('a kind of object is not installed, it is read as soon as its CRD is there');
  const router = new ProxyClient(grpc, {
    id: 'router~10.244.1.1~router-1.mesh-system~mesh-system.svc.cluster.local',
    cluster: 'router',
    metadata: { NAMESPACE: 'mesh-system', LABELS: { app: 'router' } },
  });
  t.teardown(() => router.close());

  await client.applyAll(crds ?? []);
  await eventually('the CRDs are established', async () => {
    const { status } = await client.send('GET', '/apis/gateway.networking.k8s.io/v1/httproutes');
    return status === 200;
  });
  await client.applyAll([CLASS, GATEWAY, ROUTE]);
  const statusOf = async (manifest: KubernetesManifest): Promise<Statuses> =>
    ((await client.get(manifest)) as { readonly status?: Statuses } | undefined)?.status ?? {};
  const becomes = (what: string, look: () => Promise<string>, expected: string): Promise<boolean> =>
    eventually(`${what}: ${expected}`, async () => {
      const text = await look();
      if (text !== expected) throw new Error(text);
      return true;
    });
  const listener = async (index: number): Promise<string> => {
    const found = (await statusOf(GATEWAY)).listeners?.[index];
    return `${found?.attachedRoutes} ${textsOf(found?.conditions)}`;
  };

  await becomes('class', async () => textsOf((await statusOf(CLASS)).conditions), 'Accepted True Accepted 1');
  await becomes(
    'gateway',
    async () => textsOf((await statusOf(GATEWAY)).conditions),
    'Accepted True Accepted 1, Programmed True Programmed 1',
  );
  t.deepEqual(
    (await statusOf(GATEWAY)).addresses?.map(({ value }) => value),
    ['10.96.0.80'],
  );
  const served = 'Accepted True Accepted 1, Conflicted False NoConflicts 1';
  await becomes(
    'plain',
    () => listener(0),
    `1 ${served}, ResolvedRefs True ResolvedRefs 1, Programmed True Programmed 1`,
  );
  await becomes(
    'secure',
    () => listener(1),
    `1 ${served}, ResolvedRefs False InvalidCertificateRef 1, Programmed False Invalid 1`,
  );
  const parent = async (): Promise<string> => textsOf((await statusOf(ROUTE)).parents?.[0]?.conditions);
  await becomes('route', parent, 'Accepted True Accepted 1, ResolvedRefs False RefNotPermitted 1');

  const { certificate, key } = createTestAuthority('public').issue({ dnsNames: ['shop.example.com'] });
  await client.applyAll([
    GRANT,
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'cert', namespace: 'shop' },
      type: 'kubernetes.io/tls',
      stringData: { 'tls.crt': certificate, 'tls.key': key },
    },
  ]);
  await becomes('granted', parent, 'Accepted True Accepted 1, ResolvedRefs True ResolvedRefs 1');
  await becomes(
    'secret',
    () => listener(1),
    `1 ${served}, ResolvedRefs True ResolvedRefs 1, Programmed True Programmed 1`,
  );

  // Another controller writes into the same list.
  const other = { controllerName: 'example.com/other', parentRef: { name: 'public' }, conditions: [FOREIGN] };
  const own = (await statusOf(ROUTE)).parents ?? [];
  await client.patch(ROUTE, { status: { parents: [...own, other] } }, 'status');
  const elsewhere = { rules: [{ backendRefs: [{ name: 'no', port: 80 }] }] };
  await client.patch(ROUTE, { spec: elsewhere });
  await eventually('the changed route is judged again', async () => {
    const parents = (await statusOf(ROUTE)).parents ?? [];
    const mine = parents.find(({ controllerName }) => controllerName === CONTROLLER);
    return textsOf(mine?.conditions) === 'Accepted True Accepted 2, ResolvedRefs False BackendNotFound 2';
  });
  const controllers = (await statusOf(ROUTE)).parents?.map(({ controllerName }) => controllerName);
  t.deepEqual(controllers, ['example.com/other', CONTROLLER]);

  await router.settled();
  const tables = (): readonly string[] => router.namesOf('type.googleapis.com/envoy.config.listener.v3.Listener');
  await eventually('the router listens', () => tables().includes('0.0.0.0_80'));
  await client.delete(GATEWAY);
  await eventually('the router does not listen any more', () => !tables().includes('0.0.0.0_80'));
});
