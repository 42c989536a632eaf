import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { runCommand } from '../counterparts/command.js';
import { type ApiServer, startApiServer } from '../counterparts/kubernetes/api-server.js';
import { projectRoot } from '../counterparts/project-root.js';
import { requireKubernetesAndKubectl } from '../manifests/support/kubectl.js';
import { namespaceManifest } from '../sources/kubernetes/support/manifests.js';
import { eventually } from '../support/eventually.js';
import { commandBlocksOf } from '../support/page-commands.js';
import { startServer } from './support/running-server.js';
import { serve, untilRead, watchEndpoints } from './support/two-clusters.js';

const { available: binary } = requireKubernetesAndKubectl();
const it = binary === undefined ? test.skip : test;

/** One kubeconfig with a context for each, as a person has. */
async function writeContexts(clusters: Readonly<Record<string, ApiServer>>, file: string): Promise<void> {
  const names = Object.keys(clusters);
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: Object.entries(clusters).map(([name, { url, ca }]) => ({
      name,
      cluster: { server: url, 'certificate-authority-data': ca().toString('base64') },
    })),
    users: names.map((name) => ({ name, user: { token: 'admin-token' } })),
    contexts: names.map((name) => ({ name, context: { cluster: name, user: name } })),
  };
  await writeFile(file, JSON.stringify(kubeconfig));
}

it('a cluster joins by the commands of docs/kubernetes.md, with no more rights than the sample gives', async (t) => {
  const program = String(binary);
  const [east, west] = await Promise.all([
    startApiServer({ binary: program }),
    startApiServer({ binary: program, controllers: true }),
  ]);
  t.teardown(() => Promise.all([east.close(), west.close()]));
  await east.client.apply(namespaceManifest('mesh-system'));
  for (const { client } of [east, west]) await client.apply(namespaceManifest('shop'));
  await serve(east, 'books', ['10.0.0.1']);
  await serve(west, 'books', ['10.1.0.1']);

  const server = await startServer(t, { orchConfig: east.kubeconfig });
  const { has } = await watchEndpoints(t, server.grpcPort);
  await has('10.0.0.1');

  const script = commandBlocksOf('docs/kubernetes.md').find(({ heading }) => heading === 'Several clusters')?.text;
  if (script === undefined) return t.fail('docs/kubernetes.md has no commands for several clusters');
  const contexts = join(east.folder, 'contexts');
  await writeContexts({ east, west }, contexts);
  const cd = `cd '${projectRoot()}'; export KUBECONFIG='${contexts}' KUBECACHEDIR='${east.folder}'`;
  await runCommand(['bash', '-euo', 'pipefail', '-c', `${cd}\n${script}`]);

  await has('10.0.0.1', '10.1.0.1');
  await untilRead(server, 1);
  t.deepEqual(await server.http.json('/debug/config_problems'), []);

  // As the sample says: whoever deletes the token takes the access back. What was read stays, and somebody is told.
  await runCommand(['kubectl', '--kubeconfig', contexts, '--context', 'west', ...DELETE_TOKEN.split(' ')]);
  await west.stopApi();
  await west.startApi();
  await eventually('the refusal is told', async () => {
    const [problem] = await server.http.json<readonly { readonly reason: string }[]>('/debug/config_problems');
    return problem?.reason.includes('Unauthorized') === true;
  });
  await has('10.0.0.1', '10.1.0.1');
});

const DELETE_TOKEN = '--namespace mesh-system delete secret navigator-reader';
