import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** One object as `kubectl apply` takes it. */
export type Manifest = Readonly<Record<string, unknown>>;

/** A folder that a discovery server watches, written so that it never sees half a file. */
export interface ConfigFolder {
  readonly path: string;
  /** Creates or replaces a file: one YAML document for each object. */
  write(file: string, manifests: readonly Manifest[]): Promise<void>;
  writeText(file: string, text: string): Promise<void>;
  remove(file: string): Promise<void>;
}

/** @param path created if missing; files are completed in the folder `<path>.next` first */
export async function createConfigFolder(path: string): Promise<ConfigFolder> {
  const staging = `${path}.next`;
  await mkdir(path, { recursive: true });
  await mkdir(staging, { recursive: true });
  const writeText = async (file: string, text: string): Promise<void> => {
    await writeFile(join(staging, file), text);
    await rename(join(staging, file), join(path, file));
  };
  return {
    path,
    writeText,
    // JSON is YAML too.
    write: (file, manifests) => writeText(file, manifests.map((each) => `${JSON.stringify(each)}\n`).join('---\n')),
    remove: (file) => rm(join(path, file)),
  };
}
