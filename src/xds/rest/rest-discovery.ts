import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MessageJson } from '../../envoy/message-json.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import { SharedBudget } from '../../net/guard/shared-budget.js';
import type { Work } from '../../push/work.js';
import type { SessionHooks } from '../discovery-calls.js';
import { LimitError } from '../limits/xds-limits.js';
import type { SessionEnvironment } from '../session-environment.js';
import { StreamError, toStreamError } from '../stream-error.js';
import { createAddressShares } from './address-shares.js';
import { HttpPoll, sendError } from './http-poll.js';
import { checkJsonSize } from './json-size.js';
import { type ArrivingBody, readRestBody } from './rest-body.js';
import { createRestDocuments } from './rest-documents.js';
import { type RestRequest, readRestRequest } from './rest-request.js';
import type { RestPoll } from './rest-stream.js';
import { createRestSubscriptions } from './rest-subscriptions.js';
import { createWaitingPolls } from './waiting-polls.js';

export interface RestSettings {
  /** Longest wait of a poll (NAV_XDS_REST_POLL_TIMEOUT). */
  readonly pollMs: number;
  /** NAV_XDS_REST_LEASE */
  readonly leaseMs: number;
  /** Bytes of one body (MESH_GPRC_MAXRECVMSGSIZE). */
  readonly maxMessageBytes: number;
  /** Whether discovery without authentication is served: --grpcAddr is not empty. */
  readonly isOpen: boolean;
}

export interface RestDiscoveryParts {
  readonly settings: RestSettings;
  readonly environment: SessionEnvironment;
  readonly hooks: SessionHooks;
  /** Of `createRestMessageJson`. */
  readonly json: Pick<MessageJson, 'resourceToJson'>;
}

/** xDS over REST with long polls (docs/reference/xds.md#rest). */
export interface RestDiscovery {
  /** @returns whether the request is for a path of REST xDS; others are left alone */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
  /** Ends all polls. */
  stop(): void;
}

const PREFIX = '/v3/discovery:';

/** The types by the last part of their path, as in Envoy's `.proto` files. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['clusters', TypeUrl.cluster],
  ['endpoints', TypeUrl.endpoint],
  ['listeners', TypeUrl.listener],
  ['routes', TypeUrl.route],
  ['extension_configs', TypeUrl.extensionConfig],
  ['secrets', TypeUrl.secret],
]);

/** Envoy's timeout of a request, unless its configuration has another (`request_timeout`). */
const DEFAULT_TIMEOUT_MS = 1_000;
/** The part of a client's timeout that a poll waits. */
const PART_OF_TIMEOUT = 0.9;
const SECURED = 'connect to the secured gRPC port (--secureGRPCAddr)';

