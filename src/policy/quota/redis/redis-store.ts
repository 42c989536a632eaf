import type { Clock } from '../../../base/clock.js';
import type { RedisStorage } from '../../../config/policy-server/policy-server-config.js';
import type { Logger } from '../../../telemetry/logger.js';
import { PolicyTransportError } from '../../client/policy-transport.js';
import type { QuotaStore } from '../quota-store.js';
import { chargeParameters, readChargeReply } from './charge-call.js';
import { CHARGE_SCRIPT, scriptHash } from './charge-script.js';
import { createRedisLink } from './redis-link.js';
import { RedisReplyError, type RedisSession, readComplaint } from './redis-session.js';

export interface RedisStoreOptions {
  readonly storage: RedisStorage;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly logger: Logger;
  /** Told when Redis can be asked, and when it cannot any more. */
  readonly onChange?: (isUp: boolean) => void;
}

/**
 * Counts in a Redis, exactly however many servers share it. While it cannot be reached every charge rejects at once;
 * the connection is made anew with back-off.
 *
 * All keys begin with the prefix as a hash tag and end with a hash: values of callers are not to be read in Redis, and
 * take the same memory whatever they are. What a Redis that fails had not yet copied to its replica is lost with it.
 */
export function createRedisStore(options: RedisStoreOptions): QuotaStore {
  const { storage, clock, random, logger, onChange = () => {} } = options;
  const { keyPrefix, timeoutMs } = storage;
  const hash = scriptHash(CHARGE_SCRIPT);
  const link = createRedisLink({ storage, script: CHARGE_SCRIPT, clock, random, logger, onChange });
  const lastReplyMs = new WeakMap<RedisSession, number>();

  const run = async (session: RedisSession, parameters: readonly (string | number)[]): Promise<unknown> => {
    try {
      return await session.command('EVALSHA', hash, ...parameters);
    } catch (error) {
      if (readComplaint(messageOf(error)).type !== 'noScript') throw error;
      // Its scripts were flushed. One that did not run has charged nothing.
      return session.command('EVAL', CHARGE_SCRIPT, ...parameters);
    }
  };

  /**
   * When this process stalls, timers come before what has arrived meanwhile: the rest of that turn of the event loop
   * reads it, so that no Redis is given up on which has answered in time.
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

  const ask = async (parameters: readonly (string | number)[]): Promise<unknown> => {
    let session: RedisSession;
    try {
      session = await link.session();
    } catch (error) {
      throw unreachable(error);
    }
    const startedMs = clock.monotonicMs();
    const stopTimer = scheduleDeadline(timeoutMs, () => {
      // One that answers others is slow; one that answers nobody may never again.
      if ((lastReplyMs.get(session) ?? 0) < startedMs) link.drop(session, `no answer within ${timeoutMs} ms`);
    });
    try {
      const reply = await run(session, parameters);
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
    const message = messageOf(error);
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

  return {
    type: 'redis',
    charge: async (request) => {
      const reply = await withDeadline(
        ask(chargeParameters(request, keyPrefix)),
        Math.min(timeoutMs, request.timeoutMs),
      );
      return readChargeReply(reply, request.charges.length);
    },
    // Its counters expire by themselves, and servers with another configuration may still count in them.
    keepOnly: () => {},
    isUp: link.isUp,
    close: link.close,
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function unreachable(error: unknown): PolicyTransportError {
  return new PolicyTransportError('send', `The Redis that counts quotas cannot be reached: ${messageOf(error)}`);
}
