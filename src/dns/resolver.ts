import type { PushContext } from '../model/push-context.js';
import type { Logger } from '../telemetry/logger.js';
import type { Metrics } from '../telemetry/metrics.js';
import type { SubjectLog } from '../telemetry/subject-log.js';
import type { AnswerCache } from './answer-cache.js';
import type { ClientAddress } from './client-address.js';
import type { ClientLimits } from './client-limits.js';
import { answerFromMesh, negative } from './mesh/answers.js';
import type { ClientDirectory } from './mesh/client-directory.js';
import { HEADER_BYTES, type Query, Rcode, type RcodeNumber, readQuery } from './query.js';
import { emptyAnswer, encodeAnswer, refusal, type Transport, truncatedAnswer } from './response.js';
import type { UpstreamServer } from './upstream/exchange.js';
import type { Forwarder } from './upstream/forwarder.js';
import { passOn } from './upstream-response.js';

/** A message of a client. */
export interface ClientMessage {
  readonly bytes: Buffer;
  readonly transport: Transport;
  readonly from: ClientAddress;
  /** The port that it was sent from. */
  readonly port: number | undefined;
}

/** Answers the messages of clients. */
export interface DnsResolver {
  /**
   * The response; undefined for none. That of an upstream server is made when the caller can send it: thousands of clients
   * may wait for the same one.
   */
  answer(message: ClientMessage): Buffer | undefined | Promise<() => Buffer>;
}

export interface ResolverParts {
  readonly context: () => PushContext | undefined;
  readonly directory: Pick<ClientDirectory, 'placeOf'>;
  readonly cache: AnswerCache;
  readonly forwarder: Forwarder;
  readonly servers: () => readonly UpstreamServer[];
  readonly limits: Pick<ClientLimits, 'takeAnswer' | 'takeQuery' | 'releaseQuery'>;
  readonly metrics: Metrics;
  readonly log: SubjectLog;
  readonly logger: Pick<Logger, 'debug' | 'isDebugEnabled'>;
  readonly random: () => number;
}

/** The origin of an answer, as metrics name it. */
type Source = 'mesh' | 'cache' | 'upstream' | 'server';

const RCODE_NAMES = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'];
/** Of the answers beyond a client's rate, every second one is truncated, and the others are dropped. */
const SLIP = 2;
const OPT_HEADER = [0, 0, 41];
const OPT_BYTES = 11;
const DNSSEC_OK = 0x80_00;
const UPSTREAM_UDP_BYTES = 1232;
const RECURSION_DESIRED = 0x01_00;
const CHECKING_DISABLED = 0x00_10;

/** Answers from the mesh, then from the cache, then from upstream servers. */
export function createResolver(parts: ResolverParts): DnsResolver {
  const { context, directory, cache, forwarder, servers, limits, metrics, log, logger, random } = parts;
  let limited = 0;

  const done = (bytes: Buffer, source: Source): Buffer => {
    const rcode = bytes.readUInt16BE(2) & 0x0f;
    metrics.increment('nav_dns_answers_total', { source, rcode: RCODE_NAMES[rcode] ?? String(rcode) });
    return bytes;
  };
  const own = (query: Query, rcode: RcodeNumber, transport: Transport): Buffer =>
    done(encodeAnswer(query, emptyAnswer(rcode), transport), 'server');

  const forward = async (query: Query, key: string, { transport, from }: ClientMessage) => {
    const fail = () => own(query, Rcode.serverFailure, transport);
    if (!limits.takeQuery(from.client)) return fail;
    if (transport === 'tls') metrics.add('dns_tls_pending', 1);
    try {
      const message = upstreamMessage(query);
      const question = query.question;
      const response = await forwarder.ask(key, { message, question });
      if (response === undefined) return fail;
      cache.set(key, response);
      metrics.set('nav_dns_cache_bytes', cache.bytes);
      return () => done(passOn(response, query, 0, transport), 'upstream');
    } finally {
      if (transport === 'tls') metrics.add('dns_tls_pending', -1);
      limits.releaseQuery(from.client);
    }
  };

  const answerQuery = (query: Query, message: ClientMessage) => {
    const { transport, from, port } = message;
    const snapshot = context();
    const mesh =
      snapshot && answerFromMesh(snapshot, directory.placeOf(from.address), query.name.text, query.type, random);
    if (mesh !== undefined) return done(encodeAnswer(query, mesh, transport), 'mesh');
    const key = cacheKeyOf(query);
    const cached = cache.get(key);
    if (cached !== undefined) return done(passOn(cached.response, query, cached.ageSeconds, transport), 'cache');
    const upstream = servers();
    if (upstream.some((server) => server.endLoop(query.id, query.question, port))) {
      return own(query, Rcode.serverFailure, transport);
    }
    if (upstream.length === 0 && snapshot !== undefined && isBelow(query.name.text, snapshot.domain)) {
      return done(encodeAnswer(query, negative(snapshot.domain, Rcode.nameError), transport), 'server');
    }
    // A client without the flag RD wants the answers of this server only.
    if (upstream.length === 0 || !query.wantsRecursion) return own(query, Rcode.refused, transport);
    return forward(query, key, message);
  };

  return {
    answer: (message) => {
      const { bytes, transport, from } = message;
      metrics.increment('nav_dns_queries_total', { transport });
      if (transport === 'tls') metrics.increment('dns_tls_req');
      const isWithinRate = limits.takeAnswer(from.client);
      // A client over TCP is no invented address, and its connection waits.
      if (!isWithinRate && (transport !== 'udp' || ++limited % SLIP !== 0)) return undefined;
      const read = readQuery(bytes);
      if (read.type === 'ignored') return undefined;
      if (!isWithinRate) return read.type === 'query' ? done(truncatedAnswer(read.query), 'server') : undefined;
      if (read.type === 'refused') return done(refusal(bytes, read.rcode), 'server');
      if (logger.isDebugEnabled()) {
        const { name, type } = read.query;
        logger.debug({ client: from.address, transport, name: name.text, type }, 'DNS query');
      }
      try {
        return answerQuery(read.query, message);
      } catch (err) {
        // Answers are made from objects of tenants. No query may end the process.
        log.warn('answer', { err, name: read.query.name.text, type: read.query.type }, 'DNS query failed');
        return own(read.query, Rcode.serverFailure, transport);
      }
    },
  };
}

function isBelow(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`);
}

function cacheKeyOf({ name, type, edns, checkingDisabled }: Query): string {
  const flags = (edns === undefined ? 0 : 1) + (edns?.dnssecOk === true ? 2 : 0) + (checkingDisabled ? 4 : 0);
  return `${name.text} ${type} ${flags}`;
}

/** The query for upstream servers, without the options of the client. */
function upstreamMessage({ question, edns, checkingDisabled }: Query): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(RECURSION_DESIRED | (checkingDisabled ? CHECKING_DISABLED : 0), 2);
  header.writeUInt16BE(1, 4);
  if (edns === undefined) return Buffer.concat([header, question]);
  header.writeUInt16BE(1, 10);
  const opt = Buffer.alloc(OPT_BYTES);
  opt.set(OPT_HEADER);
  opt.writeUInt16BE(UPSTREAM_UDP_BYTES, 3);
  opt.writeUInt16BE(edns.dnssecOk ? DNSSEC_OK : 0, 7);
  return Buffer.concat([header, question, opt]);
}
