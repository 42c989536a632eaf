import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import type { Redis } from 'ioredis';
import { errorText } from '../../../base/error-text.js';
import type { RedisStorage } from '../../../config/policy-server/policy-server-config.js';
import { CheckedConnection } from './checked-connection.js';
import { connectorOptions } from './redis-connector.js';
import { createReplyChecker } from './reply-checker.js';

/** Where a Redis listens. */
export interface RedisEndpoint {
  readonly host: string;
  readonly port: number;
  /** Missing is plaintext. */
  readonly tls?: {
    /** PEM; the system's certificates without it. */
    readonly ca?: string;
  };
}

/** An error reply of Redis. Every other error means that the connection is lost. */
export class RedisReplyError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RedisReplyError';
  }
}

/** One connection to a Redis. A lost connection is not replaced. */
export interface RedisSession {
  /** Rejects with RedisReplyError, or with an Error that names the reason of a lost connection. */
  command(name: string, ...args: readonly (string | number)[]): Promise<unknown>;
  /** Settles with the reason when the connection has ended. */
  readonly ended: Promise<string>;
  /** Ends the connection at once; running commands reject. */
  close(): void;
}

/** Connects to a Redis that another party names. Rejects for an address that is not allowed. */
export type ConnectToRedis = (endpoint: RedisEndpoint, timeoutMs: number) => Promise<Socket>;

/** Characters of an error reply that are kept. */
const MAX_REPLY_TEXT = 256;

/**
 * Connects without logging in. Rejects with the reason.
 *
 * @param connect for a Redis that is not trusted: its replies are checked before the client reads them
 */
export async function openRedisSession(
  endpoint: RedisEndpoint,
  connectTimeoutMs: number,
  connect?: ConnectToRedis,
): Promise<RedisSession> {
  // Loaded at its first use, because it takes longer than the rest of the start. In a bundle, a CommonJS package has
  // only its default export.
  const { default: ioredis } = await import('ioredis');
  const checker = connect && createReplyChecker();
  const client: Redis = new ioredis.Redis({
    ...(connect && checker
      ? connectorOptions(ioredis, async () => new CheckedConnection(await connect(endpoint, connectTimeoutMs), checker))
      : addressOptions(endpoint)),
    protocol: 2,
    lazyConnect: true,
    connectTimeout: connectTimeoutMs,
    retryStrategy: () => null,
    enableOfflineQueue: false,
    enableReadyCheck: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    disableClientInfo: true,
  });
  let lastError: string | undefined;
  client.on('error', (error: Error) => {
    lastError = error.message;
  });
  const ended = new Promise<string>((resolve) => {
    client.once('end', () => resolve(lastError ?? 'the connection was closed'));
  });
  const reasonOf = (error: unknown): string => {
    const message = errorText(error);
    return message === 'Connection is closed.' ? (lastError ?? message) : message;
  };
  try {
    await client.connect();
  } catch (error) {
    client.disconnect();
    throw new Error(reasonOf(error));
  }
  return {
    command: async (name, ...args) => {
      try {
        checker?.expect();
        return await client.call(name, ...args);
      } catch (error) {
        // The error itself contains the command with its arguments, for example a password.
        if (error instanceof Error && error.name === 'ReplyError') {
          throw new RedisReplyError(error.message.slice(0, MAX_REPLY_TEXT));
        }
        throw new Error(reasonOf(error));
      }
    },
    ended,
    close: () => client.disconnect(),
  };
}

function addressOptions({ host, port, tls }: RedisEndpoint) {
  return { host, port, ...(tls !== undefined && { tls: tls.ca === undefined ? {} : { ca: tls.ca } }) };
}

/** The endpoint that the configuration names, with certificates as they are now. */
export async function readEndpoint({ address, caFile }: RedisStorage): Promise<RedisEndpoint> {
  const { host, port, isTls } = address;
  if (!isTls) return { host, port };
  return { host, port, tls: caFile === undefined ? {} : { ca: await readFile(caFile, 'utf8') } };
}

/**
 * Prepares a session: logs in, chooses the database, loads the script, and asks for a key, so that a cluster node
 * without our keys reports it. Rejects with the reply of Redis. The password file is read each time.
 */
export async function logIn(session: RedisSession, storage: RedisStorage, script: string): Promise<void> {
  const { address, keyPrefix } = storage;
  const password = await readPassword(storage);
  if (password !== undefined) {
    const user = address.username === undefined ? [] : [address.username];
    await session.command('AUTH', ...user, password);
  }
  if (address.database !== 0) await session.command('SELECT', address.database);
  await session.command('SCRIPT', 'LOAD', script);
  await session.command('EXISTS', `{${keyPrefix}}`);
}

async function readPassword({ address, passwordFile }: RedisStorage): Promise<string | undefined> {
  if (passwordFile === undefined) return address.password?.();
  // Editors and most ways of mounting secrets end a file with a line break.
  return (await readFile(passwordFile, 'utf8')).replace(/\r?\n$/, '');
}

/** The meaning of an error reply of Redis. */
export type RedisComplaint =
  /** Another node of the cluster has our keys. An empty host means the node that answered. */
  | { readonly type: 'moved'; readonly host: string; readonly port: number }
  /** Redis does not have the script. */
  | { readonly type: 'noScript' }
  /** This server cannot count now; another one might answer at the same address. */
  | { readonly type: 'unusable' }
  | { readonly type: 'other' };

const UNUSABLE = /^(?:READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS|UNBLOCKED|NOAUTH) /;

/** Reads the text of an error reply. */
export function readComplaint(message: string): RedisComplaint {
  const [, address] = /^MOVED \d+ (\S+)$/.exec(message) ?? [];
  if (address !== undefined) {
    const colon = address.lastIndexOf(':');
    return { type: 'moved', host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
  }
  if (message.startsWith('NOSCRIPT')) return { type: 'noScript' };
  return { type: UNUSABLE.test(message) ? 'unusable' : 'other' };
}
