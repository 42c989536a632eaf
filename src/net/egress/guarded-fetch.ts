import { once } from 'node:events';
import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecured } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { errorText } from '../../base/error-text.js';
import type { EgressRules } from './egress-rules.js';
import { createGuardedLookup, type ResolveName } from './guarded-lookup.js';

const MAX_URL_LENGTH = 256;

/** A document of another server cannot be fetched. */
export class FetchError extends Error {
  constructor(url: string, reason: string, options?: ErrorOptions) {
    // A query can have a token.
    super(`${url.replace(/[?#].*$/s, '').slice(0, MAX_URL_LENGTH)} cannot be fetched: ${reason}`, options);
    this.name = 'FetchError';
  }
}

/**
 * Gets a document from an address that the rules allow. The rules also apply to resolved names and redirects.
 *
 * @throws FetchError for every failure
 */
export type FetchDocument = (url: string) => Promise<string>;

export interface GuardedFetchOptions {
  readonly rules: EgressRules;
  /** Whether URLs may be http. A redirect from https to http is refused all the same. Default false: only https. */
  readonly allowsHttp?: boolean;
  /** Trusted roots of servers, PEM; default: the roots of the system. */
  readonly roots?: readonly string[];
  /** Time for the whole fetch with its redirects; default 10 s. */
  readonly timeoutMs?: number;
  /** Default 1 MiB. */
  readonly maxBytes?: number;
  /** Media types that are asked for. Default: JSON. */
  readonly accept?: string;
  /** Default: the resolver of the system. */
  readonly resolveName?: ResolveName;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;
const JSON_TYPE = 'application/json';
const MAX_REDIRECTS = 3;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

interface Exchange {
  readonly lookup: LookupFunction;
  readonly signal: AbortSignal;
  readonly roots: readonly string[] | undefined;
  readonly accept: string;
}

export function createGuardedFetch(options: GuardedFetchOptions): FetchDocument {
  const {
    rules,
    roots,
    allowsHttp = false,
    timeoutMs = TIMEOUT_MS,
    maxBytes = MAX_BYTES,
    accept = JSON_TYPE,
  } = options;
  const guardedLookup = createGuardedLookup(rules, options.resolveName);
  return async (text) => {
    const exchange = { lookup: guardedLookup, signal: AbortSignal.timeout(timeoutMs), roots, accept };
    let url = text;
    let takesHttp = allowsHttp;
    try {
      for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
        const target = parseTarget(url, rules, takesHttp);
        takesHttp = target.protocol === 'http:';
        const answer = await get(target, exchange);
        const status = answer.statusCode ?? 0;
        if (status === 200) return await readBounded(answer, maxBytes);
        answer.destroy();
        const { location } = answer.headers;
        if (!REDIRECTS.includes(status) || location === undefined) throw new Error(`the server answered ${status}`);
        url = new URL(location, target).href;
      }
      throw new Error(`there are more than ${MAX_REDIRECTS} redirects`);
    } catch (cause) {
      const late = exchange.signal.aborted ? `no complete response within ${timeoutMs / 1000}s` : undefined;
      throw new FetchError(text, late ?? errorText(cause), { cause });
    }
  };
}

/** The lookup checks the addresses of names. A host that is an address is not looked up, so it is checked here. */
export function parseTarget(text: string, rules: EgressRules, takesHttp: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw new Error('it is not a URL');
  if (url.protocol !== 'https:' && !(takesHttp && url.protocol === 'http:'))
    throw new Error(`only https is fetched, not ${url.protocol.slice(0, -1)}`);
  if (url.username !== '' || url.password !== '') throw new Error('a URL must not have credentials in it');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const refusal = isIP(host) === 0 ? undefined : rules.refusalOf(host);
  if (refusal !== undefined) throw new Error(`its address is not allowed: ${refusal}`);
  return url;
}

async function get(url: URL, { lookup: guardedLookup, signal, roots, accept }: Exchange): Promise<IncomingMessage> {
  const request = url.protocol === 'http:' ? requestPlain : requestSecured;
  const call = request(url, {
    // A reused connection would skip the lookup.
    agent: false,
    lookup: guardedLookup,
    signal,
    headers: { accept },
    minVersion: 'TLSv1.2',
    ...(roots === undefined ? {} : { ca: [...roots] }),
  });
  call.end();
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  // Reading the body reports errors after this point.
  call.on('error', () => undefined);
  return answer;
}

export async function readBounded(answer: IncomingMessage, maxBytes: number): Promise<string> {
  return (await readBytes(answer, maxBytes)).toString('utf8');
}

export async function readBytes(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw new Error(`the document has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}
