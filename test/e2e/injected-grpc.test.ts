import { status } from '@grpc/grpc-js';
import anyTest, { type TestFn } from 'ava';
import { createDefaultMeshConfig } from '../../src/config/mesh/read-mesh-config.js';
import { createCleanup } from '../bootstrap/support/cleanup.js';
import { createHttpReader } from '../bootstrap/support/http-reader.js';
import { type RunningServer, startServer } from '../bootstrap/support/running-server.js';
import { runCommand } from '../counterparts/command.js';
import { findFreePort } from '../counterparts/free-ports.js';
import { findGrpcProgram, GRPC_LANGUAGES, type GrpcClient, startGrpcClient } from '../counterparts/grpc/grpc-client.js';
import { startApiServer } from '../counterparts/kubernetes/api-server.js';
import { requireKubernetes } from '../counterparts/kubernetes/find-testcluster.js';
import { startManagedProcess } from '../counterparts/managed-process.js';
import { programFile } from '../counterparts/program-file.js';
import { createTempFolder } from '../sources/support/temp-folder.js';
import { eventually } from '../support/eventually.js';
import { containerOf, injectShipped, shippedSettings, type TestPod } from '../webhooks/injection/support/injection.js';
import { expand, variablesOf } from '../webhooks/injection/support/proxy-bootstrap.js';
import { fileText, PORT, securedServer } from './proxyless-grpc-mesh.js';

interface Context {
  readonly server: RunningServer;
  readonly clients: ReadonlyMap<string, GrpcClient>;
}

const { available: binary } = requireKubernetes();
const test = anyTest as TestFn<Context>;
const cleanup = createCleanup();
const ADDRESS = '127.0.0.1';
const NAMESPACE = 'default';

/** One pod with an application in each language: the agent serves all of its containers. */
const POD: TestPod = {
  metadata: {
    name: 'go',
    labels: { app: 'go' },
    annotations: { 'inject.mesh.internal/templates': 'grpc-agent' },
  },
  spec: { serviceAccountName: 'grpc', containers: GRPC_LANGUAGES.map((name) => ({ name, image: name })) },
};

/** The command of an injected container, as the kubelet expands it, with its folders in that of the test. */
function commandOf(pod: TestPod, name: string, here: (text: string) => string) {
  const env = variablesOf(pod, ADDRESS, name, NAMESPACE);
  const args = (containerOf(pod, name).args ?? []).map((arg) => here(expand(arg, env)));
  return { command: [process.execPath, programFile('navigator-discovery'), ...args], env };
}

test.before(async (t) => {
  if (binary === undefined) return;
  const api = await startApiServer({ binary });
  cleanup.teardown(() => api.close());
  const metadata = { name: 'grpc', namespace: NAMESPACE };
  await api.client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'mesh-system' } });
  await api.client.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  const mesh = await createTempFolder();
  const server = await startServer(cleanup, {
    orchConfig: api.kubeconfig,
    folder: mesh,
    flags: ['--namespace', 'mesh-system', '--configDir', mesh.path],
    variables: { ENABLE_CA_SERVER: 'true', POD_NAME: 'meshd-0', MESHD_CUSTOM_HOST: 'localhost' },
  });
  cleanup.teardown(() => mesh.dispose());

  // What the kubelet mounts into the pod.
  const folder = await createTempFolder();
  cleanup.teardown(() => folder.dispose());
  const roots = await eventually('roots', async () => {
    const { body } = await api.client.send('GET', `/api/v1/namespaces/${NAMESPACE}/configmaps/mesh-ca-root-cert`);
    return (body as { data?: Record<string, string> }).data?.['root-cert.pem'];
  });
  await folder.write('root-cert.pem', roots);
  const { body } = await api.client.send('POST', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/grpc/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { audiences: ['mesh-ca'] },
  });
  await folder.write('mesh-token', (body as { status: { token: string } }).status.token);

  const defaultConfig = {
    ...createDefaultMeshConfig().defaultConfig,
    discoveryAddress: `localhost:${server.secureGrpcPort}`,
  };
  const pod = injectShipped(POD, shippedSettings({ defaultConfig }), { namespace: NAMESPACE });
  const port = await findFreePort();
  const here = (text: string): string =>
    text
      .replaceAll(/\/etc\/mesh\/grpc|\/var\/run\/secrets\/(mesh|tokens)/g, folder.path)
      .replace('--readyAddr=:15021', `--readyAddr=${ADDRESS}:${port}`);
  const init = commandOf(pod, 'mesh-grpc-bootstrap', here);
  await runCommand(['env', ...Object.entries(init.env).map(([name, value]) => `${name}=${value}`), ...init.command]);
  const agent = startManagedProcess({ name: 'grpc-agent', ...commandOf(pod, 'mesh-grpc-agent', here) });
  cleanup.teardown(() => agent.stop());
  const { path } = (containerOf(pod, 'mesh-grpc-agent')['startupProbe'] as { httpGet: { path: string } }).httpGet;
  await eventually(
    'the startup probe succeeds',
    async () => (await createHttpReader(port).get(path)).status === 200,
  ).catch((cause: Error) => {
    throw new Error(`${cause.message}: ${agent.tail(20)}`, { cause });
  });

  const clients = new Map<string, GrpcClient>();
  for (const language of GRPC_LANGUAGES) {
    if ('missing' in findGrpcProgram(language)) continue;
    const env = Object.entries(variablesOf(pod, ADDRESS, language));
    const variables = Object.fromEntries(env.map(([name, value]) => [name, here(value)]));
    const client = startGrpcClient(language, { variables });
    cleanup.teardown(() => client.stop());
    clients.set(language, client);
  }
  Object.assign(t.context, { server, clients });
});

test.after.always(() => cleanup.run());

for (const language of GRPC_LANGUAGES) {
  const program = findGrpcProgram(language);
  if ('missing' in program && process.env['REQUIRE_COUNTERPARTS'] === '1') throw new Error(program.missing);
  const row = binary !== undefined && 'value' in program ? test.serial : test.skip;

  row(
    `${language}: an injected pod serves and calls in mutual TLS with the identity of its service account`,
    async (t) => {
      const { server, clients } = t.context;
      const client = clients.get(language);
      if (client === undefined) throw new Error(`no client in ${language}`);
      const port = await eventually('a server starts on a free port', async () => {
        const free = await findFreePort();
        await client.serve(`${ADDRESS}:${free}`, language, { secure: true });
        return free;
      });
      await server.folder.write('server.yaml', fileText(securedServer('go', port, port + 1)));
      const say = async (host: string) =>
        (await client.call(`xds:///${host}.example.com:${PORT}`, { secure: true }))[0];
      await eventually('mutual TLS works', async () => {
        const reply = await say('secure-go');
        return reply?.code === status.OK && reply.server === language;
      });
      t.is((await say('impostor-go'))?.code, status.UNAVAILABLE, 'the server has another identity');
      const [plain] = await client.call(`dns:///${ADDRESS}:${port}`);
      t.is(plain?.code, status.UNAVAILABLE, 'the server takes mutual TLS alone');
      await server.folder.remove('server.yaml');
    },
  );
}
