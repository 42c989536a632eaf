import { createBackoff } from '../../../base/backoff.js';
import type { Clock } from '../../../base/clock.js';
import { errorText } from '../../../base/error-text.js';
import type { RedisStorage } from '../../../config/policy-server/policy-server-config.js';
import type { Logger } from '../../../telemetry/logger.js';
import {
  type ConnectToRedis,
  logIn,
  openRedisSession,
  type RedisEndpoint,
  type RedisSession,
  readComplaint,
  readEndpoint,
} from './redis-session.js';

export interface RedisLinkOptions {
  readonly storage: RedisStorage;
  /** Loaded into every connected Redis. */
  readonly script: string;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly onChange: (isUp: boolean) => void;
  /** For a Redis that is not trusted. */
  readonly connect?: ConnectToRedis | undefined;
}

/** Keeps one session to the Redis that counts, and replaces a lost one. */
export interface RedisLink {
  /**
   * The session. Rejects at once without one. Only the first attempt after the start is waited for, so that early
   * requests are not refused.
   */
  session(): Promise<RedisSession>;
  /** Drops a session that is useless, and connects again. */
  drop(session: RedisSession, reason: string): void;
  /** Connects to the node of a cluster that holds our keys. All have one hash tag, so that one node holds them all. */
  follow(session: RedisSession, host: string, port: number): void;
  isUp(): boolean;
  close(): Promise<void>;
}

type State =
  | { readonly type: 'starting'; readonly settled: Promise<void> }
  | { readonly type: 'up'; readonly session: RedisSession }
  | { readonly type: 'down'; readonly reason: string }
  | { readonly type: 'closed' };

const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 2000;
const LEAST_CONNECT_MS = 1000;
/** The number of redirections of a cluster that are followed without a pause. */
const MAX_MOVES = 5;

export function createRedisLink(options: RedisLinkOptions): RedisLink {
  const { storage, script, clock, random, logger, onChange } = options;
  const { host, port } = storage.address;
  const connectTimeoutMs = Math.max(storage.timeoutMs, LEAST_CONNECT_MS);
  let state: State = { type: 'closed' };
  let attempting: RedisSession | undefined;
  let movedTo: Pick<RedisEndpoint, 'host' | 'port'> | undefined;
  let moves = 0;
  const backoff = createBackoff({ initialMs: FIRST_DELAY_MS, maxMs: LONGEST_DELAY_MS, random });
  let upSinceMs = 0;
  let cancelRetry = (): void => {};
  let isClosed = false;

  const goDown = (reason: string): void => {
    const wasDown = state.type === 'down' && state.reason === reason;
    state = { type: 'down', reason };
    if (!wasDown) logger.warn({ redis: `${host}:${port}`, reason }, 'quotas not counted: Redis unreachable');
    onChange(false);
  };

  const retryLater = (): void => {
    cancelRetry = clock.schedule(backoff.nextMs(), () => void attempt());
  };

  const move = (to: string, toPort: number, from: RedisEndpoint): void => {
    movedTo = { host: to === '' ? from.host : to, port: toPort };
    moves++;
  };

  const open = async (endpoint: RedisEndpoint): Promise<RedisSession> => {
    const session = await openRedisSession(endpoint, connectTimeoutMs, options.connect);
    attempting = session;
    const stopTimer = clock.schedule(connectTimeoutMs, () => session.close());
    try {
      await logIn(session, storage, script);
      return session;
    } catch (error) {
      session.close();
      throw error;
    } finally {
      stopTimer();
      attempting = undefined;
    }
  };

  const attempt = async (): Promise<void> => {
    let endpoint: RedisEndpoint = { host, port };
    try {
      endpoint = { ...(await readEndpoint(storage)), ...movedTo };
      const session = await open(endpoint);
      if (isClosed) return session.close();
      upSinceMs = clock.monotonicMs();
      moves = 0;
      state = { type: 'up', session };
      logger.info({ redis: `${endpoint.host}:${endpoint.port}` }, 'quotas counted in Redis');
      onChange(true);
      void session.ended.then((reason) => lose(session, reason));
    } catch (error) {
      if (isClosed) return;
      const reason = errorText(error);
      const complaint = readComplaint(reason);
      if (complaint.type === 'moved' && moves < MAX_MOVES) {
        move(complaint.host, complaint.port, endpoint);
        return attempt();
      }
      movedTo = undefined;
      moves = 0;
      goDown(reason);
      retryLater();
    }
  };

  const lose = (session: RedisSession, reason: string): void => {
    if (isClosed || state.type !== 'up' || state.session !== session) return;
    // A Redis that drops each connection is not asked more often than one that refuses them.
    if (clock.monotonicMs() - upSinceMs >= LONGEST_DELAY_MS) backoff.reset();
    goDown(reason);
    session.close();
    retryLater();
  };

  state = { type: 'starting', settled: attempt() };

  return {
    session: async () => {
      if (state.type === 'starting') await state.settled;
      // Read again, because the state may have changed meanwhile.
      const current = state as State;
      if (current.type === 'up') return current.session;
      throw new Error(current.type === 'down' ? current.reason : 'it is not connected');
    },
    drop: (session, reason) => {
      movedTo = undefined;
      lose(session, reason);
    },
    follow: (session, to, toPort) => {
      if (state.type !== 'up' || state.session !== session) return;
      move(to, toPort, { host, port, ...movedTo });
      goDown('another node of the cluster holds the keys');
      session.close();
      void attempt();
    },
    isUp: () => state.type === 'up',
    close: async () => {
      isClosed = true;
      cancelRetry();
      attempting?.close();
      if (state.type === 'up') state.session.close();
      if (state.type === 'starting') await state.settled;
      state = { type: 'closed' };
    },
  };
}
