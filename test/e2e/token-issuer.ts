import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { startManagedProcess } from '../counterparts/managed-process.js';
import type { Rig } from '../counterparts/sidecar-rig.js';
import { eventually } from '../support/eventually.js';
import { writeWhole } from '../support/write-whole.js';

type Claims = Readonly<Record<string, unknown>>;

/** A key of an issuer, with its public half as a JWKS has it. */
export interface IssuerKey {
  readonly publicKey: JWK;
  /** Signs claims as a token, which is valid for an hour unless they say otherwise. */
  sign(claims: Claims): Promise<string>;
}

export async function createIssuerKey(
  id: string,
  algorithm: 'RS256' | 'ES256' | 'EdDSA' = 'RS256',
): Promise<IssuerKey> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm);
  return {
    publicKey: { ...(await exportJWK(publicKey)), kid: id, alg: algorithm, use: 'sig' },
    sign: (claims) => {
      const exp = Math.floor(Date.now() / 1000) + 3600;
      return new SignJWT({ exp, ...claims }).setProtectedHeader({ alg: algorithm, kid: id }).sign(privateKey);
    },
  };
}

export function keySetOf(...keys: readonly IssuerKey[]): { readonly keys: readonly JWK[] } {
  return { keys: keys.map(({ publicKey }) => publicKey) };
}

/** By path: a document, or a text for the target of a redirect. Other paths answer 404. */
export type Documents = Readonly<Record<string, unknown>>;

/** A server of key sets and discovery documents in the namespace of the control plane. */
export interface DocumentServer {
  /** Replaces all documents. */
  serve(documents: Documents): Promise<void>;
  stop(): Promise<void>;
}

/** @param folder for the file of the documents */
export async function startDocumentServer(rig: Rig, folder: string, port: number): Promise<DocumentServer> {
  const file = join(folder, 'documents.json');
  const serve: DocumentServer['serve'] = (documents) => writeWhole(file, JSON.stringify(documents));
  await serve({});
  const program = fileURLToPath(new URL('./document-server.js', import.meta.url));
  const server = startManagedProcess({
    name: 'document server',
    command: rig.network.router.enter([process.execPath, program, String(port), file]),
  });
  rig.defer(() => server.stop());
  await eventually('the document server listens', () => server.lines.includes('listening'));
  return { serve, stop: () => server.stop() };
}
