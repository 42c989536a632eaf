import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { PLUGGED_IN_FILES } from '../../../src/ca/authority/plugged-in.js';
import type { MaterialTexts } from '../../../src/ca/authority/signing-material.js';
import { writeWhole } from '../../support/write-whole.js';
import type { OpenSsl } from './openssl.js';

const CA = ['-addext', 'basicConstraints=critical,CA:TRUE', '-addext', 'keyUsage=critical,keyCertSign'];
const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** What openssl calls one certificate of its own making, its key beside it. */
export interface MadeCertificate {
  readonly name: string;
  readonly issuer?: string;
  readonly days?: number;
  /** Arguments of `openssl req` that make the key. */
  readonly key?: readonly string[];
  /** Arguments that make it a CA; empty for none. */
  readonly extensions?: readonly string[];
}

export async function makeCertificate(
  openssl: OpenSsl,
  { name, issuer, days = 30, key = NEW_KEY, extensions = CA }: MadeCertificate,
): Promise<string> {
  const signer = issuer === undefined ? [] : ['-CA', `${issuer}.pem`, '-CAkey', `${issuer}.key`];
  const subject = ['-subj', `/O=example/CN=${name}`];
  const validity = ['-days', String(days)];
  await openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    `${name}.key`,
    ...subject,
    ...validity,
    ...signer,
    ...extensions,
    '-out',
    `${name}.pem`,
  );
  return await openssl('x509', '-in', `${name}.pem`);
}

export async function keyOf(openssl: OpenSsl, name: string): Promise<string> {
  return await openssl('pkey', '-in', `${name}.key`);
}

/** A root, a CA below it, and one below that whose key is ours; its chain has the root as well, as some tools write it. */
export async function makePluggedIn(openssl: OpenSsl, days = 30): Promise<MaterialTexts> {
  const roots = await makeCertificate(openssl, { name: 'root' });
  const middle = await makeCertificate(openssl, { name: 'middle', issuer: 'root' });
  const certificate = await makeCertificate(openssl, { name: 'ca', issuer: 'middle', days });
  return { privateKey: await keyOf(openssl, 'ca'), certificate, chain: certificate + middle + roots, roots };
}

/** A folder such as ROOT_CA_DIR; `undefined` leaves a file out. */
export async function createFolder(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'navigator-ca-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function writeFolder(folder: string, texts: Partial<MaterialTexts>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [part, text] of Object.entries(texts)) {
    await writeWhole(join(folder, PLUGGED_IN_FILES[part as keyof MaterialTexts]), text);
  }
}
