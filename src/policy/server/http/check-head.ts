import { ipAddressBytes } from '../../../base/ip-address.js';
import { type RequestLine, readRequestHead } from '../../../net/http1/request-head.js';
import type { ConnectionFacts } from '../../client/connection-attributes.js';
import type { HeaderMap } from '../../client/header-map.js';
import type { HttpRequestFacts, RequestAuthFacts } from '../../client/http-attributes.js';
import {
  CHECK_HEADER_PREFIX,
  CHECK_HEADERS,
  FORWARDED_ATTRIBUTES_HEADER,
  RECEIPT_HEADER,
} from '../../wire/call-metadata.js';
import { serviceOfCluster } from '../adapter/log-origin.js';
import { authFactsOfJson } from '../adapter/request-auth-facts.js';
import type { CheckedRequest } from '../checked-request.js';

/** A Check over HTTP/1.1: the request itself, with headers of the proxy. */
export interface CheckHead {
  readonly request: CheckedRequest;
  /** The proxy's own configuration. */
  readonly configText: string | undefined;
  /** Host of the one service of its chain. */
  readonly service: string | undefined;
}

/** Envoy takes 100 headers of a request unless an EnvoyFilter says otherwise, and adds some to its Check. */
export const MOST_HEADERS = 1024;

/** Headers of the Check itself. */
const OF_THE_CHECK: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  // Envoy's client adds them to each of its own requests.
  'x-envoy-internal',
  'x-envoy-expected-rq-timeout-ms',
]);

/**
 * Reads a Check from its head (docs/reference/policy-client.md#http-attributes).
 *
 * @param text without the empty line at its end
 * @returns undefined for a text that is no head of HTTP/1.1, or has more than `MOST_HEADERS`
 */
export function readCheckHead(text: string, nowNs: () => bigint): CheckHead | undefined {
  const headers = new Map<string, string>();
  const own = new Map<string, string>();
  const line = readRequestHead(text, MOST_HEADERS, (name, value) => {
    if (name.startsWith(CHECK_HEADER_PREFIX)) own.set(name, value);
    else headers.set(name, value);
  });
  if (line === undefined) return undefined;
  return {
    request: checkedRequestOf(line, headers, own, nowNs),
    configText: own.get(CHECK_HEADERS.config),
    service: own.get(CHECK_HEADERS.service),
  };
}

function checkedRequestOf(
  line: RequestLine,
  headers: Map<string, string>,
  own: HeaderMap,
  nowNs: () => bigint,
): CheckedRequest {
  const host = headers.get('host') ?? '';
  const forwarded = headers.get(FORWARDED_ATTRIBUTES_HEADER);
  const receipt = headers.get(RECEIPT_HEADER);
  if (forwarded !== undefined) headers.delete(FORWARDED_ATTRIBUTES_HEADER);
  if (receipt !== undefined) headers.delete(RECEIPT_HEADER);
  for (const name of OF_THE_CHECK) headers.delete(name);
  const contentLength = own.get(CHECK_HEADERS.contentLength);
  if (contentLength !== undefined) headers.set('content-length', contentLength);
  const upgrade = own.get(CHECK_HEADERS.upgrade);
  if (upgrade !== undefined) headers.set('upgrade', upgrade);
  const cluster = own.get(CHECK_HEADERS.cluster);
  return {
    facts: new HeadFacts(line, host, headers, own, nowNs),
    routeService: cluster === undefined ? undefined : serviceOfCluster(cluster),
    forwarded,
    receipt,
    id: own.get(CHECK_HEADERS.id),
  };
}

/** Most requests need few of these facts, so that each is read when it is asked for. */
class HeadFacts implements HttpRequestFacts {
  readonly method: string;
  readonly target: string;
  readonly host: string;
  readonly headers: HeaderMap;
  readonly connection: ConnectionFacts;
  readonly #own: HeaderMap;
  readonly #nowNs: () => bigint;

  constructor({ method, target }: RequestLine, host: string, headers: HeaderMap, own: HeaderMap, nowNs: () => bigint) {
    this.method = method;
    this.target = target;
    this.host = host;
    this.headers = headers;
    this.connection = new HeadConnectionFacts(own);
    this.#own = own;
    this.#nowNs = nowNs;
  }

  get scheme(): string | undefined {
    return this.#own.get(CHECK_HEADERS.scheme);
  }

  get timeNs(): bigint {
    const [, seconds, nanos] = /^(\d{1,12})\.(\d{9})$/.exec(this.#own.get(CHECK_HEADERS.time) ?? '') ?? [];
    return seconds === undefined ? this.#nowNs() : BigInt(`${seconds}${nanos}`);
  }

  get auth(): RequestAuthFacts | undefined {
    const tokens = this.#own.get(CHECK_HEADERS.tokens);
    return tokens === undefined ? undefined : authFactsOfJson(tokens);
  }
}

/** Envoy sends the names of a certificate exactly when it has verified the certificate. */
class HeadConnectionFacts implements ConnectionFacts {
  readonly sourcePrincipal: string | undefined;
  readonly #own: HeaderMap;

  constructor(own: HeaderMap) {
    this.sourcePrincipal = principalOf(
      own.get(CHECK_HEADERS.sourceUri),
      own.get(CHECK_HEADERS.sourceDns),
      own.get(CHECK_HEADERS.sourceSubject),
    );
    this.#own = own;
  }

  get originIp(): Uint8Array | undefined {
    const text = this.#own.get(CHECK_HEADERS.address);
    return text === undefined ? undefined : ipAddressBytes(text);
  }

  get isMtls(): boolean {
    return this.sourcePrincipal !== undefined;
  }

  get requestedServerName(): string | undefined {
    return this.#own.get(CHECK_HEADERS.serverName);
  }

  get destinationPrincipal(): string | undefined {
    const own = this.#own;
    return principalOf(
      own.get(CHECK_HEADERS.destinationUri),
      own.get(CHECK_HEADERS.destinationDns),
      own.get(CHECK_HEADERS.destinationSubject),
    );
  }
}

/**
 * Envoy's order of the names. A certificate of the mesh has one URI. Several of them stay joined, so that none of them
 * can be taken for the identity of a workload.
 */
function principalOf(
  uri: string | undefined,
  dns: string | undefined,
  subject: string | undefined,
): string | undefined {
  return uri || dns?.split(',', 1)[0] || subject || undefined;
}
