import { createHash, X509Certificate } from 'node:crypto';
import anyTest, { type TestFn } from 'ava';
import type { Manifest } from '../counterparts/config-folder.js';
import type { ServiceOptions } from '../counterparts/manifests.js';
import { requireSidecarCounterparts } from '../counterparts/requirement.js';
import { createTestAuthority } from '../support/certificate-issuer.js';
import { eventually } from '../support/eventually.js';
import { countOfClusters } from './envoy-evidence.js';
import { https, LOADED_HOST, loadedRoute, otherServers } from './gateway-changes.js';
import {
  type CertificateFiles,
  createGatewayMesh,
  type GatewayMesh,
  gatewayManifest,
  INGRESS,
  requestOverTls,
  routeToWeb,
  STRANGER,
  statusOverTls,
  virtualServiceManifest,
  WEB,
  WEB_HOST,
} from './gateway-mesh.js';
import {
  askRouter,
  askWorkload,
  grantedOf,
  LIMIT,
  QUOTA_OBJECTS,
  QUOTA_SETTINGS,
  serveQuotaServices,
} from './gateway-quota.js';
import { askFields, CONDITIONS, conditionOf, FIELD_OBJECTS, SPARE_HOST } from './gateway-routes.js';
import { issueFor } from './plugged-in-authority.js';
import { countStatuses } from './policy-mesh.js';
import { endUnharmedLoad, requestsDuring } from './running-load.js';
import { serviceOn, spiffeId } from './secured-mesh.js';

interface Context {
  gateway: GatewayMesh;
}

const { available } = requireSidecarCounterparts();
const test = anyTest as TestFn<Context>;
const e2eTest = available === undefined ? test.skip : test.serial;

const PARTNERS = createTestAuthority('partners');
const PARTNER = PARTNERS.issue({ dnsNames: ['partner.example.com'] });
const RIVAL = PARTNERS.issue({ dnsNames: ['rival.example.com'] });
const FOREIGN = createTestAuthority('foreign').issue({ dnsNames: ['partner.example.com'] });

