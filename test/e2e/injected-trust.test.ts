import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { createDefaultMeshConfig } from '../../src/config/mesh/read-mesh-config.js';
import { runCommand } from '../counterparts/command.js';
import { startEnvoy } from '../counterparts/envoy.js';
import { type ManagedProcess, startManagedProcess } from '../counterparts/managed-process.js';
import { programFile } from '../counterparts/program-file.js';
import { requireSidecarCounterparts } from '../counterparts/requirement.js';
import { createRig, type Rig, type Workload } from '../counterparts/sidecar-rig.js';
import { createTestAuthority, type TestAuthority } from '../support/certificate-issuer.js';
import { eventually } from '../support/eventually.js';
import { containerOf, injectShipped, podOf, shippedSettings } from '../webhooks/injection/support/injection.js';
import { bootstrapOf } from '../webhooks/injection/support/proxy-bootstrap.js';

interface Context {
  rig: Rig;
  workload: Workload;
  folder: string;
}

const { available } = requireSidecarCounterparts();
const test = anyTest as TestFn<Context>;
const e2eTest = available === undefined ? test.skip : test.serial;

const SETTINGS = shippedSettings({
  defaultConfig: { ...createDefaultMeshConfig().defaultConfig, discoveryAddress: 'localhost:15012' },
});

/** Resolves the callers of tokens; a control plane that never answers. */
const CONTROL_PLANE = `
  const server = require('node:http2').createSecureServer(JSON.parse(process.env.MATERIAL));
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
    console.log('asked with ' + headers.authorization);
  });
  server.on('tlsClientError', (error) => console.log('refused by ' + error.code));
  server.listen(15012, '::', () => console.log('listens'));
`;

function startControlPlane({ rig, workload }: Context, authority: TestAuthority): ManagedProcess {
  const { certificate, key } = authority.issue({ dnsNames: ['localhost'], usages: ['server'] });
  const server = startManagedProcess({
    name: 'control plane',
    command: workload.namespace.enter([process.execPath, '-e', CONTROL_PLANE]),
    env: { MATERIAL: JSON.stringify({ cert: certificate, key }) },
  });
  rig.defer(() => server.stop());
  return server;
}

/** After failures Envoy connects again every thirty seconds at last. */
const RECONNECTED = { timeoutMs: 120_000 };

const says = (server: ManagedProcess, line: string): Promise<unknown> =>
  eventually(line, () => server.lines.some((each) => each.startsWith(line)), RECONNECTED);

/** Changes a volume as kubelets do: files are links into a folder that is swapped. */
async function writeVolume(volume: string, file: string, content: string): Promise<void> {
  const version = `..${process.hrtime.bigint()}`;
  await mkdir(join(volume, version), { recursive: true });
  await writeFile(join(volume, version, file), content);
  await symlink(version, join(volume, '..next'));
  await rename(join(volume, '..next'), join(volume, '..data'));
  await symlink(join('..data', file), join(volume, file)).catch(() => undefined);
}

test.before(async (t) => {
  if (available === undefined) return;
  const folder = await mkdtemp(join(tmpdir(), 'navigator-trust-'));
  const rig = await createRig(available.mode);
  rig.defer(() => rm(folder, { recursive: true, force: true }));
  const workload = await rig.addWorkload({ name: 'web', address: '10.244.0.5', captured: false });
  t.context = { rig, workload, folder };
});

test.after.always(async (t) => {
  await t.context.rig?.close();
});

e2eTest('an injected proxy follows the roots of the control plane, and its own token, without a restart', async (t) => {
  if (available === undefined) return;
  const { rig, workload, folder } = t.context;
  const [first, second] = [createTestAuthority('first root'), createTestAuthority('second root')];
  const setRoots = (...roots: readonly TestAuthority[]): Promise<void> =>
    writeVolume(join(folder, 'mesh'), 'root-cert.pem', roots.map(({ certificate }) => certificate).join('\n'));
  const setToken = (token: string): Promise<void> => writeVolume(join(folder, 'tokens'), 'mesh-token', token);
  await setRoots(first);
  await setToken('token-1');

  // As the kubelet does it, but that volumes are in this folder.
  const here = (text: string): string =>
    text.replaceAll('/var/run/secrets/', `${folder}/`).replaceAll('/etc/mesh/proxy', folder);
  const pod = injectShipped(podOf(), SETTINGS);
  const written = (containerOf(pod, 'mesh-init').args ?? []).filter((arg) => arg.startsWith('--writeFile='));
  const main = programFile('navigator-discovery');
  await runCommand([process.execPath, main, 'capture-traffic', '--interceptionMode=NONE', ...written.map(here)]);
  const bootstrap = JSON.parse(here(JSON.stringify(bootstrapOf(pod))));
  const envoy = startEnvoy({ binary: available.envoy, ...workload, bootstrap });
  rig.defer(() => envoy.stop());

  const before = startControlPlane(t.context, first);
  await says(before, 'asked with Bearer token-1');
  await before.stop('SIGKILL');

  await setRoots(first, second);
  await setToken('token-2');
  const after = startControlPlane(t.context, second);
  await says(after, 'asked with Bearer token-2');
  t.false(after.lines.some((line) => line.includes('token-1')));
  await after.stop('SIGKILL');

  await setRoots(second);
  await eventually('the old root is removed', async () => {
    const updates = await envoy.stat('cluster.meshd.client_ssl_socket_factory.ssl_context_update_by_sds');
    return updates >= 3;
  });
  const stolen = startControlPlane(t.context, first);
  await says(stolen, 'refused by ERR_SSL_TLSV1_ALERT_UNKNOWN_CA');
  t.false(stolen.lines.some((line) => line.startsWith('asked')));
  t.true(envoy.process.isRunning());
});
