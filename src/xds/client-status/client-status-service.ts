import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import { createConcurrencyLimiter, OverloadError } from '../../base/concurrency-limiter.js';
import type { WorkloadIdentity } from '../../model/spiffe-id.js';
import type { GrpcService } from '../../net/grpc-service.js';
import { passThrough, rawStreamingMethod } from '../../net/raw-method.js';
import type { Work } from '../../push/work.js';
import type { CallGate } from '../call-gate.js';
import type { Connections } from '../connections.js';
import { addressOf, peerKeyOf } from '../limits/peers.js';
import { LimitError } from '../limits/xds-limits.js';
import { isRelayed } from '../relayed.js';
import { readRequests } from '../request-intake.js';
import type { SessionEnvironment } from '../session-environment.js';
import { StreamError } from '../stream-error.js';
import { encodeClientConfig } from './client-config.js';
import { type ClientStatusRequest, readClientStatusRequest } from './client-status-request.js';
import { matchesNode } from './match-node.js';
import { type Rights, rightsOfAddress, rightsOfIdentities } from './rights.js';

export interface ClientStatusServiceParts {
  readonly environment: SessionEnvironment;
  readonly connections: Pick<Connections, 'list' | 'find'>;
  /** Undefined on a listener that does not authenticate callers: it answers callers on this machine only. */
  readonly gate: CallGate | undefined;
}

const SERVICE = 'envoy.service.status.v3.ClientStatusDiscoveryService';
/** Answers at the same time, from the first step until the caller has read them. */
const LIMITS = { maxConcurrent: 4, maxConcurrentPerKey: 2, maxWaiting: 100, maxWaitMs: 10_000 };
/** Time in which a caller has to read an answer. */
const READ_MS = 10_000;

type Call = ServerDuplexStream<Buffer, Buffer>;

/**
 * Serves the state of each resource at each proxy (CSDS; docs/reference/xds.md#client-status). A caller on this machine
 * sees everything, as on the debug pages. An authenticated workload sees the proxies of its namespace, and the contents of
 * the resources of its own service account.
 */
export function createClientStatusService({ environment, connections, gate }: ClientStatusServiceParts): GrpcService {
  const { runner, limits, clock } = environment;
  const limiter = createConcurrencyLimiter(LIMITS, clock);
  const ends = new Map<Call, (error: unknown) => void>();

  const prepare = function* (
    { matchers, excludesContents }: ClientStatusRequest,
    rights: Rights,
    done: (answer: Buffer) => void,
  ): Work<void> {
    const pieces: Buffer[] = [];
    let bytes = 0;
    for (const { id, proxy } of connections.list()) {
      yield;
      const session = connections.find(id);
      if (session === undefined || !rights.sees(session) || !matchesNode(proxy, matchers)) continue;
      const hasContents = !excludesContents && rights.seesContents(session);
      const config = yield* encodeClientConfig({ session, hasContents });
      const head = Buffer.from([0x0a, ...varint(config.length)]);
      pieces.push(head, config);
      bytes += head.length + config.length;
      if (bytes > limits.clientStatusBytes) throw tooLarge(bytes, limits.clientStatusBytes);
    }
    done(Buffer.concat(pieces));
  };

  const answer = async (call: Call, message: Buffer, rights: Rights): Promise<void> => {
    const request = readClientStatusRequest(message);
    const peer = call.getPeer();
    const owner = { peer: `status ${addressOf(peer)}`, source: peer };
    await limiter.run(addressOf(peer), async () => {
      if (call.cancelled) return;
      let response: Buffer | undefined;
      await runner.runInTurn(
        owner,
        prepare(request, rights, (made) => {
          response = made;
        }),
      );
      if (response !== undefined) await write(call, response);
    });
  };

  const write = (call: Call, response: Buffer): Promise<void> =>
    new Promise((resolve, reject) => {
      const cancel = clock.schedule(READ_MS, () => {
        reject(new StreamError('DEADLINE_EXCEEDED', `the answer was not read within ${READ_MS / 1000}s`));
      });
      const settle = (): void => {
        cancel();
        resolve();
      };
      call.once('cancelled', settle);
      call.once('close', settle);
      call.write(response, settle);
    });

  const serve = async (call: Call): Promise<void> => {
    call.on('error', () => undefined);
    try {
      const identities = await gate?.admit(call);
      const rights =
        identities === undefined
          ? rightsOfAddress(call.getPeer(), isRelayed(call.metadata))
          : rightsOfIdentities(identities, environment);
      if (!call.cancelled && !call.destroyed) open(call, rights, identities);
    } catch (error) {
      fail(call, error);
    }
  };

  /** A stream is counted, and ends with the rights of its caller, as discovery streams do. */
  const open = (call: Call, rights: Rights, identities: readonly WorkloadIdentity[] | undefined): void => {
    const peer = environment.peers.open(peerKeyOf(call.getPeer(), identities));
    let stopWatching = (): void => undefined;
    const close = (): void => {
      if (!ends.delete(call)) return;
      stopReading();
      stopWatching();
      peer.close();
    };
    const end = (error: unknown): void => {
      if (!ends.has(call)) return;
      close();
      fail(call, error);
    };
    ends.set(call, end);
    // One request after another: the next one is read when the answer to this one has been.
    const stopReading = readRequests({
      ...{ call, limits, clock, fail: end },
      receive: (message) => answer(call, message, rights).then(() => 1),
      onTooFast: () => environment.tooFast(call.getPeer()),
    });
    if (gate !== undefined && identities !== undefined) stopWatching = gate.watch(call, identities, end);
    call.on('end', () => {
      close();
      call.end();
    });
    call.on('close', close);
    call.on('cancelled', close);
  };

  const fail = (call: Call, cause: unknown): void => {
    if (call.cancelled) return;
    const error = streamErrorOf(cause);
    if (error.code === 'INTERNAL') {
      environment.metrics.internalError();
      environment.logger.error({ err: cause, peer: call.getPeer() }, 'client status request failed');
    } else environment.refused(call.getPeer(), error);
    call.emit('error', { code: status[error.code], details: error.message });
  };

  return {
    name: SERVICE,
    addTo: (server) => {
      for (const method of ['StreamClientStatus', 'FetchClientStatus']) {
        server.addService(
          { [method]: rawStreamingMethod(`/${SERVICE}/${method}`, passThrough) },
          { [method]: (call: Call) => void serve(call) },
        );
      }
    },
    endStreams: () => {
      for (const end of [...ends.values()]) end(new StreamError('UNAVAILABLE', 'server is shutting down'));
    },
  };
}

function tooLarge(bytes: number, most: number): LimitError {
  const what = `the status of the proxies has ${bytes} bytes, more than ${most}; select fewer proxies with node_matchers, or set exclude_resource_contents`;
  return new LimitError('clientStatusBytes', what);
}

function streamErrorOf(cause: unknown): StreamError {
  if (cause instanceof StreamError) return cause;
  if (cause instanceof OverloadError) return new StreamError('RESOURCE_EXHAUSTED', cause.message, { cause });
  return new StreamError('INTERNAL', 'internal error', { cause });
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return [...bytes, rest];
}
