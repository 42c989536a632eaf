import { promises as dns } from 'node:dns';
import test from 'ava';
import type { PushContext } from '../../src/model/push-context.js';
import { contextOf, endpoints, pod, port, service, serviceEntry } from '../model/mesh-objects.js';
import { eventually } from '../support/eventually.js';
import { type DnsRig, type QuestionType, question, startDns } from './dns-rig.js';

const WEB = 'web.default.svc.cluster.local';
const DB = 'db.default.svc.cluster.local';
const GRPC = port(9000, 'grpc', { protocol: 'TCP' });

const CONTEXT: PushContext = contextOf([
  service('default/web', { clusterIP: '10.96.0.1', clusterIPs: ['10.96.0.1', 'fd00::1'], ports: [port(80), GRPC] }),
  service('other/local', { clusterIP: '10.96.0.9' }, { annotations: { 'networking.mesh.internal/exportTo': '.' } }),
  service('default/db', { clusterIP: 'None', ports: [port(80)] }),
  endpoints('default/db', [], {
    subsets: [
      {
        addresses: [{ ip: '10.0.0.1', hostname: 'db-0' }, { ip: '10.0.0.2', hostname: 'db-1' }, { ip: '10.0.0.3' }],
        notReadyAddresses: [],
        ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
      },
    ],
  }),
  service('default/empty', { clusterIP: 'None' }),
  service('default/alias', { type: 'ExternalName', clusterIP: '', externalName: 'example.org' }),
  serviceEntry('default/api', { hosts: ['API.example.com'], resolution: 'DNS' }),
  serviceEntry('default/fixed', { hosts: ['fixed.example.com'], addresses: ['192.0.2.1'] }),
  serviceEntry('default/wild', { hosts: ['*.wild.example.com'], resolution: 'NONE' }),
  serviceEntry('default/kept', { hosts: ['kept.example.com'], resolution: 'NONE' }),
]);

/** `NOERROR` with records, `NODATA` without, or the name of the error. */
async function ask(rig: DnsRig, name: string, type: QuestionType = 'A'): Promise<string> {
  const { rcode = '', answers = [], authorities = [] } = await rig.ask(question(name, type));
  if (rcode !== 'NOERROR') return authorities.some((record) => record.type === 'SOA') ? `${rcode} SOA` : rcode;
  if (answers.length > 0)
    return answers
      .map((record) => ('data' in record ? String(record.data) : ''))
      .sort()
      .join(' ');
  return authorities.some((record) => record.type === 'SOA') ? 'NODATA' : 'no SOA';
}

const ANSWERS: readonly (readonly [string, QuestionType, string])[] = [
  [WEB, 'A', '10.96.0.1'],
  [WEB.toUpperCase(), 'A', '10.96.0.1'],
  [WEB, 'AAAA', 'fd00::1'],
  [WEB, 'ANY', '10.96.0.1'],
  [WEB, 'TXT', 'NODATA'],
  ['web.default', 'A', '10.96.0.1'],
  ['web.default.svc', 'A', '10.96.0.1'],
  // An unknown client has no namespace, and no upstream server answers here.
  ['web', 'A', 'REFUSED'],
  ['nobody.default.svc.cluster.local', 'A', 'NXDOMAIN SOA'],
  [`x.${WEB}`, 'A', 'NXDOMAIN SOA'],
  [`y.x.${WEB}`, 'A', 'NXDOMAIN SOA'],
  [`_tcp.${WEB}`, 'A', 'NODATA'],
  [DB, 'A', '10.0.0.1 10.0.0.2 10.0.0.3'],
  [DB, 'AAAA', 'NODATA'],
  [`db-0.${DB}`, 'A', '10.0.0.1'],
  ['db-1.db.default', 'A', '10.0.0.2'],
  [`10-0-0-3.${DB}`, 'A', '10.0.0.3'],
  [`db-7.${DB}`, 'A', 'NXDOMAIN SOA'],
  ['empty.default.svc.cluster.local', 'A', 'NODATA'],
  ['fixed.example.com', 'A', '192.0.2.1'],
  ['fixed.example.com', 'AAAA', 'NODATA'],
  // What only an upstream server knows is refused, because there is none.
  ['fixed.example.com', 'TXT', 'REFUSED'],
  ['below.fixed.example.com', 'A', 'REFUSED'],
  ['a.wild.example.com', 'A', 'REFUSED'],
  ['kept.example.com', 'A', 'REFUSED'],
  [WEB, 'AXFR', 'REFUSED'],
];

