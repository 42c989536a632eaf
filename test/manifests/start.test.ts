import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { eventually } from '../counterparts/eventually.js';
import { type ApiServer, startApiServer } from '../counterparts/kubernetes/api-server.js';
import { findFreePorts } from '../counterparts/kubernetes/free-ports.js';
import { startManagedProcess } from '../counterparts/managed-process.js';
import { projectRoot } from '../counterparts/project-root.js';
import { createKubectl, requireKubernetesAndKubectl } from './support/kubectl.js';
import { type Container, findDeployment, findDocument } from './support/read-documents.js';

const { available: binary } = requireKubernetesAndKubectl();
const it = binary === undefined ? test.skip : test;
const containerOf = (name: string): Container => findDeployment(name).spec.template.spec.containers[0];

/** The files that the ConfigMaps put into /etc/mesh/config, in a folder of their own. */
async function writeSettings(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'navigator-manifests-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  for (const name of ['mesh', 'mesh-policy']) {
    const { data } = findDocument('ConfigMap', name) as unknown as { data: Record<string, string> };
    for (const [file, content] of Object.entries(data)) await writeFile(join(folder, file), content);
  }
  return folder;
}

/** Arguments that listen or connect get loopback ports; files are those of the folder. All others stay. */
function argumentsHere({ args }: Container, folder: string, ports: ReadonlyMap<number, number>): readonly string[] {
  return args.map((each) =>
    each
      .replace('=/etc/mesh/config/', `=${folder}/`)
      .replace(/=\/var\/run\/secrets\/\w+\//, `=${folder}/`)
      .replace(
        /=[\w.-]*:(\d+)$/,
        (_, port: string) => `=127.0.0.1:${ports.get(Number(port)) ?? `no port for ${port}`}`,
      ),
  );
}

/** Values that the downward API gives get a text. */
function environmentOf({ env }: Container): Record<string, string> {
  return Object.fromEntries(env.map(({ name, value }) => [name, value ?? 'mesh-system']));
}

function start(t: ExecutionContext, program: string, container: Container, args: readonly string[]) {
  const command = [
    'setpriv',
    '--pdeathsig',
    'KILL',
    process.execPath,
    join(projectRoot(), 'build/src/cli', program),
    ...args,
  ];
  const server = startManagedProcess({ name: container.name, command, env: environmentOf(container) });
  t.teardown(() => server.stop());
  return server;
}

it('both programs start with exactly the arguments and settings of their Deployments, and become ready', async (t) => {
  const api = await startApiServer({ binary: binary ?? '' });
  t.teardown(() => api.close());
  const kubectl = createKubectl(api);
  await kubectl('apply', '-f', 'manifests/00-namespace.yaml', '-f', 'manifests/10-crds.yaml');
  await kubectl('apply', '-f', 'manifests/policy/');
  const folder = await writeSettings(t);
  const discovery = containerOf('meshd');
  const policy = containerOf('navigator-policy');
  const ports = [15010, 15012, 15017, 8080, 15014, 15016];
  const [first, second, ...free] = await findFreePorts(ports.length + 2);
  const discoveryPorts = new Map(ports.map((port, index) => [port, Number(free[index])]));
  const policyPorts = new Map([
    [15012, Number(discoveryPorts.get(15012))],
    [15014, Number(first)],
    [15016, Number(second)],
  ]);
  const page = async (port: number | undefined, path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: answer.status, body: await answer.text() };
  };
  const ready = (server: ReturnType<typeof start>, port: number | undefined) =>
    eventually(`${server.name} is ready`, async () => {
      if (!server.isRunning()) throw new Error(server.tail());
      return (await page(port, '/ready')).status === 200;
    });

  // In a cluster the pod's own account takes the place of --orchconfig.
  const args = [...argumentsHere(discovery, folder, discoveryPorts), `--orchconfig=${api.kubeconfig}`];
  t.is(args.length, discovery.args.length + 1);
  const meshd = start(t, 'main.js', discovery, args);
  await ready(meshd, discoveryPorts.get(15014));
  t.is((await page(discoveryPorts.get(15014), '/version')).status, 200);
  t.deepEqual(JSON.parse((await page(discoveryPorts.get(8080), '/debug/config_problems')).body), []);

  await writeSecrets(api, folder);
  // The name that the Service has; here the server is on loopback.
  const name = '--discoveryServerName=meshd.mesh-system.svc';
  const servers = start(t, 'policy-main.js', policy, [...argumentsHere(policy, folder, policyPorts), name]);
  await ready(servers, policyPorts.get(15014));
  t.is((await page(policyPorts.get(15014), '/version')).status, 200);

  // --log_as_json: what a cluster collects is one object to a line.
  for (const { lines } of [meshd, servers]) {
    const entries = lines.map((line) => JSON.parse(line) as { level: string; msg?: string });
    t.true(entries.length > 0);
    t.deepEqual(
      entries.filter(({ level }) => level === 'error'),
      [],
    );
  }
});

/** What the volumes `roots` and `token` of the policy servers bring. */
async function writeSecrets(api: ApiServer, folder: string): Promise<void> {
  const roots = await eventually('roots', async () => {
    const { body } = await api.client.send('GET', '/api/v1/namespaces/mesh-system/configmaps/mesh-ca-root-cert');
    return (body as { data?: Record<string, string> }).data?.['root-cert.pem'];
  });
  await writeFile(join(folder, 'root-cert.pem'), roots);
  const path = '/api/v1/namespaces/mesh-system/serviceaccounts/navigator-policy/token';
  const { body } = await api.client.send('POST', path, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { audiences: ['mesh-ca'] },
  });
  await writeFile(join(folder, 'mesh-token'), (body as { status: { token: string } }).status.token);
}
