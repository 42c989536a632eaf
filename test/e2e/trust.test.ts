import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { type Agent, startAgent } from '../counterparts/agent.js';
import { type Cluster, startCluster } from '../counterparts/kubernetes/cluster.js';
import { requireCluster } from '../counterparts/kubernetes/find-cluster.js';
import { projectRoot } from '../counterparts/project-root.js';
import { createTestAuthority, type TestCertificate } from '../support/certificate-issuer.js';
import { eventually } from '../support/eventually.js';
import { applyObjects, PATIENT, podsOf, rolledOut, webhooksAnswer } from './cluster-mesh.js';
import { plainWorkload } from './injected-workload.js';

interface Context {
  cluster: Cluster;
  /** In an injected pod of the namespace `shop`. */
  client: Agent;
  /** In a pod that nothing is injected into. */
  outsider: Agent;
}

const { available } = requireCluster();
const test = anyTest as TestFn<Partial<Context>>;
const e2eTest = available === undefined ? test.serial.skip : test.serial;

const SYSTEM = ['--namespace', 'mesh-system'];
const SHOP = ['--namespace', 'shop'];
const MANIFESTS = join(projectRoot(), 'manifests/');
const STRICT = {
  apiVersion: 'security.mesh.internal/v1beta1',
  kind: 'PeerAuthentication',
  metadata: { name: 'default', namespace: 'shop' },
  spec: { mtls: { mode: 'STRICT' } },
};
const SPIFFE_CLIENT = 'spiffe://cluster.local/ns/shop/sa/client';

function contextOf(context: Partial<Context>): Context {
  const { cluster, client, outsider } = context;
  if (cluster === undefined || client === undefined || outsider === undefined) throw new Error('it did not start');
  return { cluster, client, outsider };
}

const quotaSpec = (name: string, rules: readonly object[]) => ({
  apiVersion: 'config.mesh.internal/v1alpha2',
  kind: 'QuotaSpec',
  metadata: { name, namespace: 'shop' },
  spec: { rules },
});
/** Its CRD has nothing against it: that a regex must be one is for the webhook to know. */
const BAD_REGEX = quotaSpec('bad-regex', [
  { match: [{ clause: { 'request.path': { regex: '(' } } }], quotas: [{ quota: 'q', charge: 1 }] },
]);
const TWO_AT_ONCE = quotaSpec('two-at-once', [
  { match: [{ clause: { 'request.path': { exact: '/a', prefix: '/b' } } }], quotas: [{ quota: 'q', charge: 1 }] },
]);

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'alone', namespace: 'shop' },
  spec: { containers: [{ name: 'app', image: 'host', command: ['sleep', '60'] }] },
};

const apply = (t: ExecutionContext, cluster: Cluster, ...objects: readonly object[]): Promise<string> =>
  applyObjects(t, cluster, objects);

/** Errors of kubectl. */
async function refusalOf(t: ExecutionContext, cluster: Cluster, object: object): Promise<string> {
  try {
    await apply(t, cluster, object);
    return '';
  } catch (error) {
    return String(error);
  }
}

async function agentIn(cluster: Cluster, namespace: string, app: string): Promise<Agent> {
  const [pod = ''] = await podsOf(cluster, ['--namespace', namespace], `app=${app}`);
  return startAgent(cluster.enterPod(pod));
}

test.before(async (t) => {
  if (available === undefined) return;
  const cluster = await startCluster(available);
  t.context.cluster = cluster;
  await cluster.kubectl(['apply', '-f', MANIFESTS]);
  await rolledOut(cluster, 'mesh-system', 'meshd');
  await webhooksAnswer(cluster);
  await cluster.kubectl(['create', 'namespace', 'shop']);
  await cluster.kubectl(['label', 'namespace', 'shop', 'mesh-injection=enabled']);
  await cluster.kubectl(['create', 'namespace', 'outside']);
  await apply(
    t,
    cluster,
    ...plainWorkload({ name: 'web', namespace: 'shop', replicas: 2 }),
    ...plainWorkload({ name: 'client', namespace: 'shop' }),
    ...plainWorkload({ name: 'outsider', namespace: 'outside' }),
  );
  await rolledOut(cluster, 'shop', 'web');
  await rolledOut(cluster, 'shop', 'client');
  await rolledOut(cluster, 'outside', 'outsider');
  t.context.client = await agentIn(cluster, 'shop', 'client');
  t.context.outsider = await agentIn(cluster, 'outside', 'outsider');
});

test.after.always(async (t) => {
  await t.context.client?.stop();
  await t.context.outsider?.stop();
  await t.context.cluster?.close();
});

