import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../counterparts/project-root.js';

const root = projectRoot();
const PROTOS = join(root, 'proto');
const { descriptorSet } = (await import(`file://${join(root, 'scripts/descriptor-set.mjs')}`)) as {
  descriptorSet(files: readonly string[], ...folders: readonly string[]): Buffer;
};

/** The descriptor of samples/adapters/accounts, in base64: a template with output, and the message Params. */
export const ACCOUNTS = descriptorSet(['accounts.proto'], join(root, 'samples/adapters/accounts'), PROTOS).toString(
  'base64',
);

/** The descriptor of a built-in template as an object of one's own would have it. */
export function descriptorOfTemplate(name: string): string {
  return descriptorSet([`mesh/adapters/templates/${name}.proto`], PROTOS).toString('base64');
}

/** The descriptor of the text of a .proto file, in base64. It may import the files of proto/. */
export function descriptorOf(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'descriptor-'));
  try {
    writeFileSync(join(folder, 'own.proto'), text);
    return descriptorSet(['own.proto'], folder, PROTOS).toString('base64');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
