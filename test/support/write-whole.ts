import { rename, writeFile } from 'node:fs/promises';

/** Replaces a file atomically: a reader sees the old content or the new. */
export async function writeWhole(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}
