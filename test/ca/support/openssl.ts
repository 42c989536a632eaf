import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The openssl command in a folder of the test's own: it shares nothing with the code under test. */
export interface OpenSsl {
  readonly folder: string;
  /** Runs it in the folder; settles with what it prints. Fails when it fails, with what it says. */
  (...args: readonly string[]): Promise<string>;
  /** Writes a file into the folder; returns its name. */
  file(name: string, text: string): Promise<string>;
}

export async function createOpenSsl(t: { teardown(step: () => unknown): unknown }): Promise<OpenSsl> {
  const folder = await mkdtemp(join(tmpdir(), 'navigator-openssl-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const command = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await run('openssl', [...args], { cwd: folder });
    return stdout;
  };
  return Object.assign(command, {
    folder,
    file: async (name: string, text: string) => {
      await writeFile(join(folder, name), text);
      return name;
    },
  });
}

/** Arguments of `openssl req` that make a key of a kind. */
export const KEYS = {
  'EC P-256': ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  'EC P-384': ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384'],
  'EC P-521': ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-521'],
  'EC secp256k1': ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:secp256k1'],
  'EC with explicit parameters': [
    ...['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-pkeyopt', 'ec_param_enc:explicit'],
  ],
  'RSA 1024': ['-newkey', 'rsa:1024'],
  'RSA 2048': ['-newkey', 'rsa:2048'],
  Ed25519: ['-newkey', 'ed25519'],
} as const satisfies Record<string, readonly string[]>;

/** A request by a new key; its subject and names are those of somebody else. */
export async function makeRequest(
  openssl: OpenSsl,
  kind: keyof typeof KEYS,
  ...more: readonly string[]
): Promise<string> {
  const names = ['-subj', '/O=attacker/CN=admin', '-addext', 'subjectAltName=URI:spiffe://td/ns/kube-system/sa/admin'];
  return await openssl('req', '-new', '-nodes', '-keyout', 'request.key', ...KEYS[kind], ...names, ...more);
}
