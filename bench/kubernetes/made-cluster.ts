import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { type ApiServer, startApiServer } from '../../test/counterparts/kubernetes/api-server.js';
import type { KubernetesManifest } from '../../test/counterparts/kubernetes/kubernetes-client.js';
import { projectRoot } from '../../test/counterparts/project-root.js';
import { eventually } from '../../test/support/eventually.js';
import type { Cleanup } from '../run/cleanup.js';
import { clusterObjects, type NewObject } from './cluster-objects.js';
import { buildClusterShape, type ClusterSize } from './cluster-shape.js';
import { fillCluster } from './fill-cluster.js';

export interface MadeClusterOptions {
  /** The testcluster binary. */
  readonly binary: string;
  readonly size: ClusterSize;
  /** Where made clusters are kept. */
  readonly keptFolder: string;
  readonly cleanup: Cleanup;
  readonly progress: (what: string) => void;
}

/** A file system in memory, where there is one: an API server is as fast as its etcd can write. */
const MEMORY_FOLDER = '/dev/shm';
/** Containers often have a few MiB there. A large cluster with its changes needs some hundred. */
const MEMORY_NEEDED_BYTES = 2 * 1024 ** 3;
const PROGRESS_EVERY = 100;

/** The server keeps its certificate authority there. */
const MESH_NAMESPACE: KubernetesManifest = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'mesh-system' } };

/**
 * Starts a real API server with exactly that cluster and with the objects that the server needs. The data of etcd is
 * kept for later runs, and each run works on a copy.
 */
export async function startMadeCluster(options: MadeClusterOptions): Promise<ApiServer> {
  const { binary, size, keptFolder, cleanup, progress } = options;
  const objects = clusterObjects(buildClusterShape(size));
  const folder = await mkdtemp(join(await findFastFolder(), 'navigator-bench-'));
  cleanup.add(() => rm(folder, { recursive: true, force: true }));
  const dataFolder = join(folder, 'etcd');
  const kept = keptFolders(keptFolder, size, objects);
  if (existsSync(kept.folder)) {
    progress('copying the cluster');
    await cp(kept.folder, dataFolder, { recursive: true });
  } else {
    await makeCluster(options, objects, dataFolder);
    await keep(dataFolder, kept);
  }
  progress('starting the API server');
  return await startCluster(binary, dataFolder, cleanup);
}

/** Starts a real API server with the objects that the server needs, and no others. */
export async function startEmptyCluster({
  binary,
  cleanup,
}: Pick<MadeClusterOptions, 'binary' | 'cleanup'>): Promise<ApiServer> {
  const folder = await mkdtemp(join(await findFastFolder(), 'navigator-bench-'));
  cleanup.add(() => rm(folder, { recursive: true, force: true }));
  return await startCluster(binary, join(folder, 'etcd'), cleanup);
}

async function startCluster(binary: string, dataFolder: string, cleanup: Cleanup): Promise<ApiServer> {
  const server = await startApiServer({ binary, dataFolder });
  cleanup.add(() => server.close());
  // Not kept with the other objects, because they change with the schemas.
  await Promise.all([installCrds(server), server.client.apply(MESH_NAMESPACE)]);
  return server;
}

async function findFastFolder(): Promise<string> {
  const system = await statfs(MEMORY_FOLDER).catch(() => undefined);
  return system !== undefined && system.bavail * system.bsize >= MEMORY_NEEDED_BYTES ? MEMORY_FOLDER : tmpdir();
}

async function makeCluster(
  { binary, progress }: MadeClusterOptions,
  objects: readonly (readonly NewObject[])[],
  dataFolder: string,
): Promise<void> {
  progress('making the cluster');
  const server = await startApiServer({ binary, dataFolder });
  try {
    await fillCluster(server.client.send, objects, (done, total) => {
      if (done % PROGRESS_EVERY === 0) progress(`making the cluster: ${done} of ${total} objects`);
    });
  } finally {
    await server.close();
  }
}

interface KeptFolders {
  readonly parent: string;
  /** Prefix of the folders of this size, for all versions of the objects. */
  readonly prefix: string;
  readonly folder: string;
}

function keptFolders(parent: string, size: ClusterSize, objects: readonly (readonly NewObject[])[]): KeptFolders {
  const prefix = `${size.services}x${size.endpointsPerService}-${size.pods}-${size.namespaces}-`;
  const content = hash('sha256', JSON.stringify(objects), 'hex').slice(0, 16);
  return { parent, prefix, folder: join(parent, `${prefix}${content}`) };
}

/** Keeps the data, instead of that of other objects in the same number. */
async function keep(dataFolder: string, { parent, prefix, folder }: KeptFolders): Promise<void> {
  await mkdir(parent, { recursive: true });
  for (const name of await readdir(parent)) {
    if (name.startsWith(prefix)) await rm(join(parent, name), { recursive: true, force: true });
  }
  const fresh = join(parent, `${prefix}new`);
  await cp(dataFolder, fresh, { recursive: true });
  await rename(fresh, folder);
}

interface CustomResourceDefinition extends KubernetesManifest {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string }[];
  };
}

/** Installs our CRDs, and waits until the API server serves them. */
async function installCrds({ client }: ApiServer): Promise<void> {
  const folder = join(projectRoot(), 'crds');
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml'));
  await Promise.all(
    files.map(async (name) => {
      const crd = load(await readFile(join(folder, name), 'utf8')) as CustomResourceDefinition;
      await client.apply(crd);
      const { group, names, versions } = crd.spec;
      const path = `/apis/${group}/${versions[0]?.name ?? ''}/${names.plural}`;
      await eventually(`${path} is served`, async () => (await client.send('GET', path)).status === 200);
    }),
  );
}