const spkiHash = (pem: string) =>
  createHash('sha256')
    .update(new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');
const certificateHash = (pem: string) => new X509Certificate(pem).fingerprint256;

const mutual = (name: string, host: string, fields: object) =>
  https(name, 443, [host], { mode: 'MUTUAL', credentialName: 'mutual', ...fields });

const TLS_HOSTS = ['simple', 'mutual', 'spki', 'hash', 'old', 'new', 'mesh', 'files', 'missing'].map(
  (name) => `${name}.example.com`,
);

/** Another service of the web workload. */
const SPARE: ServiceOptions = {
  name: 'spare',
  namespace: 'shop',
  clusterIP: '10.96.0.11',
  ports: [
    { name: 'http', port: 80, targetPort: 8098 },
    { name: 'tcp', port: 9000 },
  ],
};

/** All servers that the tests share; each test names what it changes. */
const serversWith = (files: CertificateFiles) => [
  {
    port: { number: 80, name: 'http', protocol: 'HTTP', targetPort: 8080 },
    hosts: ['shop.example.com', 'shop/own.example.com'],
  },
  {
    port: { number: 81, name: 'redirected', protocol: 'HTTP', targetPort: 8081 },
    hosts: ['simple.example.com'],
    tls: { httpsRedirect: true },
  },
  { port: { number: 82, name: 'elsewhere', protocol: 'HTTP', targetPort: 8082 }, hosts: ['*'], bind: '127.0.0.1' },
  {
    port: { number: 83, name: 'fallback', protocol: 'HTTP', targetPort: 8083 },
    hosts: ['*'],
    defaultEndpoint: '127.0.0.1:9100',
    name: 'own',
  },
  { port: { number: 9000, name: 'tcp', protocol: 'TCP' }, hosts: ['*'] },
  { port: { number: 9001, name: 'tcp-own', protocol: 'TCP' }, hosts: ['*'], defaultEndpoint: '127.0.0.1:9101' },
  https('simple', 443, ['simple.example.com'], { mode: 'SIMPLE', credentialName: 'simple' }),
  mutual('mutual', 'mutual.example.com', { subjectAltNames: ['partner.example.com'] }),
  mutual('spki', 'spki.example.com', { verifyCertificateSpki: [spkiHash(PARTNER.certificate)] }),
  mutual('hash', 'hash.example.com', { verifyCertificateHash: [certificateHash(PARTNER.certificate)] }),
  https('old', 443, ['old.example.com'], {
    mode: 'SIMPLE',
    credentialName: 'simple',
    minProtocolVersion: 'TLSV1_0',
    maxProtocolVersion: 'TLSV1_2',
    cipherSuites: ['ECDHE-ECDSA-AES256-GCM-SHA384'],
  }),
  https('new', 443, ['new.example.com'], { mode: 'SIMPLE', credentialName: 'simple', minProtocolVersion: 'TLSV1_3' }),
  https('mesh', 443, ['mesh.example.com'], { mode: 'MESH_MUTUAL' }),
  https('files', 443, ['files.example.com'], {
    mode: 'MUTUAL',
    ...files,
    minProtocolVersion: 'TLSV1_1',
    maxProtocolVersion: 'TLS_AUTO',
  }),
  https('missing', 443, ['missing.example.com'], { mode: 'SIMPLE', credentialName: 'missing' }),
  {
    port: { number: 443, name: 'pass', protocol: 'TLS', targetPort: 8443 },
    hosts: ['pass.example.com'],
    tls: { mode: 'PASSTHROUGH' },
  },
  { port: { number: 15443, name: 'auto', protocol: 'TLS' }, hosts: ['*.local'], tls: { mode: 'AUTO_PASSTHROUGH' } },
];

const TO_TCP = { route: [{ destination: { host: SPARE_HOST, subset: 'web', port: { number: 9000 } } }] };
const filesWith = (certificates: CertificateFiles): Readonly<Record<string, readonly Manifest[]>> => ({
  'gateways.yaml': [gatewayManifest('edge', serversWith(certificates))],
  'loaded.yaml': loadedRoute(0),
  'spare.yaml': serviceOn(SPARE, WEB),
  'quota.yaml': QUOTA_OBJECTS,
  'fields.yaml': FIELD_OBJECTS,
  'routes.yaml': [
    routeToWeb('web', ['shop.example.com', ...TLS_HOSTS.filter((host) => host !== LOADED_HOST)], 'edge/edge'),
    routeToWeb('own', ['own.example.com'], 'edge/edge'),
    virtualServiceManifest('bytes', {
      hosts: ['*'],
      gateways: ['edge/edge'],
      tcp: [
        // No service, for connections that meet a condition that must not hold here.
        ...[
          { port: 80 },
          { sourceSubnet: '10.9.0.0/16' },
          { destinationSubnets: ['10.9.0.0/16'] },
          { sourceLabels: { app: 'web-1' } },
          { sourceNamespace: 'shop' },
          { gateways: ['mesh'] },
        ].map((match) => ({ match: [match], route: [{ destination: { host: 'nowhere.example.com' } }] })),
        {
          match: [
            {
              port: 9000,
              sourceSubnet: '10.244.0.1/32',
              destinationSubnets: [`${INGRESS.address}/32`],
              sourceLabels: { app: INGRESS.name },
              sourceNamespace: INGRESS.namespace,
              gateways: ['edge/edge'],
            },
          ],
          ...TO_TCP,
        },
      ],
    }),
    virtualServiceManifest('pass', {
      hosts: ['pass.example.com'],
      gateways: ['edge/edge'],
      tls: [
        {
          match: [{ sniHosts: ['pass.example.com'] }],
          route: [{ destination: { host: WEB_HOST, port: { number: 443 } } }],
        },
      ],
    }),
  ],
});

test.before(async (t) => {
  if (available === undefined) return;
  const gateway = await createGatewayMesh(available, PARTNERS.certificate, filesWith, QUOTA_SETTINGS);
  t.context = { gateway };
  const { authority, writeCredential, web, ingress } = gateway;
  const server = authority.issue({ dnsNames: ['pass.example.com'] });
  const tls = { certificate: server.certificate, key: server.key, applicationProtocols: ['http/1.1'] };
  await web.agent.call('serveTls', { name: 'web-tls', port: 8443, ...tls });
  await ingress.agent.call('serveHttp', { name: 'fallback', port: 9100 });
  await ingress.agent.call('serveTcp', { name: 'fallback', port: 9101 });
  await serveQuotaServices(gateway);
  await web.agent.call('serveHttp', { name: 'spare', port: 8098 });
  await writeCredential('simple', authority.issue({ dnsNames: ['simple.example.com'] }));
  await writeCredential('mutual', authority.issue({ dnsNames: ['mutual.example.com'] }), PARTNERS.certificate);
  await eventually('MUTUAL is served', async () => {
    return (await statusOverTls(gateway, 8443, 'mutual.example.com', PARTNER)) === 200;
  });
  await eventually('HTTPS is served', async () => (await statusOverTls(gateway, 8443, 'simple.example.com')) === 200);
  await eventually('HTTP is served', async () => (await plain(gateway, 8080, 'shop.example.com')).status === 200);
});

test.afterEach.always('no proxy refused anything', async (t) => {
  await t.context.gateway?.secured.mesh.assertNothingRejected();
});

test.after.always(async (t) => {
  await t.context.gateway?.close();
});

function plain({ secured }: GatewayMesh, port: number, host: string, headers: Readonly<Record<string, string>> = {}) {
  return secured.mesh.rig.routerAgent.request(`http://${INGRESS.address}:${port}/`, { headers: { ...headers, host } });
}

/** Writes objects, waits until the condition holds, and removes them after the checks. */
async function withObjects(
  { secured }: GatewayMesh,
  objects: readonly Manifest[],
  isInForce: () => Promise<boolean>,
  check: () => Promise<void>,
): Promise<void> {
  const { configFolder: folder } = secured.mesh.discovery;
  await folder.write('own.yaml', objects);
  try {
    await eventually('the objects are in force', isInForce);
    await check();
  } finally {
    await folder.remove('own.yaml');
  }
}

e2eTest('a plaintext server takes the hosts that virtual services bind to it, and answers 404 to others', async (t) => {
  const { gateway } = t.context;
  const { status, body } = await plain(gateway, 8080, 'shop.example.com');
  t.is(status, 200);
  t.is(JSON.parse(body).name, 'web');
  t.is((await plain(gateway, 8080, 'shop.example.com:8080')).status, 200);
  t.is((await plain(gateway, 8080, 'other.example.com')).status, 404);
});

e2eTest('a host with a namespace takes virtual services of that namespace only', async (t) => {
  const { gateway } = t.context;
  t.is((await plain(gateway, 8080, 'own.example.com')).status, 200);
  const foreign = [
    gatewayManifest('foreign', [
      {
        port: { number: 80, name: 'http', protocol: 'HTTP', targetPort: 8080 },
        hosts: ['shop/a.example.com', './b.example.com', 'c.example.com'],
      },
    ]),
    routeToWeb('foreign', ['a.example.com', 'b.example.com', 'c.example.com'], 'edge/foreign', 'team-a'),
  ];
  const isServed = async (host: string) => (await plain(gateway, 8080, host)).status === 200;
  await withObjects(
    gateway,
    foreign,
    () => isServed('c.example.com'),
    async () => {
      t.false(await isServed('a.example.com'));
      t.false(await isServed('b.example.com'));
      // Several Gateways share the port.
      t.true(await isServed('shop.example.com'));
    },
  );
  await eventually('the second Gateway is gone', async () => !(await isServed('c.example.com')));
  t.true(await isServed('shop.example.com'));
});

e2eTest('httpsRedirect answers 301 with the https URL', async (t) => {
  const { status, headers } = await plain(t.context.gateway, 8081, 'simple.example.com');
  t.deepEqual([status, headers['location']], [301, 'https://simple.example.com/']);
});

e2eTest('a server listens at its address and target port', async (t) => {
  const { gateway } = t.context;
  const { status } = await gateway.ingress.agent.request('http://127.0.0.1:8082/');
  t.is(status, 404);
  await t.throwsAsync(plain(gateway, 8082, 'any.example.com'), { message: /ECONNREFUSED/ });
});

e2eTest('what no virtual service routes goes to the default endpoint', async (t) => {
  const { status, body } = await plain(t.context.gateway, 8083, 'any.example.com');
  t.is(status, 200);
  t.is(JSON.parse(body).name, 'fallback');
  const exchange = { address: INGRESS.address, port: 9001, send: 'a message', until: 'a message' };
  t.is(await t.context.gateway.secured.mesh.rig.routerAgent.call('exchangeTcp', exchange), 'fallback: a message');
});

e2eTest('bytes reach the destination of the TCP route, a subset of a service', async (t) => {
  const { routerAgent } = t.context.gateway.secured.mesh.rig;
  const exchange = { address: INGRESS.address, port: 9000, send: 'a message', until: 'a message' };
  t.is(await routerAgent.call('exchangeTcp', exchange), 'web: a message');
});

for (const [index, [name, { holds, fails }]] of Object.entries(CONDITIONS).entries()) {
  e2eTest(`a route of a gateway applies by ${name}`, async (t) => {
    const { gateway } = t.context;
    if (holds !== undefined) t.is(await conditionOf(gateway, index, holds), `${index}`);
    if (fails !== undefined) t.is(await conditionOf(gateway, index, fails), undefined);
  });
}

e2eTest('a route of a gateway redirects, rewrites, delegates, and takes a subset', async (t) => {
  const { gateway } = t.context;
  const moved = await askFields(gateway, '/redirected');
  t.deepEqual([moved.status, moved.headers['location']], [302, 'http://new.example.com/new']);
  const { path, headers } = JSON.parse((await askFields(gateway, '/rewritten')).body);
  t.deepEqual([path, headers.host], ['/inner', 'inner.example.com']);
  t.is(JSON.parse((await askFields(gateway, '/team/next')).body).name, 'spare');
  t.is((await askFields(gateway, '/team/other')).status, 404);
  t.is(JSON.parse((await askFields(gateway, '/subset')).body).name, 'spare');
  t.is((await askFields(gateway, '/no-subset')).status, 503);
});

e2eTest('a route of a gateway has a timeout, retries, faults and a mirror', async (t) => {
  const { gateway } = t.context;
  const arrivals = (host: string) =>
    countOfClusters(gateway.ingress.envoy, `outbound|80||${host}`, 'upstream_rq_total');
  t.is((await askFields(gateway, '/timeout', { headers: { 'x-echo-hold': '1' } })).status, 504);
  const before = await arrivals(WEB_HOST);
  t.is((await askFields(gateway, '/retried', { headers: { 'x-echo-status': '418' } })).status, 418);
  t.is((await arrivals(WEB_HOST)) - before, 3);
  const startMs = performance.now();
  t.is((await askFields(gateway, '/delayed')).status, 200);
  t.true(performance.now() - startMs >= 290);
  t.is((await askFields(gateway, '/aborted')).status, 451);
  const mirrored = await arrivals(SPARE_HOST);
  t.is(JSON.parse((await askFields(gateway, '/mirrored')).body).name, 'web');
  await eventually('the copy arrives', async () => (await arrivals(SPARE_HOST)) === mirrored + 1);
});

e2eTest('a route of a gateway changes headers, and answers preflights', async (t) => {
  const { gateway } = t.context;
  const answer = await askFields(gateway, '/headers', { headers: { 'x-set': 'a', 'x-add': 'a', 'x-secret': '1' } });
  t.like(JSON.parse(answer.body).headers, { 'x-set': 'route', 'x-add': 'a, route', 'x-destination': 'web' });
  t.is(JSON.parse(answer.body).headers['x-secret'], undefined);
  t.is(answer.headers['x-answer'], 'route');
  t.is(answer.headers['content-type'], undefined);
  const origin = 'https://shop.example.com';
  const preflight = { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'PUT' } };
  t.like((await askFields(gateway, '/cors', preflight)).headers, {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET,PUT',
    'access-control-allow-headers': 'x-user',
    'access-control-max-age': '600',
    'access-control-allow-credentials': 'true',
  });
  const actual = await askFields(gateway, '/cors', { headers: { origin } });
  t.is(actual.headers['access-control-expose-headers'], 'x-trace');
});