test('names of the mesh have the addresses of the snapshot, no data, or do not exist', async (t) => {
  const rig = await startDns(t, { context: CONTEXT });
  for (const [name, type, expected] of ANSWERS) t.is(await ask(rig, name, type), expected, `${name} ${type}`);
  const [automatic] = await rig.resolver.resolve4('api.example.com');
  t.regex(automatic ?? '', /^240\.240\./);
  t.is(automatic, CONTEXT.servicesByHost.get('API.example.com')?.autoAddress);
  t.true((await rig.metric('nav_dns_answers_total', { source: 'mesh', rcode: 'NXDOMAIN' })) > 0);
});

test('c-ares reads addresses, alias-free answers, SRV records of ports and of pods, and errors', async (t) => {
  const rig = await startDns(t, { context: CONTEXT });
  const { resolver } = rig;
  t.deepEqual(await resolver.resolve4(WEB, { ttl: true }), [{ address: '10.96.0.1', ttl: 5 }]);
  t.deepEqual(await resolver.resolve6(WEB), ['fd00::1']);
  const record = { priority: 0, weight: 100 };
  t.deepEqual(await resolver.resolveSrv(`_grpc._tcp.${WEB}`), [{ ...record, port: 9000, name: WEB }]);
  const pods = await resolver.resolveSrv(`_http._tcp.${DB}`);
  t.deepEqual(pods.map(({ name, port: target }) => `${name}:${target}`).sort(), [
    `10-0-0-3.${DB}:8080`,
    `db-0.${DB}:8080`,
    `db-1.${DB}:8080`,
  ]);
  await t.throwsAsync(resolver.resolveSrv(`_http._udp.${WEB}`), { code: dns.NOTFOUND });
  await t.throwsAsync(resolver.resolve4(`x.${WEB}`), { code: dns.NOTFOUND });
  await t.throwsAsync(resolver.resolve6(DB), { code: dns.NODATA });
  await t.throwsAsync(resolver.resolve4('example.org'), { code: dns.REFUSED });
});

test('a workload resolves the bare names of its own namespace, and services that only this namespace sees', async (t) => {
  const context = contextOf([
    service('other/local', { clusterIP: '10.96.0.9' }, { annotations: { 'networking.mesh.internal/exportTo': '.' } }),
    service('other/me', { clusterIP: '10.96.0.10' }),
    pod('other/me-0', '127.0.0.1'),
    endpoints('other/me', ['127.0.0.1']),
    // A tenant lists the address of the client too, without a pod.
    service('tenant/local', { clusterIP: '10.96.0.66' }),
    endpoints('tenant/local', ['127.0.0.7']),
  ]);
  const rig = await startDns(t, { context });
  await eventually('the place of the client is known', async () => (await ask(rig, 'me')) === '10.96.0.10');
  t.is(await ask(rig, 'me.tenant.svc.cluster.local'), 'NXDOMAIN SOA');
  t.is(await ask(rig, 'local.tenant'), '10.96.0.66');
});

test('the newest snapshot answers', async (t) => {
  const rig = await startDns(t, { context: contextOf([service('default/web', { clusterIP: '10.96.0.1' })]) });
  t.deepEqual(await rig.resolver.resolve4(WEB), ['10.96.0.1']);
  rig.observe(contextOf([service('default/web', { clusterIP: '10.96.0.2' })]));
  t.deepEqual(await rig.resolver.resolve4(WEB), ['10.96.0.2']);
  rig.observe(contextOf([]));
  await t.throwsAsync(rig.resolver.resolve4(WEB), { code: dns.NOTFOUND });
});
