import type { Redis } from 'ioredis';

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

/** What Redis answers instead of a reply. Any other error means that the connection is lost. */
export class RedisReplyError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RedisReplyError';
  }
}

/** One connection to a Redis. It is not made again when it is lost. */
export interface RedisSession {
  /** Rejects with RedisReplyError, or with an Error that says why the connection is lost. */
  command(name: string, ...args: readonly (string | number)[]): Promise<unknown>;
  /** Settles with the reason when the connection has ended. */
  readonly ended: Promise<string>;
  /** Ends the connection at once; commands on their way reject. */
  close(): void;
}

/** Connects, and does nothing more: whoever gets the session logs in. Rejects with the reason. */
export async function openRedisSession(endpoint: RedisEndpoint, connectTimeoutMs: number): Promise<RedisSession> {
  // Loaded when it is needed: it takes longer than the rest of the server's start. Of a package in CommonJS, a bundle has
  // the default export alone.
  const { default: ioredis } = await import('ioredis');
  const { host, port, tls } = endpoint;
  const client: Redis = new ioredis.Redis({
    host,
    port,
    ...(tls !== undefined && { tls: tls.ca === undefined ? {} : { ca: tls.ca } }),
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
    const message = error instanceof Error ? error.message : String(error);
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
        return await client.call(name, ...args);
      } catch (error) {
        // Not the error itself: it holds the command with its arguments, a password among them.
        if (error instanceof Error && error.name === 'ReplyError') throw new RedisReplyError(error.message);
        throw new Error(reasonOf(error));
      }
    },
    ended,
    close: () => client.disconnect(),
  };
}