e2eTest('kubectl apply rejects an invalid QuotaSpec with the message of the webhook', async (t) => {
  const { cluster } = contextOf(t.context);
  const refusal = await refusalOf(t, cluster, BAD_REGEX);
  t.regex(refusal, /admission webhook "validation\.mesh\.internal" denied the request: configuration is invalid/);
  t.regex(refusal, /spec\.rules\[0\]\.match\[0\]/);
});

e2eTest('a Deployment in a labelled namespace gets a sidecar and is reachable over mutual TLS by name', async (t) => {
  const { cluster, client, outsider } = contextOf(t.context);
  const containers = ['-o', 'jsonpath={.items[0].spec.initContainers[*].name} {.items[0].spec.containers[*].name}'];
  t.is(await cluster.kubectl([...SHOP, 'get', 'pods', '-l', 'app=client', ...containers]), 'mesh-init mesh-proxy app');

  // The identity that the app gets equals the identity in the caller's certificate.
  await eventually(
    'the client calls web over mutual TLS',
    async () => (await client.request('http://web/')).body.includes(SPIFFE_CLIENT),
    PATIENT,
  );
  // The cluster updates the rules of the node with some delay.
  await eventually(
    'plaintext is accepted in PERMISSIVE',
    async () => (await outsider.request('http://web.shop/')).body === 'nobody',
    PATIENT,
  );

  await apply(t, cluster, STRICT);
  await eventually(
    'plaintext is refused',
    async () => (await outsider.request('http://web.shop/').catch(() => undefined))?.status !== 200,
    PATIENT,
  );
  for (let count = 0; count < 20; count++) t.is((await client.request('http://web/')).status, 200);
});

const INGRESS = 'mesh-ingress';
const PUBLIC_HOST = 'shop.example.com';
const networking = (kind: string, spec: object) => ({
  apiVersion: 'networking.mesh.internal/v1beta1',
  kind,
  metadata: { name: 'shop', namespace: INGRESS },
  spec,
});
const GATEWAY = networking('Gateway', {
  selector: { app: 'mesh-ingressgateway' },
  servers: [
    {
      port: { number: 443, name: 'https', protocol: 'HTTPS' },
      hosts: [PUBLIC_HOST],
      tls: { mode: 'SIMPLE', credentialName: 'shop-cert' },
    },
  ],
});
const TO_WEB = networking('VirtualService', {
  hosts: [PUBLIC_HOST],
  gateways: ['shop'],
  http: [{ route: [{ destination: { host: 'web.shop.svc.cluster.local', port: { number: 80 } } }] }],
});
const secretOf = ({ certificate, key }: TestCertificate) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'kubernetes.io/tls',
  metadata: { name: 'shop-cert', namespace: INGRESS },
  stringData: { 'tls.crt': certificate, 'tls.key': key },
});

e2eTest(
  'manifests/gateway rolls out a router that serves the certificate of a Secret, and its renewal without a failed request',
  async (t) => {
    const { cluster, outsider } = contextOf(t.context);
    const authority = createTestAuthority('public');
    const issue = (): TestCertificate => authority.issue({ dnsNames: [PUBLIC_HOST] });
    const first = issue();
    await cluster.kubectl(['apply', '-f', join(MANIFESTS, 'gateway/')]);
    await apply(t, cluster, secretOf(first), GATEWAY, TO_WEB);
    await rolledOut(cluster, INGRESS, 'mesh-ingressgateway');
    const selected = ['--namespace', INGRESS, 'get', 'pods', '-l', 'app=mesh-ingressgateway'];
    const address = await cluster.kubectl([...selected, '-o', 'jsonpath={.items[0].status.podIP}']);
    const serialOf = async (): Promise<string> => {
      const exchange = {
        ...{ address, port: 8443, serverName: PUBLIC_HOST, applicationProtocols: ['http/1.1'] },
        ...{ send: `GET / HTTP/1.1\r\nhost: ${PUBLIC_HOST}\r\nconnection: close\r\n\r\n`, until: 'HTTP/1.1' },
      };
      return (await outsider.call('exchangeTls', exchange)).serialNumber;
    };
    const request = {
      url: `https://${address}:8443/`,
      serverName: PUBLIC_HOST,
      headers: { host: PUBLIC_HOST },
    };
    const isServed = async () => {
      const answer = await outsider.call('requestHttp', request).catch(() => undefined);
      return answer?.body.includes('spiffe://cluster.local/ns/mesh-ingress/sa/mesh-ingressgateway') === true;
    };
    await eventually('the router calls a STRICT service over mutual TLS', isServed, PATIENT);
    t.is(await serialOf(), new X509Certificate(first.certificate).serialNumber);

    await outsider.call('startLoad', { request, newConnections: true });
    const second = issue();
    await apply(t, cluster, secretOf(second));
    const serial = new X509Certificate(second.certificate).serialNumber;
    await eventually('the renewed certificate is presented', async () => (await serialOf()) === serial, PATIENT);
    const { requests, samples } = await outsider.call('stopLoad', null);
    t.deepEqual(samples, []);
    t.true(requests > 0);
    // The pods of other tests need the room.
    await cluster.kubectl(['delete', 'namespace', INGRESS, '--wait=false']);
  },
);

