import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { status } from '@grpc/grpc-js';
import anyTest, { type TestFn } from 'ava';
import { createCleanup } from '../bootstrap/support/cleanup.js';
import { type RunningServer, startServer } from '../bootstrap/support/running-server.js';
import { findFreePort } from '../counterparts/free-ports.js';
import { type GrpcBackend, startGrpcBackend } from '../counterparts/grpc/backend.js';
import {
  type CallOptions,
  findGrpcProgram,
  GRPC_LANGUAGES,
  type GrpcClient,
  type GrpcLanguage,
  type Reply,
  startGrpcClient,
} from '../counterparts/grpc/grpc-client.js';
import { eventually } from '../support/eventually.js';
import {
  acknowledgedBy,
  bootstrapOf,
  destinationRule,
  entry,
  fileText,
  kubernetesService,
  nodeOf,
  PORT,
  ROUND_ROBIN,
  securedServer,
  virtualService,
  writeCertificate,
} from './proxyless-grpc-mesh.js';

interface Context {
  readonly server: RunningServer;
  /** `one`, `two` and `three`. */
  readonly backends: readonly [GrpcBackend, GrpcBackend, GrpcBackend];
  readonly clients: Map<GrpcLanguage, GrpcClient>;
}

const test = anyTest as TestFn<Context>;
const cleanup = createCleanup();

const to = (host: string) => `xds:///${host}:${PORT}`;
const namesOf = (replies: readonly Reply[]) => [...new Set(replies.map(({ server }) => server))].sort();
const codesOf = (replies: readonly Reply[]) => [...new Set(replies.map(({ code }) => code))];
const toHost = (host: string, subset?: string) => ({
  destination: { host, port: { number: PORT }, ...(subset === undefined ? {} : { subset }) },
});

/** The services of rows that do not change them. */
function services([one, two, three]: Context['backends']): string {
  const split = 'split.example.com';
  const [b1, b2, b3] = [{ backend: one }, { backend: two }, { backend: three }];
  return fileText([
    ...kubernetesService('echo', one),
    entry('robin.example.com', [b1, b2, b3]),
    destinationRule('robin.example.com', ROUND_ROBIN),
    entry('one.example.com', [b1]),
    entry('two.example.com', [b2]),
    entry(split, [
      { ...b1, labels: { version: 'v1' } },
      { ...b2, labels: { version: 'v2' } },
    ]),
    destinationRule(split, ROUND_ROBIN, {
      subsets: ['v1', 'v2'].map((version) => ({ name: version, labels: { version } })),
    }),
    virtualService(split, [
      {
        route: [
          { ...toHost(split, 'v1'), weight: 25 },
          { ...toHost(split, 'v2'), weight: 75 },
        ],
      },
    ]),
    entry('match.example.com', [b1]),
    virtualService('match.example.com', [
      { match: [{ uri: { exact: '/test.Echo/Secret' } }], route: [toHost('two.example.com')] },
      { match: [{ method: { exact: 'GET' } }], route: [toHost('one.example.com')] },
      { match: [{ headers: { 'x-user': { prefix: 'admin' } } }], route: [{ ...toHost('robin-three.example.com') }] },
      { match: [{ headers: { 'x-user': { regex: 'gu.+t' } } }], route: [toHost('two.example.com')] },
      { match: [{ headers: { 'x-blocked': {} } }], redirect: { uri: '/elsewhere' } },
      { route: [toHost('match.example.com')] },
    ]),
    entry('robin-three.example.com', [b3]),
    entry('slow.example.com', [b1]),
    virtualService('slow.example.com', [{ timeout: '0.5s', route: [toHost('slow.example.com')] }]),
    entry('retry.example.com', [b1]),
    virtualService('retry.example.com', [
      {
        match: [{ headers: { 'x-never': { exact: 'yes' } } }],
        retries: { attempts: 0 },
        route: [toHost('retry.example.com')],
      },
      { retries: { attempts: 2, retryOn: 'unavailable' }, route: [toHost('retry.example.com')] },
    ]),
    entry('break.example.com', [b1]),
    destinationRule('break.example.com', { connectionPool: { http: { http2MaxRequests: 2 } } }),
    virtualService('break.example.com', [{ retries: { attempts: 0 }, route: [toHost('break.example.com')] }]),
    entry('fault.example.com', [b1]),
    virtualService('fault.example.com', [
      {
        match: [{ headers: { 'x-fault': { exact: 'http' } } }],
        fault: { abort: { httpStatus: 403, percentage: { value: 100 } } },
        route: [toHost('fault.example.com')],
      },
      {
        fault: { abort: { grpcStatus: 'DATA_LOSS', percentage: { value: 100 } } },
        route: [toHost('fault.example.com')],
      },
    ]),
    entry('hash.example.com', [b1, b2, b3]),
    destinationRule('hash.example.com', { loadBalancer: { consistentHash: { httpHeaderName: 'x-user' } } }),
  ]);
}

