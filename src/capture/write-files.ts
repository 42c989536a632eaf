import { writeFile } from 'node:fs/promises';

/** A file for the proxy, in a folder that both containers have. */
export interface WrittenFile {
  readonly path: string;
  readonly content: string;
}

/** Anybody may read them: they say where secrets are, not what they are. */
const MODE = 0o644;

/** Writes files whose folders are there. @throws the system's error, which names the path */
export async function writeFiles(files: readonly WrittenFile[]): Promise<void> {
  for (const { path, content } of files) await writeFile(path, content, { mode: MODE });
}
