import { writeFile } from 'node:fs/promises';

/** A file for the proxy, in a volume that both containers mount. */
export interface WrittenFile {
  readonly path: string;
  readonly content: string;
}

/** All users may read the files: they contain paths of secrets, not secrets. */
const MODE = 0o644;

/** Writes files into existing folders. @throws the error of the system, which names the path */
export async function writeFiles(files: readonly WrittenFile[]): Promise<void> {
  for (const { path, content } of files) await writeFile(path, content, { mode: MODE });
}
