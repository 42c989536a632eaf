import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import type { Manifest } from '../counterparts/config-folder.js';
import { endpointsManifest, type ServiceOptions, serviceManifest } from '../counterparts/manifests.js';
import { createMeshRig, type MeshRig, type Sidecar } from '../counterparts/mesh-rig.js';
import { requireSidecarCounterparts } from '../counterparts/requirement.js';
import { eventually } from '../support/eventually.js';

interface Context {
  mesh: MeshRig;
  client: Sidecar;
  server: Sidecar;
  /** For unix sockets: the processes of all namespaces see the files of the host. */
  folder: string;
}

const { available } = requireSidecarCounterparts();
const test = anyTest as TestFn<Context>;
const e2eTest = available === undefined ? test.skip : test.serial;

const SERVER_ADDRESS = '10.244.0.6';
const UNKNOWN_ADDRESS = '10.244.9.12';
const OUT_ADDRESS = '10.244.9.13';

const WEB: ServiceOptions = {
  name: 'web',
  namespace: 'shop',
  clusterIP: '10.96.0.10',
  ports: [{ name: 'http', port: 80, targetPort: 8080 }],
};
const DB: ServiceOptions = {
  name: 'db',
  namespace: 'shop',
  clusterIP: '10.96.0.11',
  ports: [{ name: 'tcp', port: 5432, targetPort: 9000 }],
};
const BANK: ServiceOptions = {
  name: 'bank',
  namespace: 'bank',
  clusterIP: '10.96.0.12',
  ports: [{ name: 'http', port: 80, targetPort: 8081 }],
};
const OUT: ServiceOptions = {
  name: 'out',
  namespace: 'mesh-system',
  clusterIP: '10.96.0.13',
  ports: [{ name: 'tcp', port: 3128 }],
};

const FILES: Readonly<Record<string, readonly Manifest[]>> = {
  'services.yaml': [WEB, DB, BANK].flatMap((service) => [
    serviceManifest(service),
    endpointsManifest(service, [SERVER_ADDRESS]),
  ]),
  'out.yaml': [serviceManifest(OUT), endpointsManifest(OUT, [OUT_ADDRESS])],
};

function sidecarManifest(namespace: string, spec: object, name = 'scope'): Manifest {
  const apiVersion = 'networking.mesh.internal/v1beta1';
  return { apiVersion, kind: 'Sidecar', metadata: { name, namespace }, spec };
}

test.before(async (t) => {
  if (available === undefined) return;
  const folder = await mkdtemp(join(tmpdir(), 'sidecar-'));
  // Envoy has another user.
  await chmod(folder, 0o777);
  const mesh = await createMeshRig(available, {
    files: FILES,
    meshConfig: 'outboundTrafficPolicy: {mode: REGISTRY_ONLY}\n',
  });
  Object.assign(t.context, { mesh, folder });
  const { network, routerAgent } = mesh.rig;
  for (const address of [UNKNOWN_ADDRESS, OUT_ADDRESS]) await network.addRouterAddress(address);
  await routerAgent.call('serveHttp', { name: 'unknown', port: 80, address: UNKNOWN_ADDRESS });
  await routerAgent.call('serveHttp', { name: 'out', port: 3128, address: OUT_ADDRESS });
  const server = await mesh.addSidecar({
    name: 'web-1',
    namespace: 'shop',
    address: SERVER_ADDRESS,
    labels: { app: 'web' },
  });
  await server.agent.call('serveHttp', { name: 'web', port: 8080 });
  await server.agent.call('serveHttp', { name: 'bank', port: 8081 });
  await server.agent.call('serveTcp', { name: 'db', port: 9000 });
  await server.agent.call('serveHttp', { name: 'other', port: 9080 });
  const client = await mesh.addSidecar({
    name: 'client-1',
    namespace: 'team-a',
    address: '10.244.0.5',
    labels: { app: 'client' },
  });
  await Promise.all([server.envoy.ready(), client.envoy.ready()]);
  t.context = { mesh, client, server, folder };
});

test.afterEach.always('no sidecar refused anything', async (t) => {
  await t.context.mesh?.assertNothingRejected();
});

test.after.always(async (t) => {
  await t.context.mesh?.close();
  if (t.context.folder !== undefined) await rm(t.context.folder, { recursive: true });
});

/** The name of the application that answers a request of the client, or the status of a refusal. */
async function answerTo({ client }: Context, address: string, host: string): Promise<string> {
  const { status, body } = await client.agent.request(`http://${address}/`, { headers: { host } });
  return status === 200 ? (JSON.parse(body) as { readonly name: string }).name : String(status);
}

const toWeb = (context: Context) => answerTo(context, WEB.clusterIP, 'web.shop');
const toBank = (context: Context) => answerTo(context, BANK.clusterIP, 'bank.bank');
const toUnknown = (context: Context) => answerTo(context, UNKNOWN_ADDRESS, 'unknown.example.com');

const throughTcp = ({ client }: Context, address: string, port: number) =>
  client.agent.call('exchangeTcp', { address, port, send: 'ping', until: 'ping' });

