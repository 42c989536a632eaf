import { createHash } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { ChannelCredentials } from '@grpc/grpc-js';
import type { ConnectionSpec } from '../../../config/policy-rules/connection.js';
import type { ReadCredential } from './credential-files.js';
import { ANY_SERVER, type CheckIdentity, namedOrOwnServer, namedServer } from './server-identity.js';

/** The credentials of connections to an adapter, as its files are at the moment. */
export interface ChannelMaterial {
  /** Equal for equal credentials. */
  readonly version: string;
  readonly channel: ChannelCredentials;
  /** Name that TLS asks for; undefined for plaintext and for names that only URIs have. */
  readonly targetName: string | undefined;
  /** PEM certificates that verify the adapter; undefined: the system's. */
  readonly roots: string | undefined;
}

export interface MaterialOptions {
  readonly connection: ConnectionSpec;
  readonly host: string;
  readonly read: ReadCredential;
  readonly bypassesNames: boolean;
}

/**
 * Reads the files of a connection and makes credentials of them.
 *
 * @throws Error for a file that cannot be read or used; it has nothing of the content
 */
export async function loadChannelMaterial(options: MaterialOptions): Promise<ChannelMaterial> {
  const { connection, host, read, bypassesNames } = options;
  const { tls, mutual } = connection.authentication ?? {};
  if (mutual !== undefined) {
    const [key, cert, ca] = [
      await read(mutual.privateKey),
      await read(mutual.clientCertificate),
      await optional(read, mutual.caCertificates),
    ];
    const name = mutual.serverName || host;
    const identity = bypassesNames ? ANY_SERVER : usable(mutual.clientCertificate, () => namedOrOwnServer(name, cert));
    return secure({ key, cert, ca }, name, host, identity);
  }
  if (tls !== undefined) {
    const name = tls.serverName || host;
    return secure({ ca: await optional(read, tls.caCertificates) }, name, host, namedServer(name));
  }
  return { version: '', channel: ChannelCredentials.createInsecure(), targetName: undefined, roots: undefined };
}

interface Pem {
  readonly key?: string;
  readonly cert?: string;
  readonly ca: string | undefined;
}

function secure({ key, cert, ca }: Pem, name: string, host: string, identity: CheckIdentity): ChannelMaterial {
  const context = usable('the files of authentication', () =>
    createSecureContext({
      minVersion: 'TLSv1.2',
      ...(key !== undefined && { key }),
      ...(cert !== undefined && { cert }),
      ...(ca !== undefined && { ca }),
    }),
  );
  const channel = ChannelCredentials.createFromSecureContext(context, {
    checkServerIdentity: (_, certificate) => identity(certificate),
  });
  const version = createHash('sha256');
  for (const part of [key, cert, ca]) version.update(`${part?.length ?? ''}:${part ?? ''}`);
  const targetName = name.includes('://') ? host : name;
  return { version: version.digest('hex'), channel, targetName, roots: ca };
}

async function optional(read: ReadCredential, file: string | undefined): Promise<string | undefined> {
  return file === undefined || file === '' ? undefined : read(file);
}

/** Errors of the TLS library can quote what they could not read. */
function usable<Value>(what: string, make: () => Value): Value {
  try {
    return make();
  } catch {
    throw new Error(`${what} cannot be used: write PEM certificates, and the key of the client certificate`);
  }
}
