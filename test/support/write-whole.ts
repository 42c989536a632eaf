import { rename, writeFile } from 'node:fs/promises';

/** A reader sees what was there before or all of this, never a part. */
export async function writeWhole(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}
