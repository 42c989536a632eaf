import anyTest, { type TestFn } from 'ava';
import type { HttpAnswer, HttpEcho } from '../counterparts/agent/calls.js';
import type { Manifest } from '../counterparts/config-folder.js';
import type { ServiceOptions } from '../counterparts/manifests.js';
import { requireSidecarCounterparts } from '../counterparts/requirement.js';
import { createTestAuthority } from '../support/certificate-issuer.js';
import { eventually } from '../support/eventually.js';
import { createCredentialFolder } from './credential-folder.js';
import { EDGE, INGRESS, requestOverTls, WEB } from './gateway-mesh.js';
import { createSecuredMesh, podManifest, type SecuredMesh, serviceOn } from './secured-mesh.js';

interface Context {
  secured: SecuredMesh;
}

const { available } = requireSidecarCounterparts();
const test = anyTest as TestFn<Context>;
const e2eTest = available === undefined ? test.skip : test.serial;

const backendService = (namespace: string, name: string, clusterIP: string, targetPort: number): ServiceOptions => ({
  ...{ name, namespace, clusterIP },
  ports: [{ name: 'http', port: 80, targetPort }],
});
/** They all are on one workload without a sidecar. */
const BACKENDS = [
  backendService('shop', 'web', '10.96.0.10', 8080),
  backendService('shop', 'spare', '10.96.0.11', 8098),
  backendService('rival', 'thief', '10.96.0.12', 8099),
];

const CLASS: Manifest = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IngressClass',
  metadata: { name: 'edge' },
  spec: { controller: 'mesh.internal/ingress-controller' },
};

const backend = (name: string) => ({ service: { name, port: { number: 80 } } });
const path = (text: string, name: string, pathType = 'Prefix') => ({ path: text, pathType, backend: backend(name) });
const rule = (host: string, ...paths: readonly object[]) => ({ host, http: { paths } });
/** @param day of January, on which it was created */
const ingress = (namespace: string, name: string, day: number, spec: object): Manifest => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name, namespace, creationTimestamp: `2026-01-0${day}T00:00:00Z` },
  spec: { ingressClassName: 'edge', ...spec },
});

const SHOP = ingress('shop', 'shop', 1, {
  tls: [{ hosts: ['secure.example.com'], secretName: 'shop-cert' }],
  defaultBackend: backend('spare'),
  rules: [
    rule(
      'shop.example.com',
      path('/', 'web'),
      path('/spare', 'spare'),
      path('/spare/exact', 'web', 'Exact'),
      path('/missing', 'missing'),
    ),
    rule('part.example.com', path('/part', 'web')),
    rule('*.wild.example.com', path('/', 'web')),
    rule('secure.example.com', path('/', 'web')),
  ],
});
const RIVAL = ingress('rival', 'rival', 2, {
  rules: [rule('shop.example.com', path('/stolen', 'thief')), rule('rival.example.com', path('/', 'thief'))],
});

const ask = ({ secured }: Context, host: string, asked: string): Promise<HttpAnswer> =>
  secured.mesh.rig.routerAgent.request(`http://${INGRESS.address}:8080${asked}`, { headers: { host } });

/** The service that answers, or the status. */
const answererOf = ({ status, body }: HttpAnswer): string | number =>
  status === 200 ? (JSON.parse(body) as HttpEcho).name : status;

test.before(async (t) => {
  if (available === undefined) return;
  const credentials = await createCredentialFolder();
  const certificate = createTestAuthority('public').issue({ dnsNames: ['secure.example.com'] });
  await credentials.write('shop', 'shop-cert', certificate);
  const secured = await createSecuredMesh(available, {
    meshConfig: `ingressSelector: ${INGRESS.name}\n`,
    files: {
      'pods.yaml': [podManifest(INGRESS)],
      'edge.yaml': serviceOn(EDGE, INGRESS),
      'backends.yaml': BACKENDS.flatMap((service) => serviceOn(service, WEB)),
      'ingress.yaml': [CLASS, SHOP, RIVAL],
    },
    env: { NAV_CREDENTIALS_DIR: credentials.path, ORCH_INGRESS_NS: INGRESS.namespace },
  });
  secured.mesh.rig.defer(() => credentials.remove());
  t.context = { secured };
  const [router, workload] = await Promise.all([
    secured.addPod(INGRESS),
    secured.mesh.rig.addWorkload({ name: WEB.name, address: WEB.address, captured: false }),
  ]);
  for (const { name, ports } of BACKENDS) {
    await workload.agent.call('serveHttp', { name, port: ports[0]?.targetPort ?? 0 });
  }
  await router.envoy.ready();
  await eventually('the router has its routes', async () => {
    return (await ask(t.context, 'shop.example.com', '/')).status === 200;
  });
});

test.after.always(async ({ context }) => {
  await context.secured?.mesh.close();
});

/** Requests with the service that answers them, or the status. */
const ANSWERS: Readonly<Record<string, readonly [host: string, asked: string, expected: string | number]>> = {
  'the shortest prefix': ['shop.example.com', '/', 'web'],
  'a longer prefix': ['shop.example.com', '/spare', 'spare'],
  'a path below a prefix': ['shop.example.com', '/spare/below?a=b', 'spare'],
  'a path that starts like a prefix': ['shop.example.com', '/sparely', 'web'],
  'an exact path, before its prefix': ['shop.example.com', '/spare/exact', 'web'],
  'a path below an exact path': ['shop.example.com', '/spare/exact/below', 'spare'],
  'a Service that does not exist': ['shop.example.com', '/missing', 503],
  'a path of no rule of a host': ['part.example.com', '/', 'spare'],
  'a path of a rule of this host': ['part.example.com', '/part', 'web'],
  'a host below a wildcard': ['a.wild.example.com', '/', 'web'],
  'a host that no Ingress names': ['unknown.example.com', '/', 'spare'],
  'a path of a younger Ingress of another namespace, for the same host': ['shop.example.com', '/stolen', 'web'],
  'the own host of this other Ingress': ['rival.example.com', '/stolen', 'thief'],
};

e2eTest(
  'requests reach the Services of Ingresses, and a host belongs to the namespace of its oldest Ingress',
  async (t) => {
    for (const [title, [host, asked, expected]] of Object.entries(ANSWERS)) {
      t.is(answererOf(await ask(t.context, host, asked)), expected, title);
    }
    const problems = await t.context.secured.mesh.discovery.get('/debug/config_problems');
    t.true(problems.includes('MESH0602') && problems.includes('Ingress/rival/rival'), problems);
  },
);

e2eTest('a host is served on the port of HTTPS with the certificate of the Secret of its Ingress', async (t) => {
  const { received } = await eventually('the router has the certificate', () =>
    requestOverTls(t.context, 8443, 'secure.example.com', { until: '"web"' }),
  );
  t.regex(received, /^HTTP\/1\.1 200/);
  await t.context.secured.mesh.assertNothingRejected();
});
