import { Client, credentials } from '@grpc/grpc-js';
import test from 'ava';
import { eventually } from '../support/eventually.js';
import { connectProxy } from './support/connect-proxy.js';
import { documents, endpoints, service, sidecar } from './support/manifests.js';
import { connectPolicyClient } from './support/policy-client.js';
import { startServer } from './support/running-server.js';
import { startServerProcess } from './support/server-process.js';

const WEB = `apiVersion: v1
kind: Service
metadata: { name: web, namespace: default }
spec: { clusterIP: 10.96.0.1, ports: [{ name: http, port: 80 }] }
`;

function authorizationPolicy(name: string, ...paths: string[]): string {
  return JSON.stringify({
    apiVersion: 'security.mesh.internal/v1beta1',
    kind: 'AuthorizationPolicy',
    metadata: { name, namespace: 'shop' },
    spec: { rules: [{ to: [{ operation: { paths } }] }] },
  });
}

const SHOP = documents(service('web'), endpoints('web', '10.0.0.1'));

test.serial(
  'the policies of a workload have lines of the scope authorization, and too large ones a warning',
  async (t) => {
    const server = await startServer(t, {
      files: { 'shop.yaml': SHOP, 'policy.yaml': authorizationPolicy('first', '/a') },
    });
    await connectProxy(t, server, sidecar());
    const policies = () =>
      server
        .logged('authorization policies of a workload')
        .map((line) => ({ scope: line.scope, level: line.level, policies: line['policies'] }));
    await eventually('the line of the connected proxy', () => policies().length === 1);
    t.deepEqual(policies(), [{ scope: 'authorization', level: 'debug', policies: ['shop/first'] }]);

    await server.folder.write('policy.yaml', authorizationPolicy('second', '/a'));
    await eventually('the line of the change', () => policies().length === 2);
    t.deepEqual(policies()[1]?.policies, ['shop/second']);

    const paths = Array.from({ length: 200 }, (_, index) => `/${index}/${'a'.repeat(1_000)}`);
    const large = Array.from({ length: 6 }, (_, index) => authorizationPolicy(`large-${index}`, ...paths));
    await server.folder.write('policy.yaml', documents(...large));
    const warning = 'authorization policies are too large, the workload rejects everything';
    const line = await eventually('the warning', () => server.logged(warning).at(-1));
    t.like(line, { scope: 'authorization', level: 'warn', namespace: 'shop' });
  },
);

test.serial('a replaced snapshot has a line of the scope cache with the work for its proxies', async (t) => {
  const server = await startServer(t, { files: { 'shop.yaml': SHOP } });
  for (const address of ['10.0.0.1', '10.0.0.2']) await connectProxy(t, server, sidecar(address));
  await server.folder.write('web.yaml', WEB);
  const line = await eventually('a line with generated parts', () =>
    server.logged('caches served a snapshot').find(({ generated }) => Number(generated) > 0),
  );
  t.like(line, { scope: 'cache', level: 'debug' });
  t.true(Number(line['composed']) > 0);
});

test.serial('a check has a line of the scope attributes without values that can be credentials', async (t) => {
  const server = await startServer(t, { files: { 'shop.yaml': SHOP } });
  const host = 'web.shop.svc.cluster.local';
  const client = connectPolicyClient(t, server.policyPort);
  await eventually('the policy server decides', async () => (await client.ask(host)) === 200);
  const line = await eventually('the line', () => server.logged('attributes of a check').at(-1));
  t.like(line, { scope: 'attributes', level: 'debug' });
  t.true((line['names'] as readonly string[]).includes('request.headers'));
  t.false(Object.keys(line['values'] as object).includes('request.headers'));
  t.like(line['values'], { 'destination.service.host': host });
});

test.serial('a message of the gRPC library has a line of the scope grpcAdapter', async (t) => {
  const server = await startServer(t);
  const options = { 'grpc.default_compression_algorithm': 99 };
  const client = new Client(`127.0.0.1:${server.grpcPort}`, credentials.createInsecure(), options);
  t.teardown(() => client.close());
  const passThrough = (bytes: Buffer): Buffer => bytes;
  client.makeUnaryRequest('/none/None', passThrough, passThrough, Buffer.alloc(0), () => undefined);
  const line = await eventually('the line', () => server.logged('gRPC library reports an error').at(-1));
  t.is(line.scope, 'grpcAdapter');
  t.regex(String(line['detail']), /compression/);
});

test('a changed object has lines of the scopes processing, resource and model, at debug', async (t) => {
  const server = await startServer(t);
  await server.folder.write('web.yaml', WEB);
  const lines: Readonly<Record<string, string>> = {
    processing: 'change was applied',
    resource: 'object changed',
    model: 'snapshot was made',
  };
  for (const [scope, message] of Object.entries(lines)) {
    const line = await eventually(`a line of ${scope}`, () => server.logged(message).at(-1));
    t.is(line.scope, scope);
    t.is(line.level, 'debug');
  }
  await eventually('the line of the object', () =>
    server.logged('object changed').some(({ object }) => String(object).endsWith('web')),
  );
  await eventually('the snapshot has the service', () =>
    server.logged('snapshot was made').some((line) => line['services'] === 1),
  );
});

test('a start that fails is logged at fatal before the process ends', async (t) => {
  const server = startServerProcess(t, ['--httpAddr', '203.0.113.1:1']);
  t.is((await server.ended()).code, 1);
  const line = server.log().find(({ level }) => level === 'fatal');
  t.is(line?.msg, 'process ends because the server failed');
  t.is(line?.scope, 'default');
});
