import type { Clock } from '../../../base/clock.js';
import { errorText } from '../../../base/error-text.js';
import { firstSorted } from '../../../base/first-sorted.js';
import type { RedisStorage } from '../../../config/policy-server/policy-server-config.js';
import type { Logger } from '../../../telemetry/logger.js';
import { PolicyTransportError } from '../../client/policy-transport.js';
import type { QuotaStore } from '../quota-store.js';
import { chargeParameters, counterKey, readChargeReply } from './charge-call.js';
import { CHARGE_SCRIPT, scriptHash } from './charge-script.js';
import { keepCommand, type RedisCommand, takeCommand } from './receipt-call.js';
import { createRecentCounters } from './recent-counters.js';
import { createRedisLink } from './redis-link.js';
import { type ConnectToRedis, RedisReplyError, type RedisSession, readComplaint } from './redis-session.js';
import { readRefundReply, readSecretReply, refundCommand, secretCommand } from './refund-call.js';
import { RESERVE_SCRIPT, readReserveReply, reserveParameters } from './reserve-call.js';
import { readServersReply, serversCommand } from './servers-call.js';
import { readUseReply, useCommand } from './use-call.js';

export interface RedisStoreOptions {
  readonly storage: RedisStorage;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Called when Redis becomes usable, and when it becomes unusable. */
  readonly onChange?: (isUp: boolean) => void;
  /** For a Redis that another party names. Default: the address is trusted. */
  readonly connect?: ConnectToRedis;
}

const HASHES: ReadonlyMap<string, string> = new Map(
  [CHARGE_SCRIPT, RESERVE_SCRIPT].map((script) => [script, scriptHash(script)]),
);

/**
 * Counts in a Redis, exactly for any number of servers. Without a connection every charge rejects at once, and the
 * store connects again with backoff.
 *
 * All keys begin with the prefix as a hash tag and end with a hash: Redis contains no readable value of a caller, and
 * all keys have the same size. Charges that a failed Redis had not copied to its replica are lost.
 */
