import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { BenchError } from '../cli/bench-error.js';
import type { MeshChange } from './mesh-change.js';
import type { MeshContent, MeshService } from './mesh-shape.js';
import { formatRoutingFile, routedServices, routingFilePath } from './routing-yaml.js';
import { formatScopeFiles } from './scope-yaml.js';
import { formatServiceFile, serviceFilePath } from './service-yaml.js';

/** The files of a mesh, by path: one for each service, and the objects that route and limit what is seen. */
export function meshFiles(
  services: readonly MeshService[],
  { routed, scopes }: MeshContent,
): ReadonlyMap<string, string> {
  const namespaces = [...new Set(services.map(({ namespace }) => namespace))];
  return new Map([
    ...services.map((service): readonly [string, string] => [serviceFilePath(service), formatServiceFile(service)]),
    ...routedServices(services, routed).map((service): readonly [string, string] => [
      routingFilePath(service),
      formatRoutingFile(service, 0),
    ]),
    ...(scopes === 0 ? [] : formatScopeFiles(namespaces, Math.min(scopes, namespaces.length))),
  ]);
}

/** Writes the files below `folder`, which must be empty or missing. */
export async function writeMeshFolder(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) {
    throw new BenchError('folder-not-empty', `The mesh folder ${folder} is not empty: name one that is, or a new one.`);
  }
  for (const parent of new Set([...files.keys()].map(dirname))) await mkdir(join(folder, parent));
  for (const [path, content] of files) await writeFile(join(folder, path), content);
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
  const target = join(folder, change.path);
  const found = await readFile(target, 'utf8').catch(() => undefined);
  if (found !== change.before) {
    throw new BenchError(
      'mesh-folder-differs',
      `${target} is ${found === undefined ? 'missing' : 'not what the bench would have written'}. Write the folder with ` +
        '"npm run bench -- mesh DIR" and the same --services, --endpoints, --namespaces, --routed and --scopes.',
    );
  }
  return stageFile(folder, stagingFolder, change.path, change.after);
}

/** Creates or replaces a file in one step. */
export async function replaceFile(folder: string, stagingFolder: string, path: string, content: string): Promise<void> {
  const staged = await stageFile(folder, stagingFolder, path, content);
  await staged.apply();
}

async function stageFile(folder: string, stagingFolder: string, path: string, content: string): Promise<StagedChange> {
  await mkdir(stagingFolder, { recursive: true });
  const staged = join(stagingFolder, `${basename(path)}.staged`);
  await writeFile(staged, content);
  return { apply: () => rename(staged, join(folder, path)) };
}
