import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { errorText } from '../../../base/error-text.js';

/** Which files a handler may name. Without a limit, a tenant's adapter could ask for any file of the policy server. */
export interface FileAccess {
  /** Handlers of the mesh's operator may name any file. */
  readonly isOfOperator: boolean;
  /** Folder with one folder for each namespace, whose handlers may name files below it. */
  readonly folder: string;
  /** Of the handler. */
  readonly namespace: string;
}

/** @throws Error that names the file, not its content */
export type ReadCredential = (file: string) => Promise<string>;

const MAX_BYTES = 256 * 1024;

export function createCredentialReader({ isOfOperator, folder, namespace }: FileAccess): ReadCredential {
  const own = resolve(folder, namespace) + sep;
  return async (file) => {
    const refuse = (reason: string, options?: ErrorOptions): Error =>
      new Error(`${JSON.stringify(file)} cannot be read: ${reason}`, options);
    if (!isOfOperator && !resolve(file).startsWith(own)) {
      throw refuse(`handlers of the namespace ${namespace} may name files below ${own} only`);
    }
    try {
      return await readBounded(file);
    } catch (cause) {
      throw refuse(errorText(cause), { cause });
    }
  };
}

async function readBounded(file: string): Promise<string> {
  // Opening a pipe would wait for its other end.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const facts = await handle.stat();
    // A pipe or device could have no end.
    if (!facts.isFile()) throw new Error('it is not a regular file');
    if (facts.size > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`);
    return (await handle.readFile()).toString('utf8');
  } finally {
    await handle.close();
  }
}
