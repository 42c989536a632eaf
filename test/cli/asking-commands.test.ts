import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { connectProxy } from '../bootstrap/support/connect-proxy.js';
import { documents, endpoints, service, serviceEntry, sidecar } from '../bootstrap/support/manifests.js';
import { startServer } from '../bootstrap/support/running-server.js';
import { eventually } from '../support/eventually.js';
import { runCommandLine } from './run-command.js';

const MESH = { 'web.yaml': documents(service('web'), endpoints('web', '10.0.0.7')) };
const BROKEN = JSON.stringify({
  apiVersion: 'networking.mesh.internal/v1beta1',
  kind: 'VirtualService',
  metadata: { name: 'lost', namespace: 'shop' },
  spec: { hosts: ['web'], http: [{ route: [{ destination: { host: 'nowhere' } }] }] },
});

/** A server with two proxies, of which the second rejects its newest clusters. */
async function startMesh(t: ExecutionContext) {
  const server = await startServer(t, { files: MESH });
  const good = await connectProxy(t, server, { ...sidecar('10.0.0.1'), id: idOf('good') });
  const bad = await connectProxy(t, server, { ...sidecar('10.0.0.2'), id: idOf('bad') });
  bad.refuseNext.add(TypeUrl.cluster);
  await server.folder.write('pay.yaml', serviceEntry('pay'));
  await eventually(
    'one proxy has the cluster, the other has rejected it',
    () => good.namesOf(TypeUrl.cluster).includes('outbound|80||pay.example.com') && bad.refused.has(TypeUrl.cluster),
  );
  return { server, address: ['--address', `127.0.0.1:${server.monitoringPort}`] };
}

const idOf = (name: string) => `sidecar~10.0.0.1~${name}.shop~shop.svc.cluster.local`;

test('proxy-status shows the proxies of a server, the worst first, and why one rejects its configuration', async (t) => {
  const { address } = await startMesh(t);
  const settled = await eventually('the server knows the rejection', async () => {
    const result = await runCommandLine(['proxy-status', ...address]);
    return result.code === 2 && !result.stdout.includes('STALE') && result;
  });
  const lines = settled.stdout.split('\n').map((line) => line.split(/ {2,}/));
  t.deepEqual(lines[0], ['PROXY', 'CDS', 'LDS', 'RDS', 'EDS', 'VERSION', 'SERVER'], settled.stdout);
  t.deepEqual(lines[1]?.slice(0, 2), ['bad.shop', 'REJECTED']);
  t.is(lines[2]?.[0], 'good.shop');
  t.true(settled.stdout.endsWith('2 proxies at 1 server; 1 rejected configuration: proxy-status <proxy> says why\n'));
  t.false(settled.stdout.includes('\u001B'));

  const one = await runCommandLine(['proxy-status', 'bad.shop', ...address, '--color=always']);
  t.is(one.code, 2);
  t.true(one.stdout.includes('\u001B[31mCDS rejected\u001B[0m'), one.stdout);
  t.true(one.stdout.includes('refused by the test'), one.stdout);
  t.true(one.stdout.includes('\n  caused by \u001B[1mServiceEntry/shop/pay\u001B[0m\n'), one.stdout);

  const json = await runCommandLine(['proxy-status', ...address, '-o', 'json', 'good']);
  t.is(json.code, 0);
  const [row, ...others] = JSON.parse(json.stdout);
  t.deepEqual(others, []);
  t.is(row.workload, 'good.shop');
  t.true(row.types.length >= 3);

  const missing = await runCommandLine(['proxy-status', 'nobody', ...address]);
  t.is(missing.code, 1);
  t.regex(
    missing.stderr,
    /^navigator-discovery: no proxy whose id contains "nobody" is connected to 127\.0\.0\.1:\d+; proxy-status lists all\n$/,
  );
});

