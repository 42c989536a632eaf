import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { loadAll } from 'js-yaml';
import { BenchError } from '../../../bench/cli/bench-error.js';
import { buildServiceChanges } from '../../../bench/mesh/mesh-change.js';
import { meshFiles, writeMeshFolder } from '../../../bench/mesh/mesh-folder.js';
import { buildMeshServices } from '../../../bench/mesh/mesh-shape.js';
import { MeshFolderChanges } from '../../../bench/subject/mesh-folder-changes.js';

const SIZE = { services: 12, endpointsPerService: 2, namespaces: 3, routed: 0, scopes: 0 };
const SERVICES = buildMeshServices(SIZE);
const FILES = meshFiles(SERVICES, SIZE);

async function createFolders(t: ExecutionContext) {
  const root = await mkdtemp(join(tmpdir(), 'bench-mesh-test-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  return { meshFolder: join(root, 'mesh'), stagingFolder: join(root, 'staging') };
}

function changeOf(repeats: number) {
  const [change] = buildServiceChanges(SERVICES, repeats);
  if (change === undefined) throw new Error('no change was built');
  return change;
}

test('each file holds a Service and the EndpointSlice that belongs to it', async (t) => {
  const { meshFolder } = await createFolders(t);
  await writeMeshFolder(meshFolder, FILES);
  t.is((await readdir(meshFolder, { recursive: true })).filter((name) => name.endsWith('.yaml')).length, 12);
  const documents = loadAll(await readFile(join(meshFolder, 'ns-0/svc-00003.yaml'), 'utf8'));
  t.like(documents[0], {
    kind: 'Service',
    metadata: { name: 'svc-00003', namespace: 'ns-0' },
    spec: { clusterIP: '10.96.0.4', ports: [{ name: 'tcp-data', port: 9000, targetPort: 9000, protocol: 'TCP' }] },
  });
  t.like(documents[1], {
    kind: 'EndpointSlice',
    metadata: { labels: { 'kubernetes.io/service-name': 'svc-00003' } },
    addressType: 'IPv4',
    ports: [{ name: 'tcp-data', port: 9000, protocol: 'TCP' }],
    endpoints: [{ addresses: ['10.1.0.7'], conditions: { ready: true } }, { addresses: ['10.1.0.8'] }],
  });
});

test('a folder with files is not overwritten', async (t) => {
  const { meshFolder } = await createFolders(t);
  await mkdir(meshFolder);
  await writeFile(join(meshFolder, 'mine.yaml'), '');
  await t.throwsAsync(writeMeshFolder(meshFolder, FILES), { instanceOf: BenchError, code: 'folder-not-empty' });
  t.deepEqual(await readdir(meshFolder), ['mine.yaml']);
});

test('a change appears only when it is triggered, and restore reverts it', async (t) => {
  const folders = await createFolders(t);
  await writeMeshFolder(folders.meshFolder, FILES);
  const change = changeOf(1);
  const path = join(folders.meshFolder, change.path);
  const original = await readFile(path, 'utf8');
  const changes = new MeshFolderChanges(folders);

  await changes.prepare({ phase: 'service', repeat: 0, change });
  t.is(await readFile(path, 'utf8'), original);
  await changes.trigger();
  t.regex(await readFile(path, 'utf8'), /port: 80\n/);
  await changes.restore();
  t.is(await readFile(path, 'utf8'), original);
});

test('a folder with other files is neither changed nor restored', async (t) => {
  const folders = await createFolders(t);
  const change = changeOf(1);
  const path = join(folders.meshFolder, change.path);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, 'mine');
  const changes = new MeshFolderChanges(folders);
  await t.throwsAsync(changes.prepare({ phase: 'service', repeat: 0, change }), {
    instanceOf: BenchError,
    code: 'mesh-folder-differs',
    message: /is not what the bench would have written/,
  });
  await changes.restore();
  t.is(await readFile(path, 'utf8'), 'mine');
});
