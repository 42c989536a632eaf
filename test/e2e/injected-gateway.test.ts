import anyTest, { type TestFn } from 'ava';
import { createDefaultMeshConfig } from '../../src/config/mesh/read-mesh-config.js';
import { type Envoy, startEnvoy } from '../counterparts/envoy.js';
import { assertNothingRejected } from '../counterparts/envoy-rejections.js';
import { endpointsManifest, type ServiceOptions, serviceManifest } from '../counterparts/manifests.js';
import { createMeshRig, type MeshRig } from '../counterparts/mesh-rig.js';
import { ROUTER_ADDRESS } from '../counterparts/network.js';
import { requireSidecarCounterparts } from '../counterparts/requirement.js';
import { eventually } from '../support/eventually.js';
import { injectShipped, shippedSettings, type TestPod } from '../webhooks/injection/support/injection.js';
import { bootstrapOf } from '../webhooks/injection/support/proxy-bootstrap.js';

interface Context {
  mesh: MeshRig;
  envoy: Envoy;
}

const { available } = requireSidecarCounterparts();
const test = anyTest as TestFn<Context>;
const e2eTest = available === undefined ? test.skip : test.serial;

const GATEWAY_ADDRESS = '10.244.0.4';
const WEB_ADDRESS = '10.244.0.6';
const LABELS = { app: 'mesh-ingressgateway' };
const INGRESS: ServiceOptions = {
  name: 'mesh-ingressgateway',
  namespace: 'shop',
  clusterIP: '10.96.0.30',
  ports: [{ name: 'http', port: 80, targetPort: 8080 }],
};
const WEB: ServiceOptions = {
  name: 'web',
  namespace: 'shop',
  clusterIP: '10.96.0.20',
  ports: [{ name: 'http', port: 80, targetPort: 8080 }],
};
const NETWORKING = { apiVersion: 'networking.mesh.internal/v1beta1' };
const GATEWAY = {
  ...NETWORKING,
  kind: 'Gateway',
  metadata: { name: 'ingress', namespace: 'shop' },
  spec: {
    selector: LABELS,
    servers: [{ port: { number: 80, name: 'http', protocol: 'HTTP' }, hosts: ['shop.example.com'] }],
  },
};
const ROUTE = {
  ...NETWORKING,
  kind: 'VirtualService',
  metadata: { name: 'shop', namespace: 'shop' },
  spec: {
    hosts: ['shop.example.com'],
    gateways: ['ingress'],
    http: [{ route: [{ destination: { host: 'web.shop.svc.cluster.local', port: { number: 80 } } }] }],
  },
};

/** The server of these tests has no secured port. */
const SETTINGS = shippedSettings({
  defaultConfig: {
    ...createDefaultMeshConfig().defaultConfig,
    controlPlaneAuthPolicy: 'NONE',
    discoveryAddress: `${ROUTER_ADDRESS}:15010`,
  },
});
const POD: TestPod = {
  metadata: {
    name: 'mesh-ingressgateway-1',
    labels: LABELS,
    annotations: { 'inject.mesh.internal/templates': 'gateway' },
  },
  spec: { serviceAccountName: 'mesh-ingressgateway', containers: [{ name: 'mesh-proxy', image: 'auto' }] },
};

test.before(async (t) => {
  if (available === undefined) return;
  const mesh = await createMeshRig(available, {
    files: {
      'services.yaml': [
        serviceManifest(INGRESS),
        endpointsManifest(INGRESS, [GATEWAY_ADDRESS]),
        serviceManifest(WEB),
        endpointsManifest(WEB, [WEB_ADDRESS]),
      ],
      'gateway.yaml': [GATEWAY, ROUTE],
    },
  });
  t.context.mesh = mesh;
  const web = await mesh.rig.addWorkload({ name: 'web', address: WEB_ADDRESS, captured: false });
  await web.agent.call('serveHttp', { name: 'web', port: 8080 });
  const router = await mesh.rig.addWorkload({ name: 'gateway', address: GATEWAY_ADDRESS, captured: false });
  const bootstrap = bootstrapOf(injectShipped(POD, SETTINGS), GATEWAY_ADDRESS);
  const envoy = startEnvoy({ binary: available.envoy, ...router, bootstrap });
  mesh.rig.defer(() => envoy.stop());
  await envoy.ready();
  t.context = { mesh, envoy };
});

test.after.always(async (t) => {
  await t.context.mesh?.close();
});

e2eTest('an injected gateway serves the hosts of its Gateway at the target port of its Service', async (t) => {
  const { routerAgent } = t.context.mesh.rig;
  const url = `http://${GATEWAY_ADDRESS}:8080/books`;
  const echo = await eventually('the gateway routes', async () => {
    const answer = await routerAgent.request(url, { headers: { host: 'shop.example.com' } });
    return answer.status === 200 ? answer : undefined;
  });
  t.regex(echo?.body ?? '', /"name":"web"/);
  const stranger = await routerAgent.request(url, { headers: { host: 'other.example.com' } });
  t.is(stranger.status, 404);
});

e2eTest('the kubelet can read the readiness of an injected gateway', async (t) => {
  const { routerAgent } = t.context.mesh.rig;
  const { status } = await routerAgent.request(`http://${GATEWAY_ADDRESS}:15021/healthz/ready`);
  t.is(status, 200);
});

e2eTest('an injected gateway accepted all configuration', async (t) => {
  await t.notThrowsAsync(assertNothingRejected(t.context.envoy));
});
