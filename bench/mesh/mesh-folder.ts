import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BenchError } from '../cli/bench-error.js';
import type { MeshChange } from './mesh-change.js';
import type { MeshService } from './mesh-shape.js';
import { formatServiceFile, serviceFilePath } from './service-yaml.js';

/** Writes one file per service below `folder`, which must be empty or missing. */
export async function writeMeshFolder(folder: string, services: readonly MeshService[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) {
    throw new BenchError('folder-not-empty', `The mesh folder ${folder} is not empty: name one that is, or a new one.`);
  }
  for (const namespace of new Set(services.map((service) => service.namespace))) {
    await mkdir(join(folder, namespace));
  }
  for (const service of services) await writeFile(join(folder, serviceFilePath(service)), formatServiceFile(service));
}

/** A change that is written beside the mesh folder and takes effect in one step. */
export interface StagedChange {
  /** Puts the new file in the old one's place by rename(2): a watcher sees the old content or the new, never half. */
  apply(): Promise<void>;
}

/**
 * Writes the changed file into `stagingFolder`, which must be on the same file system and outside of the mesh
 * folder. Throws when the mesh folder does not hold the file as it was generated: then the flags do not fit the folder.
 */
export async function stageChange(folder: string, stagingFolder: string, change: MeshChange): Promise<StagedChange> {
  const target = join(folder, serviceFilePath(change.after));
  const found = await readFile(target, 'utf8').catch(() => undefined);
  if (found !== formatServiceFile(change.before)) {
    throw new BenchError(
      'mesh-folder-differs',
      `${target} is ${found === undefined ? 'missing' : 'not what the bench would have written'}. Write the folder with ` +
        '"npm run bench -- mesh DIR" and the same --services, --endpoints and --namespaces.',
    );
  }
  return stageService(folder, stagingFolder, change.after);
}

/** Puts a service's file back as it was generated. */
export async function restoreService(folder: string, stagingFolder: string, service: MeshService): Promise<void> {
  const staged = await stageService(folder, stagingFolder, service);
  await staged.apply();
}

async function stageService(folder: string, stagingFolder: string, service: MeshService): Promise<StagedChange> {
  await mkdir(stagingFolder, { recursive: true });
  const staged = join(stagingFolder, `${service.name}.staged`);
  await writeFile(staged, formatServiceFile(service));
  return { apply: () => rename(staged, join(folder, serviceFilePath(service))) };
}
