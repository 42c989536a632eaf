import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { eventually } from '../counterparts/eventually.js';
import { findFreePorts } from '../counterparts/kubernetes/free-ports.js';
import { startManagedProcess } from '../counterparts/managed-process.js';
import { projectRoot } from '../counterparts/project-root.js';
import { type Container, findDeployment, findDocument } from './support/read-documents.js';

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

test('both programs start with exactly the arguments and settings of their Deployments, and become ready', async (t) => {
  const folder = await writeSettings(t);
  const mesh = join(folder, 'cluster');
  await mkdir(mesh);
  const discovery = containerOf('meshd');
  const policy = containerOf('navigator-policy');
  const ports = [15010, 15012, 15017, 8080, 15014, 15016];
  const [first, second, ...free] = await findFreePorts(ports.length + 2);
  const discoveryPorts = new Map(ports.map((port, index) => [port, Number(free[index])]));
  const policyPorts = new Map([
    [15010, Number(discoveryPorts.get(15010))],
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

  // Beside a cluster there would be no --configDir.
  const args = [...argumentsHere(discovery, folder, discoveryPorts), `--configDir=${mesh}`];
  t.is(args.length, discovery.args.length + 1);
  const meshd = start(t, 'main.js', discovery, args);
  await ready(meshd, discoveryPorts.get(15014));
  t.is((await page(discoveryPorts.get(15014), '/version')).status, 200);
  t.deepEqual(JSON.parse((await page(discoveryPorts.get(8080), '/debug/config_problems')).body), []);

  const servers = start(t, 'policy-main.js', policy, argumentsHere(policy, folder, policyPorts));
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