export function createRedisStore(options: RedisStoreOptions): QuotaStore {
  const { storage, clock, random, logger, onChange = () => {} } = options;
  const { keyPrefix, timeoutMs } = storage;
  const { connect } = options;
  let secret: string | undefined;
  const changed = (isUp: boolean): void => {
    // Another Redis may have another secret.
    secret = undefined;
    onChange(isUp);
  };
  const link = createRedisLink({ storage, script: CHARGE_SCRIPT, clock, random, logger, onChange: changed, connect });
  const lastReplyMs = new WeakMap<RedisSession, number>();
  const running = new Set<Promise<unknown>>();
  const recent = createRecentCounters();

  const run = async (
    session: RedisSession,
    script: string,
    parameters: readonly (string | number)[],
  ): Promise<unknown> => {
    try {
      return await session.command('EVALSHA', HASHES.get(script) ?? '', ...parameters);
    } catch (error) {
      if (readComplaint(errorText(error)).type !== 'noScript') throw error;
      // Redis does not have the script yet, or its scripts were flushed. A script that did not run has charged nothing.
      return session.command('EVAL', script, ...parameters);
    }
  };

  /**
   * After a stall of this process, timers run before data that arrived meanwhile. The rest of that turn of the event
   * loop reads the data, so that a Redis that answered in time is not dropped.
   */
  const scheduleDeadline = (waitMs: number, expire: () => void): (() => void) => {
    let turn: NodeJS.Immediate | undefined;
    const stopTimer = clock.schedule(waitMs, () => {
      turn = setImmediate(expire);
    });
    return () => {
      stopTimer();
      clearImmediate(turn);
    };
  };

  const ask = async (run: (session: RedisSession) => Promise<unknown>): Promise<unknown> => {
    let session: RedisSession;
    try {
      session = await link.session();
    } catch (error) {
      throw unreachable(error);
    }
    const startedMs = clock.monotonicMs();
    const stopTimer = scheduleDeadline(timeoutMs, () => {
      // A Redis that answers other requests is slow. A Redis without any answer may be stuck.
      if ((lastReplyMs.get(session) ?? 0) < startedMs) link.drop(session, `no answer within ${timeoutMs} ms`);
    });
    try {
      const reply = await run(session);
      lastReplyMs.set(session, clock.monotonicMs());
      return reply;
    } catch (error) {
      lastReplyMs.set(session, clock.monotonicMs());
      throw explain(session, error);
    } finally {
      stopTimer();
    }
  };

  const explain = (session: RedisSession, error: unknown): PolicyTransportError => {
    const message = errorText(error);
    if (!(error instanceof RedisReplyError)) {
      link.drop(session, message);
      return unreachable(error);
    }
    const complaint = readComplaint(message);
    switch (complaint.type) {
      case 'moved':
        link.follow(session, complaint.host, complaint.port);
        return unreachable(error);
      case 'unusable':
        link.drop(session, message);
        return unreachable(error);
      case 'noScript':
      case 'other':
        return new PolicyTransportError('other', `Redis could not count quotas: ${message}`);
    }
  };

  const withDeadline = (answer: Promise<unknown>, waitMs: number): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const stopTimer = scheduleDeadline(waitMs, () => {
        reject(new PolicyTransportError('timeout', `Redis did not count quotas within ${waitMs} ms`));
      });
      answer.then(resolve, reject).finally(stopTimer);
    });

  const finish = async (asked: Promise<unknown>, waitMs = timeoutMs): Promise<unknown> => {
    const answer = withDeadline(asked, Math.min(timeoutMs, waitMs));
    running.add(answer);
    try {
      return await answer;
    } finally {
      running.delete(answer);
    }
  };
  const command = (wanted: RedisCommand): Promise<unknown> => finish(ask((session) => session.command(...wanted)));

  return {
    type: 'redis',
    charge: async (request) => {
      for (const { counter } of request.charges) recent.note(counter);
      const parameters = chargeParameters(request, keyPrefix);
      const reply = await finish(
        ask((session) => run(session, CHARGE_SCRIPT, parameters)),
        request.timeoutMs,
      );
      return readChargeReply(reply, request.charges);
    },
    reserve: async (request) => {
      recent.note(request.counter);
      const parameters = reserveParameters(request, keyPrefix);
      return readReserveReply(await finish(ask((session) => run(session, RESERVE_SCRIPT, parameters))));
    },
    countServers: async (id) => readServersReply(await command(serversCommand(id, keyPrefix))),
    keepReceipt: async (id, text) => {
      await command(keepCommand(id, text, keyPrefix));
    },
    takeReceipt: async (id, taker) => {
      const reply = await command(takeCommand(id, taker, keyPrefix));
      return typeof reply === 'string' ? reply : undefined;
    },
    refundSecret: () => {
      if (secret !== undefined) return secret;
      return command(secretCommand(keyPrefix)).then((reply) => {
        const known = readSecretReply(reply);
        secret = known;
        return known;
      });
    },
    refund: async (request) => readRefundReply(await command(refundCommand(request, keyPrefix))),
    use: async (group, most) => {
      const keys = recent.keysOf(group.group);
      const reply = keys.length === 0 ? [] : await command(useCommand(group, keys, keyPrefix));
      const used = readUseReply(reply, keys).filter((counter) => counter.used > 0);
      return { largest: firstSorted(used, most, (first, second) => second.used - first.used), counters: undefined };
    },
    reset: async (counter) => {
      await command(['DEL', counterKey(counter, keyPrefix)]);
    },
    // Counters expire in Redis, and servers with another configuration may still use them.
    keepOnly: recent.keepOnly,
    isUp: link.isUp,
    close: async () => {
      // Redis may have counted these charges already: without the reply, the fail policies would answer. Each charge
      // ends at its deadline.
      await Promise.allSettled(running);
      await link.close();
    },
  };
}

function unreachable(error: unknown): PolicyTransportError {
  return new PolicyTransportError('send', `The Redis that counts quotas cannot be reached: ${errorText(error)}`);
}