/** Applies Sidecars, waits for their effect, runs the checks, and waits until everything is as before. */
async function withSidecars(
  context: Context,
  sidecars: readonly Manifest[],
  isInForce: () => Promise<boolean>,
  check: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  const { configFolder } = context.mesh.discovery;
  await configFolder.write('own.yaml', sidecars);
  try {
    await eventually('the Sidecars are in force', isInForce);
    await check();
  } finally {
    await configFolder.remove('own.yaml');
    await eventually('the Sidecars are gone', async () => {
      const answers = [await toWeb(context), await toBank(context), await toUnknown(context)];
      return answers.join() === 'web,bank,502';
    });
  }
}

e2eTest('a sidecar reaches only the services that its egress hosts name', async (t) => {
  await eventually('all services are reached', async () => (await toBank(t.context)) === 'bank');
  t.is(await toWeb(t.context), 'web');
  const scope = sidecarManifest('team-a', { egress: [{ hosts: ['shop/*'] }] });
  await withSidecars(
    t.context,
    [scope],
    async () => (await toBank(t.context)) === '502',
    async () => {
      t.is(await toWeb(t.context), 'web');
      t.is(await throughTcp(t.context, DB.clusterIP, 5432), 'db: ping');
      // Clusters leave after their routes.
      await eventually('the sidecar does not even have the cluster', async () => {
        return !(await t.context.client.envoy.admin('/clusters')).includes('bank.bank.svc.cluster.local');
      });
    },
  );
});

e2eTest('the root namespace has the default, a namespace its own, and a selector goes before both', async (t) => {
  const bankOnly = { egress: [{ hosts: ['bank/*'] }] };
  const webOnly = { egress: [{ hosts: ['*/web.shop.svc.cluster.local'] }] };
  const none = { workloadSelector: { labels: { app: 'other' } }, egress: [{ hosts: ['~/*'] }] };
  const own = { workloadSelector: { labels: { app: 'client' } }, egress: [{ hosts: ['bank/*', 'shop/*'] }] };
  const reached = async () => `${await toWeb(t.context)},${await toBank(t.context)}`;
  const steps: readonly (readonly [readonly Manifest[], string])[] = [
    [[sidecarManifest('mesh-system', bankOnly)], '502,bank'],
    [[sidecarManifest('mesh-system', bankOnly), sidecarManifest('team-a', webOnly)], 'web,502'],
    [[sidecarManifest('team-a', webOnly), sidecarManifest('team-a', none, 'of-others')], 'web,502'],
  ];
  for (const [sidecars, expected] of steps) {
    await withSidecars(
      t.context,
      sidecars,
      async () => (await reached()) === expected,
      async () => t.is(await reached(), expected),
    );
  }
  const all = [sidecarManifest('team-a', webOnly), sidecarManifest('team-a', own, 'selecting')];
  await t.context.mesh.discovery.configFolder.write('own.yaml', [sidecarManifest('team-a', webOnly)]);
  await eventually('the Sidecar of the namespace applies', async () => (await reached()) === 'web,502');
  await withSidecars(t.context, all, async () => (await reached()) === 'web,bank');
});

e2eTest('the outbound policy of a Sidecar replaces that of the mesh', async (t) => {
  t.is(await toUnknown(t.context), '502', 'the mesh rejects unknown hosts');
  const withPolicy = (mode: string) =>
    sidecarManifest('team-a', { egress: [{ hosts: ['shop/*'] }], outboundTrafficPolicy: { mode } });
  await withSidecars(
    t.context,
    [withPolicy('ALLOW_ANY')],
    async () => (await toUnknown(t.context)) === 'unknown',
    async () => {
      await t.context.mesh.discovery.configFolder.write('own.yaml', [withPolicy('REGISTRY_ONLY')]);
      await eventually('unknown hosts are rejected again', async () => (await toUnknown(t.context)) === '502');
    },
  );
});

e2eTest('requests and connections to unknown hosts go to the egress proxy', async (t) => {
  const egressProxy = { host: 'out.mesh-system.svc.cluster.local', port: { number: 3128 } };
  const scope = sidecarManifest('team-a', {
    egress: [{ hosts: ['shop/*', 'bank/*'] }],
    outboundTrafficPolicy: { mode: 'ALLOW_ANY', egressProxy },
  });
  await withSidecars(
    t.context,
    [scope],
    async () => (await toUnknown(t.context)) === 'out',
    async () => {
      // The listener of all other ports changes by itself.
      await eventually('requests to other ports go there too', async () => {
        return (await answerTo(t.context, `${UNKNOWN_ADDRESS}:7777`, 'unknown.example.com')) === 'out';
      });
      t.is(await toWeb(t.context), 'web');
    },
  );
});

e2eTest('a listener with port and address serves its hosts there, bound with capture mode NONE', async (t) => {
  const port = { number: 9500, protocol: 'HTTP', name: 'http' };
  const listener = { port, bind: '127.0.0.1', captureMode: 'NONE', hosts: ['bank/*'] };
  const scope = sidecarManifest('team-a', { egress: [listener, { hosts: ['shop/*'] }] });
  const atPort = (host: string) => answerTo(t.context, '127.0.0.1:9500', host);
  await withSidecars(
    t.context,
    [scope],
    async () => (await atPort('bank.bank')) === 'bank',
    async () => {
      t.is(await atPort('bank.bank:9500'), 'bank', 'a port of the service is not needed');
      t.is(await atPort('web.shop'), '502', 'other hosts are not at this port');
      await eventually('its hosts are not at other ports', async () => (await toBank(t.context)) === '502');
      t.is(await toWeb(t.context), 'web');
    },
  );
});

