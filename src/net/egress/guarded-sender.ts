import { once } from 'node:events';
import { type IncomingMessage, Agent as PlainAgent, request as requestPlain } from 'node:http';
import { request as requestSecured, Agent as SecuredAgent } from 'node:https';
import { errorText } from '../../base/error-text.js';
import type { EgressRules } from './egress-rules.js';
import { parseTarget, readBytes } from './guarded-fetch.js';
import { createGuardedLookup, type ResolveName } from './guarded-lookup.js';

export interface SentMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  readonly timeoutMs: number;
}

export interface SentAnswer {
  readonly status: number;
  /** Of at most 64 KiB. */
  readonly body: Uint8Array;
}

/** Sends messages over http and https to addresses that the rules allow. Its connections are kept for the next messages. */
export interface GuardedSender {
  /**
   * Redirects are answers too, because headers may have secrets.
   *
   * @throws Error without an answer. Its message has nothing of headers and body
   */
  post(message: SentMessage): Promise<SentAnswer>;
  /** Closes the connections. Messages under way fail. */
  close(): void;
}

const MAX_BYTES = 64 * 1024;
const MAX_CONNECTIONS = 4;
const IDLE_MS = 30_000;

export function createGuardedSender(rules: EgressRules, resolveName?: ResolveName): GuardedSender {
  // An address was checked when its connection was opened, and the rules never change.
  const settings = { keepAlive: true, maxSockets: MAX_CONNECTIONS, timeout: IDLE_MS };
  const agents = { plain: new PlainAgent(settings), secured: new SecuredAgent(settings) };
  const lookup = createGuardedLookup(rules, resolveName);
  return {
    post: async ({ url, headers, body, timeoutMs }) => {
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        const target = parseTarget(url, rules, true);
        const shared = {
          method: 'POST',
          lookup,
          signal,
          headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        };
        const call =
          target.protocol === 'http:'
            ? requestPlain(target, { ...shared, agent: agents.plain })
            : requestSecured(target, { ...shared, agent: agents.secured, minVersion: 'TLSv1.2' });
        call.end(body);
        const [answer] = (await once(call, 'response')) as [IncomingMessage];
        // Reading the body reports errors after this point.
        call.on('error', () => undefined);
        return { status: answer.statusCode ?? 0, body: await readBytes(answer, MAX_BYTES) };
      } catch (cause) {
        throw new Error(signal.aborted ? `no complete response within ${timeoutMs} ms` : errorText(cause), { cause });
      }
    },
    close: () => {
      agents.plain.destroy();
      agents.secured.destroy();
    },
  };
}
