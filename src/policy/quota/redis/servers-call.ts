import { PolicyTransportError } from '../../client/policy-transport.js';
import type { RedisCommand } from './receipt-call.js';

const KEPT_MS = 15_000;

/** Notes a server, forgets those that are gone, and counts the others. KEYS: the set. ARGV: the server, how long it is kept. */
const SERVERS_SCRIPT = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local kept = tonumber(ARGV[2])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - kept)
redis.call('PEXPIRE', KEYS[1], kept)
return redis.call('ZCARD', KEYS[1])
`;

export function serversCommand(id: string, keyPrefix: string): RedisCommand {
  return ['EVAL', SERVERS_SCRIPT, 1, `{${keyPrefix}}:s`, id, KEPT_MS];
}

/** @throws PolicyTransportError for any other reply */
export function readServersReply(reply: unknown): number {
  const count = Number(reply);
  if (Number.isInteger(count)) return count;
  throw new PolicyTransportError('other', 'The reply of Redis is not a number of servers');
}
