import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type ApiServer, startApiServer } from '../counterparts/kubernetes/api-server.js';
import { startManagedProcess } from '../counterparts/managed-process.js';
import { type ProgramName, programFile } from '../counterparts/program-file.js';
import { eventually } from '../support/eventually.js';
import { createKubectl, requireKubernetesAndKubectl } from './support/kubectl.js';
import { type Container, findDeployment } from './support/read-documents.js';

const { available: binary } = requireKubernetesAndKubectl();
const it = binary === undefined ? test.skip : test;
const containerOf = (name: string): Container => findDeployment(name).spec.template.spec.containers[0];

/** Replaces /etc/mesh/config, which has no files until users create the ConfigMaps. */
async function emptyFolder(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'navigator-manifests-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Listening arguments get a loopback address of the program, where the ports of the manifests are free. The connecting
 * argument gets the address of the control plane, and files are in the folder. Other arguments stay.
 */
function argumentsHere({ args }: Container, folder: string, host: string): readonly string[] {
  return args.map((each) =>
    each
      .replace('=/etc/mesh/config/', `=${folder}/`)
      .replace(/=\/var\/run\/secrets\/\w+\//, `=${folder}/`)
      .replace(/=meshd\.mesh-system\.svc:/, `=${MESHD_HOST}:`)
      .replace(/=(127\.0\.0\.1)?:(\d+)$/, (_, _loopback, port: string) => `=${host}:${port}`),
  );
}

const MESHD_HOST = `127.1.${(process.pid >> 8) & 255}.${process.pid & 255}`;
const POLICY_HOST = `127.2.${(process.pid >> 8) & 255}.${process.pid & 255}`;

/** Values of the downward API become texts. */
function environmentOf({ env }: Container): Record<string, string> {
  return Object.fromEntries(env.map(({ name, value }) => [name, value ?? 'mesh-system']));
}

function start(t: ExecutionContext, program: ProgramName, container: Container, args: readonly string[]) {
  const command = ['setpriv', '--pdeathsig', 'KILL', process.execPath, programFile(program), ...args];
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
  const folder = await emptyFolder(t);
  const discovery = containerOf('meshd');
  const policy = containerOf('navigator-policy');
  const page = async (host: string, port: number, path: string) => {
    const answer = await fetch(`http://${host}:${port}${path}`);
    return { status: answer.status, body: await answer.text() };
  };
  const ready = (server: ReturnType<typeof start>, host: string) =>
    eventually(`${server.name} is ready`, async () => {
      if (!server.isRunning()) throw new Error(server.tail());
      return (await page(host, 15014, '/ready')).status === 200;
    });

  // In a cluster the pod's own account replaces --orchconfig.
  const args = [...argumentsHere(discovery, folder, MESHD_HOST), `--orchconfig=${api.kubeconfig}`];
  t.is(args.length, discovery.args.length + 1);
  const meshd = start(t, 'navigator-discovery', discovery, args);
  await ready(meshd, MESHD_HOST);
  t.is((await page(MESHD_HOST, 15014, '/version')).status, 200);
  t.deepEqual(JSON.parse((await page(MESHD_HOST, 8080, '/debug/config_problems')).body), []);

  await writeSecrets(api, folder);
  // The name of the Service; here the server is on loopback.
  const name = '--discoveryServerName=meshd.mesh-system.svc';
  const servers = start(t, 'navigator-policy', policy, [...argumentsHere(policy, folder, POLICY_HOST), name]);
  await ready(servers, POLICY_HOST);
  t.is((await page(POLICY_HOST, 15014, '/version')).status, 200);

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

/** The files of the volumes `roots` and `token` of the policy servers. */
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
