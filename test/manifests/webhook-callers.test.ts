import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { load } from 'js-yaml';
import { startApiServer } from '../counterparts/kubernetes/api-server.js';
import { projectRoot } from '../counterparts/project-root.js';
import { createKubectl, requireKubernetesAndKubectl } from './support/kubectl.js';

const { available: binary } = requireKubernetesAndKubectl();
const it = binary === undefined ? test.skip : test;
const run = promisify(execFile);
const SHIPPED = join(projectRoot(), 'manifests/71-webhook-callers.yaml');

/** The script over a copy of the manifest. */
async function createScript(t: ExecutionContext) {
  const folder = await mkdtemp(join(tmpdir(), 'navigator-callers-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'policy.yaml');
  await copyFile(SHIPPED, file);
  return {
    file,
    run: (...args: readonly string[]) =>
      run(process.execPath, [join(projectRoot(), 'scripts/webhook-callers.mjs'), '--file', file, ...args]),
    from: async () => {
      const { spec } = load(await readFile(file, 'utf8')) as { spec: { ingress: { from?: object[] }[] } };
      return spec.ingress.map(({ from }) => from);
    },
  };
}

test('ranges and namespaces become the only callers, and --any allows every address, as shipped', async (t) => {
  const script = await createScript(t);
  await script.run('--no-endpoints', '--cidr', '192.0.2.0/24', '--cidr', '2001:db8::/64', '--namespace', 'kube-system');
  t.deepEqual(await script.from(), [
    [
      { ipBlock: { cidr: '192.0.2.0/24' } },
      { ipBlock: { cidr: '2001:db8::/64' } },
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } } },
    ],
  ]);
  await script.run('--any');
  t.is(await readFile(script.file, 'utf8'), await readFile(SHIPPED, 'utf8'));
});

test('an invalid range is rejected, and a policy without callers too', async (t) => {
  const script = await createScript(t);
  for (const [args, reason] of [
    [['--no-endpoints', '--cidr', '192.0.2.0/33'], /is not a range/],
    [['--no-endpoints', '--cidr', '192.0.2.1'], /is not a range/],
    [['--no-endpoints'], /no caller is left/],
    [['--kubeconfig', '/nowhere'], /kubectl cannot read the endpoints/],
  ] as const) {
    await t.throwsAsync(script.run(...args), { message: reason }, args.join(' '));
  }
  t.is(await readFile(script.file, 'utf8'), await readFile(SHIPPED, 'utf8'));
});

it('the endpoints of the API servers become the only callers, in a policy that the API server accepts', async (t) => {
  const api = await startApiServer({ binary: binary ?? '' });
  t.teardown(() => api.close());
  await api.client.apply({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: 'kubernetes-test',
      namespace: 'default',
      labels: { 'kubernetes.io/service-name': 'kubernetes' },
    },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['192.0.2.7'] }, { addresses: ['192.0.2.8'] }],
    ports: [{ name: 'https', port: 6443, protocol: 'TCP' }],
  });
  const script = await createScript(t);
  await script.run('--kubeconfig', api.kubeconfig);
  const [from] = await script.from();
  const ranges = from?.map((peer) => (peer as { ipBlock?: { cidr: string } }).ipBlock?.cidr) ?? [];
  t.true(ranges.includes('192.0.2.7/32') && ranges.includes('192.0.2.8/32'), ranges.join());
  const kubectl = createKubectl(api);
  await kubectl('apply', '-f', 'manifests/00-namespace.yaml');
  t.is((await kubectl('apply', '-f', script.file)).code, 0);
});