e2eTest('a listener with a port takes redirected connections to its services', async (t) => {
  const listenerWith = (captureMode: string) => {
    const port = { number: 7000, protocol: 'TCP', name: 'tcp' };
    const listener = { port, captureMode, hosts: ['shop/db.shop.svc.cluster.local'] };
    return sidecarManifest('team-a', { egress: [listener, { hosts: ['shop/*', 'bank/*'] }] });
  };
  const redirected = () => throughTcp(t.context, DB.clusterIP, 7000);
  const bound = () => throughTcp(t.context, '127.0.0.1', 7000);
  for (const captureMode of ['IPTABLES', 'DEFAULT']) {
    await withSidecars(
      t.context,
      [listenerWith(captureMode)],
      async () => (await redirected()) === 'db: ping',
      async () => {
        await t.throwsAsync(bound, undefined, 'it binds no port');
      },
    );
  }
  await withSidecars(
    t.context,
    [listenerWith('NONE')],
    async () => (await bound()) === 'db: ping',
    async () => {
      await t.throwsAsync(redirected, undefined, 'it takes no redirected connections');
    },
  );
});

e2eTest('a listener at a unix socket serves its hosts', async (t) => {
  const path = join(t.context.folder, 'egress.sock');
  const port = { number: 0, protocol: 'HTTP', name: 'http' };
  const scope = sidecarManifest('team-a', {
    egress: [{ port, bind: `unix://${path}`, hosts: ['bank/*'] }, { hosts: ['shop/*'] }],
  });
  const answer = () => answerAtSocket(path, 'bank.bank');
  await withSidecars(
    t.context,
    [scope],
    async () => (await answer()) === 'bank',
    async () => t.is(await answer(), 'bank'),
  );
});

async function answerAtSocket(socketPath: string, host: string): Promise<string> {
  const request = httpRequest({ socketPath, path: '/', headers: { host } });
  request.end();
  const [response] = await once(request, 'response');
  let body = '';
  for await (const chunk of response) body += chunk;
  return (JSON.parse(body) as { readonly name: string }).name;
}

const EVERYTHING = { egress: [{ hosts: ['*/*'] }] };

e2eTest('an ingress listener sends the requests to a port to its default endpoint', async (t) => {
  const port = { number: 8080, protocol: 'HTTP', name: 'http' };
  const ingress = (defaultEndpoint: string) => [{ port, captureMode: 'IPTABLES', defaultEndpoint }];
  const scope = (defaultEndpoint: string) =>
    sidecarManifest('shop', {
      workloadSelector: { labels: { app: 'web' } },
      ingress: ingress(defaultEndpoint),
      ...EVERYTHING,
    });
  const path = join(t.context.folder, 'app.sock');
  const app = createServer((_, response) => response.end(JSON.stringify({ name: 'at a socket' }))).listen({
    path,
    writableAll: true,
  });
  await once(app, 'listening');
  try {
    await withSidecars(
      t.context,
      [scope('127.0.0.1:9080')],
      async () => (await toWeb(t.context)) === 'other',
      async () => {
        t.is(await toBank(t.context), 'bank', 'ports that it does not name pass through');
        const { configFolder } = t.context.mesh.discovery;
        await configFolder.write('own.yaml', [scope(':8081')]);
        await eventually('requests go to port 8081', async () => (await toWeb(t.context)) === 'bank');
        await configFolder.write('own.yaml', [scope(`unix://${path}`)]);
        await eventually('requests go to the socket', async () => (await toWeb(t.context)) === 'at a socket');
      },
    );
  } finally {
    app.close();
  }
});

e2eTest(
  'an ingress listener with capture mode NONE binds its port, at the workload or at its own address',
  async (t) => {
    const port = (number: number) => ({ number, protocol: 'HTTP', name: `http-${number}` });
    const scope = sidecarManifest('shop', {
      ingress: [
        { port: port(9600), captureMode: 'NONE', defaultEndpoint: ':9080' },
        { port: port(9601), captureMode: 'DEFAULT', bind: '127.0.0.1', defaultEndpoint: '127.0.0.1:8081' },
      ],
      ...EVERYTHING,
    });
    const { server } = t.context;
    const locally = async (address: string) => (await server.agent.requestEcho(`http://${address}/`)).name;
    await withSidecars(
      t.context,
      [scope],
      async () => (await locally('127.0.0.1:9601')) === 'bank',
      async () => {
        await eventually('the other one is bound', async () => (await locally(`${SERVER_ADDRESS}:9600`)) === 'other');
        await t.throwsAsync(
          () => locally('127.0.0.1:9600'),
          undefined,
          'it is bound to the address of the workload alone',
        );
      },
    );
  },
);