e2eTest('SIMPLE presents the certificate of the secret, and drops forged client certificates', async (t) => {
  const { gateway } = t.context;
  const forged = { headers: 'x-forwarded-client-cert: By=forged\r\n', until: '"body"' };
  const answer = await requestOverTls(gateway, 8443, 'simple.example.com', forged);
  t.is(answer.serverNames, 'DNS:simple.example.com');
  t.is(answer.version, 'TLSv1.3');
  t.false(answer.received.includes('forged'));
  const h2 = await requestOverTls(gateway, 8443, 'simple.example.com', {
    applicationProtocols: ['h2'],
    send: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0',
    until: '\0',
  });
  t.is(h2.applicationProtocol, 'h2');
});

e2eTest('MUTUAL accepts clients that the root certificates, names and hashes allow', async (t) => {
  const { gateway } = t.context;
  const status = (host: string, { certificate, key }: typeof PARTNER) =>
    statusOverTls(gateway, 8443, host, { certificate, key });
  for (const host of ['mutual.example.com', 'spki.example.com', 'hash.example.com']) {
    t.is(await statusOverTls(gateway, 8443, host), undefined, host);
    t.is(await status(host, PARTNER), 200, host);
    t.is(await status(host, RIVAL), undefined, host);
    t.is(await status(host, FOREIGN), undefined, host);
  }
});

