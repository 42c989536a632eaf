import { chmod, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Names of the files, PEM. */
const CERTIFICATE_FILES = { certificateChain: 'cert.pem', privateKey: 'key.pem', roots: 'roots.pem' } as const;

/** The content of the files. */
export interface CertificateTexts {
  readonly certificateChain: string;
  /** PKCS #8. */
  readonly privateKey: string;
  readonly roots: string;
}

/** The application may run as any user, and only containers of the pod mount the volume. */
const FILE_MODE = 0o444;
const FOLDER_MODE = 0o755;

/**
 * Writes the files of a folder so that a reader never sees a key without its certificate: the folder is a link to the
 * present version, and a rename replaces the link.
 *
 * @param folder the link. The folder around it must exist
 * @returns writes a version. @throws the error of the system, which names the path
 */
export function createCertificateFolder(folder: string): (texts: CertificateTexts) => Promise<void> {
  const parent = path.dirname(folder);
  const prefix = `..${path.basename(folder)}.`;
  return async (texts) => {
    const version = await mkdtemp(path.join(parent, prefix));
    for (const [field, file] of Object.entries(CERTIFICATE_FILES)) {
      await writeFile(path.join(version, file), texts[field as keyof CertificateTexts], { mode: FILE_MODE });
    }
    await chmod(version, FOLDER_MODE);
    const next = `${version}.next`;
    await symlink(path.basename(version), next);
    await rename(next, folder);
    const others = (await readdir(parent)).filter((name) => name.startsWith(prefix) && name !== path.basename(version));
    for (const name of others) await rm(path.join(parent, name), { recursive: true, force: true });
  };
}
