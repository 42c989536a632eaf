import type { ConnectionSpec } from '../../../config/policy-rules/connection.js';
import type { ReadCredential } from './credential-files.js';

type Tls = NonNullable<NonNullable<ConnectionSpec['authentication']>['tls']>;

/** The token of calls. */
export interface TokenSource {
  /** The token in force, without a promise when it is at hand. @throws Error without a usable token */
  current(): string | Promise<string>;
  /** Reads it again, if it comes from a file. Never rejects. */
  refresh(): Promise<void>;
  close(): void;
}

/** A header of every call. */
export interface TokenHeader {
  readonly name: string;
  readonly value: string;
}

/** Where the token of a call goes: as `Bearer` into `authorization` unless the connection says otherwise. */
export function tokenHeader({ authHeader, customHeader }: Tls, token: string): TokenHeader {
  if (customHeader !== undefined) return { name: customHeader.toLowerCase(), value: token };
  return { name: 'authorization', value: authHeader === 'PLAIN' ? token : `Bearer ${token}` };
}

/** Printable characters: others would end the header. */
const TOKEN = /^[\x21-\x7e]{1,16384}$/;

/** @throws Error that does not show the token */
export function checkedToken(text: string, from: string): string {
  const token = text.trim();
  if (TOKEN.test(token)) return token;
  throw new Error(`${from} has no usable token: a token has printable characters without spaces`);
}

/** A token in a file. */
export function createFileToken(file: string, read: ReadCredential): TokenSource {
  let token: string | Error = new Error(`${JSON.stringify(file)} was not read yet`);
  const refresh = async (): Promise<void> => {
    try {
      token = checkedToken(await read(file), JSON.stringify(file));
    } catch (error) {
      token = error instanceof Error ? error : new Error(`${JSON.stringify(file)} cannot be read`);
    }
  };
  return {
    current: () => {
      if (token instanceof Error) throw token;
      return token;
    },
    refresh,
    close: () => undefined,
  };
}
