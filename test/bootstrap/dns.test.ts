import { createSocket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import test from 'ava';
import { openStream, question, resolverOf } from '../dns/dns-rig.js';
import { eventually } from '../support/eventually.js';
import { startServer } from './support/running-server.js';

const service = (name: string, address: string) => `apiVersion: v1
kind: Service
metadata: { name: ${name}, namespace: default }
spec: { clusterIP: ${address}, ports: [{ name: http, port: 80 }] }
`;

test('the process answers the names of its folder at DNS_ADDR, over UDP and TCP', async (t) => {
  const server = await startServer(t, { files: { 'web.yaml': service('web', '10.96.0.1') } });
  const resolver = resolverOf(server.dnsPort);
  t.deepEqual(await resolver.resolve4('web.default'), ['10.96.0.1']);
  const stream = openStream(t, server.dnsPort);
  stream.send(question('web.default'));
  await eventually('the answer comes over TCP', () => stream.answers.length === 1);
  t.like(stream.answers[0]?.answers?.[0], { data: '10.96.0.1' });
  await server.folder.write('web.yaml', service('web', '10.96.0.2'));
  await eventually(
    'the new address is answered',
    async () => (await resolver.resolve4('web.default'))[0] === '10.96.0.2',
  );
  t.is(server.logged('DNS listener is open')[0]?.scope, 'dns');
  const { body } = await server.monitoring.get('/metrics');
  t.regex(body, /nav_dns_answers_total\{[^}]*source="mesh"[^}]*\} [1-9]/);
  await server.stop();
  await t.throwsAsync(resolver.resolve4('web.default'), { code: dns.CONNREFUSED });
});

test('an empty DNS_ADDR closes the listener, and an address in use ends the start', async (t) => {
  t.is((await startServer(t, { variables: { DNS_ADDR: '' } })).dnsPort, 0);
  const taken = createSocket('udp4');
  await new Promise<void>((resolve) => taken.bind(0, '127.0.0.1', resolve));
  t.teardown(() => taken.close());
  const { port } = taken.address();
  await t.throwsAsync(startServer(t, { variables: { DNS_ADDR: `127.0.0.1:${port}` } }), {
    message: `cannot listen on 127.0.0.1:${port}: another process uses the port; set another address with DNS_ADDR`,
  });
});