test('check tells of a server whether it is ready, and which proxies reject or have known vulnerabilities', async (t) => {
  const { address } = await startMesh(t);
  const { stdout } = await eventually('the server knows the rejection', async () => {
    const result = await runCommandLine(['check', ...address, '-o', 'json']);
    return result.code === 2 && result;
  });
  const results = JSON.parse(stdout) as { check: string; level: string; message: string; remedy?: string }[];
  const of = (check: string) => results.filter((result) => result.check === check);
  t.is(of('ready')[0]?.level, 'ok');
  t.is(of('clock')[0]?.level, 'ok');
  t.is(of('quota storage')[0]?.level, 'ok');
  t.like(of('proxies')[0], {
    level: 'error',
    message: 'bad.shop rejected configuration',
    remedy: 'proxy-status bad.shop says why',
  });
  const text = await runCommandLine(['check', ...address]);
  t.regex(text.stdout, /^RESULT {2}CHECK +SUBJECT +MESSAGE\nok +ready +127\.0\.0\.1:\d+ +the server is ready\n/);
  t.regex(text.stdout, /\n1 error, 0 warnings, \d+ ok, 0 skipped\n$/);
  t.is((await runCommandLine(['check', '--address', '127.0.0.1:1'])).code, 1);
});

test('analyze --address analyzes the objects that a server has read, as a whole mesh', async (t) => {
  const server = await startServer(t, { files: { ...MESH, 'lost.yaml': BROKEN } });
  const result = await runCommandLine(['analyze', '--address', `127.0.0.1:${server.monitoringPort}`, '-o', 'json']);
  t.is(result.code, 2, result.stderr);
  const { findings, from } = JSON.parse(result.stdout);
  t.is(from, undefined);
  const served = await server.http.json<{ code?: string }[]>('/debug/config_problems');
  const codes = (list: readonly { code?: string }[]) => list.map(({ code }) => code).sort();
  t.deepEqual(codes(findings), codes(served), 'the same codes as the server');
  t.true(codes(findings).includes('MESH0101'));
  t.deepEqual(findings[0].object, { kind: 'VirtualService', namespace: 'shop', name: 'lost' });
  t.is(findings[0].line, undefined);
});

test('a server that does not answer, and flags that contradict each other, are told with the remedy', async (t) => {
  const nobody = await runCommandLine(['proxy-status', '--address', '127.0.0.1:1']);
  t.is(nobody.code, 1);
  t.regex(
    nobody.stderr,
    /http:\/\/127\.0\.0\.1:1\/debug\/syncz failed: connect ECONNREFUSED .*; start the server, or name another one with --address/,
  );
  const both = await runCommandLine(['proxy-status', '--address', '127.0.0.1:1', '--cluster']);
  t.is(both.stderr, 'navigator-discovery: --address names one server, --cluster all of a cluster: use one of them\n');
  const missing = await runCommandLine(['proxy-status', '--kubeconfig', '/nowhere/config']);
  t.regex(missing.stderr, /the kubeconfig \/nowhere\/config cannot be read \(.*\); correct --kubeconfig\n$/);
  const outside = await runCommandLine(['proxy-status', '--cluster'], { HOME: '/nowhere' });
  t.regex(outside.stderr, /does not run in a Kubernetes pod .*; name a kubeconfig with --kubeconfig\n$/);
  t.is(outside.code, 1);
});

test('a kubeconfig without a usable cluster, and a cluster that does not answer, are told by name', async (t) => {
  const { folder } = await startServer(t, {});
  const file = join(folder.path, '..', 'kubeconfig');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'gone', cluster: { server: 'https://127.0.0.1:1' } }],
    users: [{ name: 'me', user: {} }],
    contexts: [{ name: 'gone', context: { cluster: 'gone', user: 'me' } }],
    'current-context': 'gone',
  };
  await writeFile(file, JSON.stringify(config));
  const gone = await runCommandLine(['proxy-status', '--kubeconfig', file]);
  t.regex(
    gone.stderr,
    /the pods of namespace mesh-system cannot be listed: connect ECONNREFUSED 127\.0\.0\.1:1; name another cluster/,
  );
  const other = await runCommandLine(['proxy-status', '--context', 'other'], { KUBECONFIG: file });
  t.regex(other.stderr, /its context "other" names no cluster\n$/);
});
