import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { checkMaterial } from '../../../src/ca/authority/check-material.js';
import { createSelfSignedRoot } from '../../../src/ca/authority/self-signed.js';
import type { MaterialTexts, SigningMaterial } from '../../../src/ca/authority/signing-material.js';
import { organizationName } from '../../../src/ca/x509/build-certificate.js';

export const DAY_MS = 24 * 3_600_000;

/** A self-signed root; by default of an EC key, which is made fast. */
export async function selfSigned({
  key = ecKey(),
  organization = 'cluster.local',
  ttlMs = 3650 * DAY_MS,
  now = new Date(),
  keyId,
}: {
  readonly key?: KeyObject;
  readonly organization?: string;
  readonly ttlMs?: number;
  readonly now?: Date;
  readonly keyId?: Buffer;
} = {}): Promise<MaterialTexts> {
  const subject = organizationName(organization);
  const root = await createSelfSignedRoot(key, { subject, keyId, ttlMs, now });
  return { ...root, chain: '', roots: root.certificate };
}

export function materialOf(texts: MaterialTexts): SigningMaterial {
  const checked = checkMaterial(texts);
  if (checked.type === 'problem') throw new Error(JSON.stringify(checked.problem));
  return checked.material;
}

export function ecKey(namedCurve: 'P-256' | 'P-384' = 'P-256'): KeyObject {
  return generateKeyPairSync('ec', { namedCurve }).privateKey;
}

export function rsaKey(modulusLength = 2048): KeyObject {
  return generateKeyPairSync('rsa', { modulusLength }).privateKey;
}
