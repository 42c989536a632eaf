import { createPublicKey } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.js';
import { createLocalAuthority } from '../../src/ca/authority/local-authority.js';
import type { MaterialTexts } from '../../src/ca/authority/signing-material.js';
import { DAY_MS, ecKey, materialOf, selfSigned } from '../ca/support/material.js';
import { writeFolder } from '../ca/support/plugged-in.js';

/** PEM, both. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** A folder such as ROOT_CA_DIR, whose authority the test knows too. */
export interface PluggedInAuthority {
  readonly folder: string;
  /** Writes material into the folder. */
  write(texts: Partial<MaterialTexts>): Promise<void>;
  remove(): Promise<void>;
}

export async function createPluggedInAuthority(texts: MaterialTexts): Promise<PluggedInAuthority> {
  const folder = await mkdtemp(join(tmpdir(), 'navigator-ca-'));
  await writeFolder(folder, texts);
  return {
    folder,
    write: (changed) => writeFolder(folder, changed),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** A new root, to sign with. */
export function createRoot(organization = 'cluster.local'): Promise<MaterialTexts> {
  return selfSigned({ organization });
}

/** A certificate of a workload, signed by the root. @param id its SPIFFE id */
export async function issueFor(texts: MaterialTexts, id: string): Promise<KeyPair> {
  const authority = createLocalAuthority({ clock: systemClock, ttls: { defaultMs: DAY_MS, maxMs: DAY_MS } });
  authority.replace(materialOf(texts));
  const privateKey = ecKey();
  const { chain } = await authority.issue({
    publicKey: createPublicKey(privateKey),
    subjectAltNames: [{ type: 'uri', value: id }],
    ttlMs: 0,
  });
  return { certificate: chain.join(''), key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}
