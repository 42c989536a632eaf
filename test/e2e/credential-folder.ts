import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestCertificate } from '../support/certificate-issuer.js';
import { writeWhole } from '../support/write-whole.js';

/** A folder for NAV_CREDENTIALS_DIR. */
export interface CredentialFolder {
  readonly path: string;
  /** Writes a credential of a namespace. @param roots of clients; default: none */
  write(namespace: string, name: string, certificate: TestCertificate, roots?: string): Promise<void>;
  remove(): Promise<void>;
}

export async function createCredentialFolder(): Promise<CredentialFolder> {
  const path = await mkdtemp(join(tmpdir(), 'navigator-credentials-'));
  // Envoy and the server may run as other users.
  await chmod(path, 0o755);
  return {
    path,
    write: async (namespace, name, { certificate, key }, roots) => {
      const place = join(path, namespace, name);
      await mkdir(place, { recursive: true });
      // Both at once, as far as a reader of a folder can see: it keeps the former pair while key and certificate differ.
      await writeWhole(join(place, 'tls.key'), key);
      await writeWhole(join(place, 'tls.crt'), certificate);
      if (roots !== undefined) await writeWhole(join(place, 'ca.crt'), roots);
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}