test.before(async (t) => {
  const [one, two, three] = await Promise.all(['one', 'two', 'three'].map(startGrpcBackend));
  if (one === undefined || two === undefined || three === undefined) throw new Error('a backend is missing');
  const backends = [one, two, three] as const;
  for (const backend of backends) cleanup.teardown(async () => backend.stop());
  const server = await startServer(cleanup, { files: { 'services.yaml': services([one, two, three]) } });
  const folder = await mkdtemp(join(tmpdir(), 'proxyless-grpc-'));
  cleanup.teardown(() => rm(folder, { recursive: true }));
  const files = await writeCertificate(folder);
  const clients = new Map<GrpcLanguage, GrpcClient>();
  for (const language of GRPC_LANGUAGES) {
    if ('missing' in findGrpcProgram(language)) continue;
    const client = startGrpcClient(language, await bootstrapOf(language, server.grpcPort, files));
    cleanup.teardown(() => client.stop());
    clients.set(language, client);
  }
  Object.assign(t.context, { server, backends: [one, two, three], clients });
});

test.after.always(() => cleanup.run());

for (const language of GRPC_LANGUAGES) {
  const program = findGrpcProgram(language);
  if ('missing' in program && process.env['REQUIRE_COUNTERPARTS'] === '1') throw new Error(program.missing);
  const row = 'value' in program ? test.serial : test.skip;

  const clientOf = ({ clients }: Context): GrpcClient => {
    const client = clients.get(language);
    if (client === undefined) throw new Error(`no client in ${language}`);
    return client;
  };
  /** Waits until calls are answered by exactly these servers. */
  const answeredBy = (client: GrpcClient, host: string, names: readonly string[]) =>
    eventually(`${host} is answered by ${names.join()}`, async () => {
      const replies = await client.call(to(host), { count: 12 });
      return codesOf(replies).join() === '0' && namesOf(replies).join() === names.join();
    });

  row(`${language}: a client calls a service by its host, and by its short names`, async (t) => {
    const client = clientOf(t.context);
    for (const host of ['echo.default.svc.cluster.local', 'echo', 'echo.default', 'echo.default.svc']) {
      const [reply] = await client.call(to(host));
      t.like(reply, { code: status.OK, server: 'one' }, host);
    }
  });

  row(`${language}: the client status service shows what a client has acknowledged`, async (t) => {
    const { server } = t.context;
    await answeredBy(clientOf(t.context), 'one.example.com', ['one']);
    const cluster = `outbound|${PORT}||one.example.com`;
    const wanted = [`lds one.example.com:${PORT}`, `cds ${cluster}`, `eds ${cluster}`];
    let has: readonly string[] = [];
    await eventually('the acknowledged resources', async () => {
      has = Object.keys(await acknowledgedBy(server.grpcPort, nodeOf(language)));
      return wanted.every((name) => has.includes(name)) && has.some((name) => name.startsWith('rds '));
    }).catch((cause: Error) => t.fail(`${cause.message}: ${has.join()}`));
    t.pass();
  });

  row(
    `${language}: the library's own client status service and that of the control plane show the same resources`,
    async (t) => {
      const { server } = t.context;
      const client = clientOf(t.context);
      await answeredBy(client, 'two.example.com', ['two']);
      const port = await client.serveStatus();
      const cluster = `outbound|${PORT}||two.example.com`;
      let [has, told]: Readonly<Record<string, string>>[] = [{}, {}];
      await eventually('both show the same', async () => {
        has = await acknowledgedBy(port);
        told = await acknowledgedBy(server.grpcPort, nodeOf(language));
        return isDeepStrictEqual(has, told);
      }).catch(() => t.deepEqual(has, told));
      for (const name of [`lds two.example.com:${PORT}`, `cds ${cluster}`, `eds ${cluster}`]) {
        t.truthy(has?.[name], `${name}: ${Object.keys(has ?? {}).join()}`);
      }
    },
  );

  row(`${language}: a client learns at once that a service does not exist`, async (t) => {
    // The library itself would wait for 15 s.
    const [reply] = await clientOf(t.context).call(to('missing.example.com'), { timeoutMs: 12_000 });
    t.is(reply?.code, status.UNAVAILABLE, reply?.message);
  });

  row(`${language}: a service that appears after the first call is found`, async (t) => {
    const { server, backends } = t.context;
    const client = clientOf(t.context);
    const host = `late-${language}.example.com`;
    await client.call(to(host));
    await server.folder.write(`${host}.yaml`, fileText([entry(host, [{ backend: backends[1] }])]));
    await answeredBy(client, host, ['two']);
    await server.folder.remove(`${host}.yaml`);
    await eventually('the service is gone', async () => codesOf(await client.call(to(host))).join() === '14');
    t.pass();
  });

  row(`${language}: round robin gives each backend the same share`, async (t) => {
    const client = clientOf(t.context);
    await answeredBy(client, 'robin.example.com', ['one', 'three', 'two']);
    const replies = await client.call(to('robin.example.com'), { count: 30 });
    // A picker that the library replaces meanwhile begins anew, so a backend may get a call more or less.
    for (const name of ['one', 'two', 'three']) {
      const share = replies.filter(({ server }) => server === name).length;
      t.true(share >= 8 && share <= 12, `${name}: ${share}`);
    }
  });

  row(`${language}: backends that are removed get no calls, and those that are added do`, async (t) => {
    const { server, backends } = t.context;
    const [one, two, three] = backends;
    const client = clientOf(t.context);
    const host = `change-${language}.example.com`;
    const write = (chosen: readonly GrpcBackend[]) =>
      server.folder.write(
        `${host}.yaml`,
        fileText([
          entry(
            host,
            chosen.map((backend) => ({ backend })),
          ),
          destinationRule(host, ROUND_ROBIN),
        ]),
      );
    await write([one, two]);
    await answeredBy(client, host, ['one', 'two']);
    await write([two]);
    await answeredBy(client, host, ['two']);
    await write([two, three]);
    await answeredBy(client, host, ['three', 'two']);
    t.pass();
  });

  row(`${language}: calls stay in the near locality until its backends fail`, async (t) => {
    const { server, backends } = t.context;
    const client = clientOf(t.context);
    const near = await startGrpcBackend('near');
    cleanup.teardown(async () => near.stop());
    const host = `localities-${language}.example.com`;
    const placed = [
      { backend: backends[0], locality: 'south/c' },
      { backend: near, locality: 'north/a' },
      { backend: backends[1], locality: 'north/b' },
    ];
    const failover = { localityLbSetting: { enabled: true }, simple: 'ROUND_ROBIN' };
    const outlierDetection = { consecutive5xxErrors: 1 };
    const rule = destinationRule(host, { loadBalancer: failover, outlierDetection });
    await server.folder.write(`${host}.yaml`, fileText([entry(host, placed), rule]));
    await answeredBy(client, host, ['near']);
    near.stop();
    await answeredBy(client, host, ['two']);
    t.pass();
  });

  row(`${language}: calls go to another service when the route changes`, async (t) => {
    const { server, backends } = t.context;
    const client = clientOf(t.context);
    const host = `route-${language}.example.com`;
    const write = (destination: string) =>
      server.folder.write(
        `${host}.yaml`,
        fileText([entry(host, [{ backend: backends[2] }]), virtualService(host, [{ route: [toHost(destination)] }])]),
      );
    await write('one.example.com');
    await answeredBy(client, host, ['one']);
    await write('two.example.com');
    // Meanwhile no call fails, except those that grpc-go starts after its calls know the new route, and before its balancer
    // does (ClientConn.updateResolverStateAndUnlock).
    const isBetween = ({ message = '' }: Reply) => language === 'go' && message.includes('unknown cluster selected');
    await eventually('the other service answers', async () => {
      const replies = (await client.call(to(host), { count: 5 })).filter((reply) => !isBetween(reply));
      if (replies.length === 0) return false;
      t.deepEqual(codesOf(replies), [status.OK], replies.map(({ message }) => message).join());
      return namesOf(replies).join() === 'two';
    });
  });

  row(`${language}: calls are split by weight`, async (t) => {
    const count = 1_000;
    const replies = await clientOf(t.context).call(to('split.example.com'), { count, parallel: true });
    t.deepEqual(codesOf(replies), [status.OK], replies.map(({ message }) => message).join());
    const share = replies.filter(({ server }) => server === 'one').length / count;
    // Six standard deviations.
    t.true(Math.abs(share - 0.25) < 6 * Math.sqrt((0.25 * 0.75) / count), `${share}`);
  });

  row(`${language}: paths and headers choose the route`, async (t) => {
    const client = clientOf(t.context);
    const serverOf = async (options: Parameters<GrpcClient['call']>[1]) => {
      const [reply] = await client.call(to('match.example.com'), options);
      return reply?.server ?? reply?.code;
    };
    t.is(await serverOf({}), 'one');
    t.is(await serverOf({ method: '/test.Echo/Secret' }), 'two');
    t.is(await serverOf({ metadata: { 'x-user': 'administrator' } }), 'three');
    t.is(await serverOf({ metadata: { 'x-user': 'guest' } }), 'two');
    t.is(await serverOf({ metadata: { 'x-user': 'other' } }), 'one');
    t.is(await serverOf({ metadata: { 'x-blocked': 'yes' } }), status.UNAVAILABLE);
  });

  row(`${language}: a timeout of the route ends a call`, async (t) => {
    const { backends } = t.context;
    const key = `slow-${language}`;
    const metadata = { 'x-key': key, 'x-hold': 'yes' };
    // Longer than the test may take: the client has no timeout of its own that could end the call.
    const [reply] = await clientOf(t.context).call(to('slow.example.com'), { metadata, timeoutMs: 600_000 });
    backends[0].release(key);
    t.is(reply?.code, status.DEADLINE_EXCEEDED, reply?.message);
  });

  row(`${language}: a failed call is repeated`, async (t) => {
    const { backends } = t.context;
    const client = clientOf(t.context);
    const key = `retry-${language}`;
    const [reply] = await client.call(to('retry.example.com'), { metadata: { 'x-key': key, 'x-fail': '2' } });
    t.is(reply?.code, status.OK, reply?.message);
    t.is(backends[0].callsOf(key), 3);
    const never = { 'x-key': `never-${language}`, 'x-fail': '1', 'x-never': 'yes' };
    const [failed] = await client.call(to('retry.example.com'), { metadata: never });
    t.is(failed?.code, status.UNAVAILABLE);
  });

  row(`${language}: calls beyond the limit of a service fail at once`, async (t) => {
    const { backends } = t.context;
    const client = clientOf(t.context);
    const key = `break-${language}`;
    const metadata = { 'x-key': key, 'x-hold': 'yes' };
    const held = client.call(to('break.example.com'), { metadata, count: 2, parallel: true });
    await eventually('two calls wait', () => backends[0].callsOf(key) === 2);
    const [third] = await client.call(to('break.example.com'));
    backends[0].release(key);
    t.is(third?.code, status.UNAVAILABLE, third?.message);
    t.deepEqual(codesOf(await held), [status.OK]);
  });

  row(`${language}: faults of the route are injected`, async (t) => {
    const client = clientOf(t.context);
    const [denied] = await client.call(to('fault.example.com'), { metadata: { 'x-fault': 'http' } });
    t.is(denied?.code, status.PERMISSION_DENIED, denied?.message);
    const [lost] = await client.call(to('fault.example.com'));
    t.is(lost?.code, status.DATA_LOSS, lost?.message);
  });

  row(`${language}: a server takes mutual TLS, and denies what an AuthorizationPolicy denies`, async (t) => {
    const { server } = t.context;
    const client = clientOf(t.context);
    const serve = (secure: boolean) =>
      eventually('a server starts on a free port', async () => {
        const port = await findFreePort();
        await client.serve(`127.0.0.1:${port}`, `${language}-server`, { secure });
        return port;
      });
    const [plainPort, securePort] = [await serve(false), await serve(true)];
    await server.folder.write('server.yaml', fileText(securedServer(language, securePort, plainPort)));
    const say = async (target: string, options: CallOptions = {}): Promise<number | undefined> =>
      (await client.call(target, options))[0]?.code;
    const [plain, secured] = [`dns:///127.0.0.1:${plainPort}`, to(`secure-${language}.example.com`)];
    const secret = { method: '/test.Echo/Secret' };
    await eventually('mutual TLS works', async () => (await say(secured, { secure: true })) === status.OK);
    // The server at this port may get its listener later than the other one; until then it is unavailable.
    await eventually('callers without identity are denied', async () => {
      return (await say(plain, secret)) === status.PERMISSION_DENIED;
    });
    t.is(await say(plain), status.OK);
    t.is(await say(secured, { ...secret, secure: true }), status.OK);
    await eventually('plaintext is refused', async () => {
      const code = await say(`dns:///127.0.0.1:${securePort}`);
      return code === status.UNAVAILABLE;
    });
    t.is(await say(to(`impostor-${language}.example.com`), { secure: true }), status.UNAVAILABLE);
    await server.folder.remove('server.yaml');
  });

  row(`${language}: calls with the same header go to the same backend`, async (t) => {
    const client = clientOf(t.context);
    const servers = new Set<string>();
    for (let user = 0; user < 24; user++) {
      const replies = await client.call(to('hash.example.com'), { metadata: { 'x-user': `user-${user}` }, count: 3 });
      t.is(namesOf(replies).length, 1, `user-${user}`);
      servers.add(namesOf(replies).join());
    }
    t.true(servers.size > 1);
  });
}

test.serial('no client has rejected a response', async (t) => {
  const { server } = t.context;
  t.deepEqual(server.logged('proxy rejected its configuration and keeps the last accepted one'), []);
});