e2eTest('files beside the router have certificate, key and roots', async (t) => {
  const { gateway } = t.context;
  t.is((await requestOverTls(gateway, 8443, 'files.example.com', PARTNER)).serverNames, 'DNS:files.example.com');
  t.is(await statusOverTls(gateway, 8443, 'files.example.com'), undefined);
  t.is(await statusOverTls(gateway, 8443, 'files.example.com', FOREIGN), undefined);
});

e2eTest('protocol versions and cipher suites are those of the server', async (t) => {
  const { gateway } = t.context;
  const old = await requestOverTls(gateway, 8443, 'old.example.com');
  t.deepEqual([old.version, old.cipher], ['TLSv1.2', 'ECDHE-ECDSA-AES256-GCM-SHA384']);
  const others = { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' } as const;
  t.is(await statusOverTls(gateway, 8443, 'old.example.com', others), undefined);
  const oldest = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  t.is(await statusOverTls(gateway, 8443, 'simple.example.com', oldest), undefined);
  t.is(await statusOverTls(gateway, 8443, 'new.example.com', { maxVersion: 'TLSv1.2' }), undefined);
  t.is((await requestOverTls(gateway, 8443, 'new.example.com')).version, 'TLSv1.3');
});

e2eTest('MESH_MUTUAL uses the certificate of the mesh and accepts only those of the mesh', async (t) => {
  const { gateway } = t.context;
  const client = await issueFor(gateway.secured.root, 'spiffe://cluster.local/ns/team-a/sa/client');
  t.is(await statusOverTls(gateway, 8443, 'mesh.example.com', client), 200);
  t.is(await statusOverTls(gateway, 8443, 'mesh.example.com', PARTNER), undefined);
  const { serverNames } = await requestOverTls(gateway, 8443, 'mesh.example.com', client);
  t.is(serverNames, `URI:${spiffeId(INGRESS)}`);
});

e2eTest('PASSTHROUGH forwards encrypted bytes by server name', async (t) => {
  const { gateway } = t.context;
  const answer = await requestOverTls(gateway, 8443, 'pass.example.com', { send: 'hello', until: 'hello' });
  t.deepEqual([answer.received, answer.serverNames], ['web-tls: hello', 'DNS:pass.example.com']);
  await t.throwsAsync(requestOverTls(gateway, 8443, 'unknown.example.com'));
});

e2eTest(
  'AUTO_PASSTHROUGH forwards mutual TLS of the mesh to the service of its server name, and to no other cluster',
  async (t) => {
    const { gateway } = t.context;
    const client = await issueFor(gateway.secured.root, 'spiffe://cluster.local/ns/team-a/sa/client');
    const sni = `outbound_.80_._.${WEB_HOST}`;
    const meshClient = { ...client, host: WEB_HOST, applicationProtocols: ['mesh-http', 'mesh'] };
    t.is(await statusOverTls(gateway, 15443, sni, meshClient), 200);
    const { serverNames } = await requestOverTls(gateway, 15443, sni, meshClient);
    t.is(serverNames, 'URI:spiffe://cluster.local/ns/shop/sa/web');
    for (const other of [`outbound_.80_._.gone.shop.svc.cluster.local`, WEB_HOST]) {
      t.is(await statusOverTls(gateway, 15443, other, meshClient), undefined, other);
    }
  },
);

e2eTest(
  'a server without its secret closes connections, is named in the log, and works once the secret is there',
  async (t) => {
    const { gateway } = t.context;
    t.is(await statusOverTls(gateway, 8443, 'missing.example.com'), undefined);
    const { discovery } = gateway.secured.mesh;
    t.true(
      discovery
        .logLines()
        .some((line) => line.includes('gateway credential cannot be used') && line.includes('missing')),
    );
    const isTold = async () =>
      (await discovery.get('/debug/config_problems')).includes('the secret missing of namespace edge cannot be used');
    await eventually('analysis names it', isTold);
    const { certificate, key } = gateway.authority.issue({ dnsNames: ['missing.example.com'] });
    await gateway.writeCredential('missing', { certificate, key: PARTNER.key });
    await gateway.writeCredential('missing', { certificate, key });
    await eventually('the secret is served', async () => {
      return (await statusOverTls(gateway, 8443, 'missing.example.com')) === 200;
    });
    await eventually('the message is gone', async () => !(await isTold()));
    t.false(discovery.logLines().some((line) => line.includes('PRIVATE KEY') || line.includes(key.slice(60, 90))));
    t.false((await discovery.get('/debug/configz')).includes('PRIVATE KEY'));
  },
);

e2eTest('a router of another namespace gets no secret of this one', async (t) => {
  const { gateway } = t.context;
  const { routerAgent } = gateway.secured.mesh.rig;
  // It has the same labels, so the Gateway selects it: its plaintext servers work.
  await eventually('the other router serves HTTP', async () => {
    const url = `http://${STRANGER.address}:8080/`;
    return (await routerAgent.request(url, { headers: { host: 'shop.example.com' } })).status === 200;
  });
  t.is(await statusOverTls(gateway, 8443, 'simple.example.com', { address: STRANGER.address }), undefined);
  const secrets = await gateway.stranger.envoy.admin('/certs');
  t.false(secrets.includes('simple.example.com'));
});

/** How long the gateway changes; 60 shows that a minute of it fails no request. */
const CHANGING_SECONDS = Number(process.env['ROUTING_SECONDS'] ?? 1);
const CONCURRENCY = 2;

e2eTest('certificates, servers and routes of a gateway change under load without a failed request', async (t) => {
  const { gateway } = t.context;
  const { configFolder: folder } = gateway.secured.mesh.discovery;
  const { routerAgent } = gateway.secured.mesh.rig;
  const keeping = gateway.web.agent;
  const url = `https://${INGRESS.address}:8443/`;
  const request = { url, serverName: LOADED_HOST, headers: { host: LOADED_HOST } };
  await routerAgent.call('startLoad', { request, concurrency: CONCURRENCY, newConnections: true });
  await keeping.call('startLoad', { request, concurrency: CONCURRENCY });
  const endsAt = performance.now() + CHANGING_SECONDS * 1000;
  const change = async (round: number): Promise<void> => {
    const renewed = gateway.authority.issue({ dnsNames: [LOADED_HOST] });
    await gateway.writeCredential('simple', renewed);
    await folder.write('loaded.yaml', loadedRoute(round));
    await folder.write('other.yaml', otherServers(round));
    const serial = new X509Certificate(renewed.certificate).serialNumber;
    await eventually(`round ${round} is in force`, async () => {
      const { serialNumber, received } = await requestOverTls(gateway, 8443, LOADED_HOST);
      return serialNumber === serial && received.includes(`x-round: ${round}\r\n`);
    });
    const other = `other-${round - (round % 2 === 0 ? 1 : 0)}.example.com`;
    await eventually('the other server is there in every second round', async () => {
      const isThere = (await plain(gateway, 8080, other)).status === 200;
      return isThere === (round % 2 === 1) && ((await statusOverTls(gateway, 8443, other)) === 200) === isThere;
    });
  };
  const agents = [routerAgent, keeping];
  // Without those that may have been in flight before the change.
  const during = agents.map(() => 0);
  for (let round = 1; round <= 4 || performance.now() < endsAt; round++) {
    const ended = await requestsDuring(agents, () => change(round));
    for (const [index, count] of ended.entries()) during[index] = (during[index] ?? 0) + count - CONCURRENCY;
  }
  await folder.remove('other.yaml').catch(() => undefined);
  for (const agent of agents) await endUnharmedLoad(t, agent);
  t.true(
    during.every((count) => count > 0),
    `${during} requests during the changes`,
  );
});

const ADMITTED = { 200: LIMIT, 429: 5 };

e2eTest(
  'a quota of a service charges each request through a router once, with the address of the client',
  async (t) => {
    const { gateway } = t.context;
    t.deepEqual(countStatuses(await askRouter(gateway, 'guarded', LIMIT + 5)), ADMITTED);
    const other = await askRouter(gateway, 'guarded', LIMIT + 5, { agent: gateway.web.agent });
    t.deepEqual(countStatuses(other), ADMITTED, 'another client has its own counter, also behind the sidecar');
    t.is(await grantedOf(gateway, 'guarded'), 2 * LIMIT);
  },
);

e2eTest('a quota holds at the router for services whose workloads have no proxy, or only some have one', async (t) => {
  const { gateway } = t.context;
  t.deepEqual(countStatuses(await askRouter(gateway, 'bare', LIMIT + 5)), ADMITTED);
  t.deepEqual(countStatuses(await askRouter(gateway, 'mixed', LIMIT + 5)), ADMITTED);
  t.is(await grantedOf(gateway, 'mixed'), LIMIT);
});

e2eTest('each weighted destination of a route charges its own quota, exactly', async (t) => {
  const { gateway } = t.context;
  const answers = await askRouter(gateway, 'split', 60);
  t.deepEqual(countStatuses(answers), { 200: 60 });
  const reached = (name: string) => answers.filter(({ headers }) => headers['x-served-by'] === name).length;
  t.is(await grantedOf(gateway, 'left'), reached('left'));
  t.is(await grantedOf(gateway, 'right'), reached('right'));
  t.true(reached('left') > 0 && reached('right') > 0, `${reached('left')} of 60`);
});

e2eTest('a router of an untrusted namespace, and invented receipts, spare no charge', async (t) => {
  const { gateway } = t.context;
  const receipt = { 'x-mesh-charge-receipt': 'A'.repeat(43) };
  const half = LIMIT / 2;
  const stranger = await askRouter(gateway, 'direct', half, { address: STRANGER.address, headers: receipt });
  t.deepEqual(countStatuses(stranger), { 200: half });
  t.is(await grantedOf(gateway, 'direct'), half, 'the sidecar charges what the router does not');
  t.deepEqual(countStatuses(await askWorkload(gateway, 'direct', half + 5, receipt)), { 200: half, 429: 5 });
  t.deepEqual(countStatuses(await askRouter(gateway, 'direct', 5, { headers: receipt })), { 429: 5 });
});

e2eTest('no application behind a sidecar sees a receipt', async (t) => {
  const { gateway } = t.context;
  const headers = { 'x-mesh-charge-receipt': 'A'.repeat(43) };
  for (let sent = 0; sent < 20; sent++) {
    const [answer] = await askRouter(gateway, 'split', 1, { headers });
    if (answer?.headers['x-served-by'] !== 'left') continue;
    t.is(JSON.parse(answer.body).headers['x-mesh-charge-receipt'], undefined);
  }
});

e2eTest('without its Gateway a router closes its ports', async (t) => {
  const { gateway } = t.context;
  const extra = gatewayManifest('extra', [
    { port: { number: 84, name: 'extra', protocol: 'HTTP', targetPort: 8084 }, hosts: ['*'] },
  ]);
  const isOpen = () =>
    plain(gateway, 8084, 'any').then(
      () => true,
      () => false,
    );
  await withObjects(gateway, [extra], isOpen, async () => {
    t.pass();
  });
  await eventually('the port is closed', async () => !(await isOpen()));
});
