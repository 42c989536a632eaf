import { mkdir, mkdtemp, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A folder of its own for one test. */
export interface TempFolder {
  /** Absolute path. */
  readonly path: string;
  write(file: string, text: string): Promise<void>;
  /** Writes beside and renames over, as careful writers do. */
  replace(file: string, text: string): Promise<void>;
  remove(file: string): Promise<void>;
  at(file: string): string;
  dispose(): Promise<void>;
}

export async function createTempFolder(): Promise<TempFolder> {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), 'navigator-test-')));
  const folder = path.join(base, 'config');
  await mkdir(folder);
  const at = (file: string): string => path.join(folder, file);
  const write = async (file: string, text: string): Promise<void> => {
    await mkdir(path.dirname(at(file)), { recursive: true });
    await writeFile(at(file), text);
  };
  return {
    path: folder,
    at,
    write,
    replace: async (file, text) => {
      await write(`${file}.tmp`, text);
      await rename(at(`${file}.tmp`), at(file));
    },
    remove: async (file) => await rm(at(file), { recursive: true, force: true }),
    dispose: async () => await rm(base, { recursive: true, force: true }),
  };
}