export function createRestDiscovery({ settings, environment, hooks, json }: RestDiscoveryParts): RestDiscovery {
  const { limits, clock } = environment;
  const { leaseMs } = settings;
  const documents = createRestDocuments(json);
  const subscriptions = createRestSubscriptions({ environment, hooks, documents, leaseMs });
  const waiting = createWaitingPolls(environment);
  const bodies = new SharedBudget<ArrivingBody>(
    { max: limits.restBodyBytes, maxPerGroup: limits.restBodyBytes / 2 },
    (body) => body.evict(),
  );

  /** Bodies that have arrived, and wait to be read. */
  const arrived = createAddressShares(limits.restBodyBytes);

  /**
   * A body takes long to read, and a peer can send any number: those of one address take turns with all other work. The
   * latest body is refused if too many wait, so that earlier ones are answered.
   *
   * @throws LimitError; the errors of `readRestRequest`
   */
  const readInTurn = async (body: Buffer, typeUrl: string, address: string): Promise<RestRequest | undefined> => {
    const giveBack = arrived.take(address, body.length);
    if (giveBack === undefined) {
      throw new LimitError('restBodyBytes', 'the bodies of requests that wait to be read are too large together');
    }
    let request: RestRequest | undefined;
    const read = function* (): Work<void> {
      yield* checkJsonSize(body, limits);
      request = yield* readRestRequest(body.toString(), typeUrl, limits);
    };
    try {
      await environment.runner.runInTurn({ peer: `rest ${address}`, source: address }, read());
    } finally {
      giveBack();
    }
    return request;
  };

  const serve = async (typeUrl: string, incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readRestBody(incoming, bodies, settings.maxMessageBytes);
    if (body === undefined || response.destroyed) return;
    const { remoteAddress = '', remotePort = 0 } = incoming.socket;
    const request = await readInTurn(body, typeUrl, remoteAddress);
    if (request === undefined || response.destroyed) return;
    // The poll may wait for long, and the request may have megabytes.
    const { key } = request;
    const isFirst = request.versionInfo === '';
    const place = waiting.enter(remoteAddress);
    const poll: RestPoll = new HttpPoll({
      response,
      peer: `${remoteAddress}:${remotePort}`,
      mayWait: place !== undefined,
      onOver: () => {
        cancel();
        place?.();
        subscriptions.finished(key, poll);
      },
    });
    const cancel = clock.schedule(waitOf(incoming, settings.pollMs), () => {
      if (isFirst) poll.fail(new StreamError('UNAVAILABLE', 'the resources were not made in time'));
      else poll.unchanged();
    });
    subscriptions.poll(typeUrl, request, poll);
  };

  return {
    handle: (request, response) => {
      const path = (request.url ?? '').split('?', 1)[0] ?? '';
      if (!path.startsWith(PREFIX)) return false;
      response.setHeader('Cache-Control', 'no-store');
      response.setHeader('X-Content-Type-Options', 'nosniff');
      const typeUrl = TYPES.get(path.slice(PREFIX.length));
      const refusal = refusalOf(request, typeUrl, settings);
      if (refusal !== undefined) {
        // The body is not read.
        response.setHeader('Connection', 'close');
        if (refusal.status === 405) response.setHeader('Allow', 'POST');
        sendError(response, refusal.error, refusal.status);
        return true;
      }
      serve(typeUrl as string, request, response).catch((cause: unknown) => {
        const peer = request.socket.remoteAddress ?? '';
        const error = toStreamError(cause);
        if (error.code === 'INTERNAL') environment.logger.error({ err: cause, peer }, 'discovery request failed');
        environment.refused(peer, error);
        response.setHeader('Connection', 'close');
        sendError(response, error);
      });
      return true;
    },
    stop: () => subscriptions.endAll(new StreamError('UNAVAILABLE', 'server is shutting down')),
  };
}

interface Refusal {
  readonly error: StreamError;
  readonly status?: number;
}

/** The reason to refuse a request before its body is read. */
function refusalOf(
  { method, headers }: IncomingMessage,
  typeUrl: string | undefined,
  { isOpen }: RestSettings,
): Refusal | undefined {
  if (typeUrl === undefined) {
    const paths = [...TYPES.keys()].map((each) => `${PREFIX}${each}`).join(', ');
    return { error: new StreamError('UNIMPLEMENTED', `there is no such path; the paths of REST xDS are ${paths}`) };
  }
  if (method !== 'POST') {
    return { status: 405, error: new StreamError('INVALID_ARGUMENT', 'a discovery request is sent with POST') };
  }
  if (!isOpen) {
    const reason = `discovery without authentication is off (--grpcAddr is empty); ${SECURED}`;
    return { error: new StreamError('PERMISSION_DENIED', reason) };
  }
  if (typeUrl === TypeUrl.secret) {
    const reason = `secrets are sent to callers with a proven identity only, and HTTP proves none; ${SECURED}`;
    return { error: new StreamError('PERMISSION_DENIED', reason) };
  }
  // A web page in a browser may send requests to this address too.
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) {
    return { error: new StreamError('PERMISSION_DENIED', 'web pages may not send discovery requests') };
  }
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json' || (headers['content-encoding'] ?? 'identity') !== 'identity') {
    const reason = 'the body must be application/json without an encoding';
    return { status: 415, error: new StreamError('INVALID_ARGUMENT', reason) };
  }
  return undefined;
}

/** How long a poll may wait: less than its client does. */
function waitOf({ headers }: IncomingMessage, pollMs: number): number {
  const announced = Number(headers['x-envoy-expected-rq-timeout-ms'] ?? DEFAULT_TIMEOUT_MS);
  const timeoutMs = Number.isFinite(announced) && announced > 0 ? announced : DEFAULT_TIMEOUT_MS;
  return Math.min(pollMs, timeoutMs * PART_OF_TIMEOUT);
}