/** Roots rotate every few seconds instead of every few years, and are valid for minutes. */
const HURRY = [
  'CA_SELF_SIGNED_CA_CERT_TTL=5m',
  'CA_SELF_SIGNED_ROOT_CERT_GRACE_PERIOD_PERCENTILE=100',
  'CA_SELF_SIGNED_ROOT_CERT_CHECK_INTERVAL=5s',
  'CA_ENABLE_JITTER_FOR_ROOT_CERT_ROTATOR=false',
  'DEFAULT_WORKLOAD_CERT_TTL=20s',
] as const;

e2eTest(
  'root, serving certificate and workload certificates rotate under load: no request fails, and both webhooks work',
  async (t) => {
    const { cluster, client } = contextOf(t.context);
    const bundle = ['-o', 'jsonpath={.webhooks[0].clientConfig.caBundle}'];
    const bundles = async (): Promise<readonly string[]> => [
      await cluster.kubectl(['get', 'validatingwebhookconfiguration', 'meshd-mesh-system', ...bundle]),
      await cluster.kubectl(['get', 'mutatingwebhookconfiguration', 'mesh-sidecar-injector', ...bundle]),
      await cluster.kubectl([
        ...SHOP,
        'get',
        'configmap',
        'mesh-ca-root-cert',
        '-o',
        'jsonpath={.data.root-cert\\.pem}',
      ]),
    ];
    const serials = async (): Promise<readonly string[]> => {
      const { body } = await client.request('http://127.0.0.1:15000/certs');
      const { certificates } = JSON.parse(body) as {
        certificates: readonly { cert_chain: readonly { serial_number: string }[] }[];
      };
      return certificates.flatMap(({ cert_chain }) => cert_chain.map(({ serial_number }) => serial_number));
    };
    await client.call('startLoad', { request: { url: 'http://web/' } });
    let [before, certificates] = [await bundles(), await serials()];
    await cluster.kubectl([...SYSTEM, 'set', 'env', 'deployment/meshd', ...HURRY]);
    await rolledOut(cluster, 'mesh-system', 'meshd');
    for (const round of ['first', 'second']) {
      await eventually(
        `roots are others everywhere, for the ${round} time`,
        async () => (await bundles()).every((text, index) => text !== '' && text !== before[index]),
        PATIENT,
      );
      await eventually(
        `the client has another certificate, for the ${round} time`,
        async () => (await serials()).every((serial) => !certificates.includes(serial)),
        PATIENT,
      );
      [before, certificates] = [await bundles(), await serials()];
    }
    t.regex(await refusalOf(t, cluster, BAD_REGEX), /denied the request: configuration is invalid/);
    await apply(t, cluster, ...plainWorkload({ name: 'late', namespace: 'shop' }));
    await rolledOut(cluster, 'shop', 'late');
    const late = await agentIn(cluster, 'shop', 'late');
    t.teardown(() => late.stop());
    await eventually(
      'a pod that was injected meanwhile may call a STRICT service',
      async () => (await late.request('http://web/')).body.includes('spiffe://cluster.local/ns/shop/sa/late'),
      PATIENT,
    );
    const report = await client.call('stopLoad', null);
    t.deepEqual(report.samples, []);
    t.is(report.failures, 0);
  },
);

e2eTest(
  'while the webhook is down, schemas reject invalid objects, and no other object is admitted without a review',
  async (t) => {
    const { cluster, client } = contextOf(t.context);
    await cluster.kubectl([...SYSTEM, 'scale', 'deployment/meshd', '--replicas=0']);
    await cluster.kubectl([
      ...SYSTEM,
      'wait',
      '--for=delete',
      'pod',
      '-l',
      'app.kubernetes.io/name=meshd',
      '--timeout=180s',
    ]);
    const refusal = await refusalOf(t, cluster, TWO_AT_ONCE);
    t.regex(refusal, /spec\.rules\[0\]\.match\[0\]/);
    t.notRegex(refusal, /failed calling webhook/);
    t.regex(await refusalOf(t, cluster, BAD_REGEX), /failed calling webhook/);
    t.regex(
      await refusalOf(t, cluster, POD),
      /failed calling webhook/,
      'no pod of a labelled namespace starts without a sidecar',
    );
    t.is((await client.request('http://web/')).status, 200, 'traffic goes on');
  },
);
