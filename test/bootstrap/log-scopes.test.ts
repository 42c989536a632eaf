import test from 'ava';
import { eventually } from '../support/eventually.js';
import { startServer } from './support/running-server.js';
import { startServerProcess } from './support/server-process.js';

const WEB = `apiVersion: v1
kind: Service
metadata: { name: web, namespace: default }
spec: { clusterIP: 10.96.0.1, ports: [{ name: http, port: 80 }] }
`;

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
