import { readFile } from 'node:fs/promises';
import type { RedisStorage } from '../../../config/policy-server/policy-server-config.js';
import type { RedisEndpoint, RedisSession } from './redis-session.js';

/** The endpoint that the configuration names, with certificates as they are now. */
export async function readEndpoint({ address, caFile }: RedisStorage): Promise<RedisEndpoint> {
  const { host, port, isTls } = address;
  if (!isTls) return { host, port };
  return { host, port, tls: caFile === undefined ? {} : { ca: await readFile(caFile, 'utf8') } };
}

/**
 * Makes a session ready to count: logs in, chooses the database, loads the script, and asks for a key, so that a node
 * of a cluster which does not hold our keys says so. Rejects with what Redis answers; a password file is read anew.
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
