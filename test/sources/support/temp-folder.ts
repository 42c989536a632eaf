import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writeWhole } from '../../support/write-whole.js';

/** A folder of its own for one test. */
export interface TempFolder {
  /** Absolute path. */
  readonly path: string;
  /** Writes beside and renames over, as careful writers do: a reader never finds half of it. */
  write(file: string, text: string): Promise<void>;
  /** Writes in place, so that a reader can find an empty file meanwhile. */
  overwrite(file: string, text: string): Promise<void>;
  remove(file: string): Promise<void>;
  at(file: string): string;
  dispose(): Promise<void>;
}

export async function createTempFolder(): Promise<TempFolder> {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), 'navigator-test-')));
  const folder = path.join(base, 'config');
  await mkdir(folder);
  const at = (file: string): string => path.join(folder, file);
  const createParent = async (file: string): Promise<void> => {
    await mkdir(path.dirname(at(file)), { recursive: true });
  };
  return {
    path: folder,
    at,
    write: async (file, text) => {
      await createParent(file);
      await writeWhole(at(file), text);
    },
    overwrite: async (file, text) => {
      await createParent(file);
      await writeFile(at(file), text);
    },
    remove: async (file) => await rm(at(file), { recursive: true, force: true }),
    dispose: async () => await rm(base, { recursive: true, force: true }),
  };
}
