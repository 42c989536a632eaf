import { createConcurrencyLimiter } from '../../base/concurrency-limiter.js';
import { frameField } from '../../envoy/message-encoder.js';
import type { GrpcService } from '../../net/grpc-service.js';
import type { Work } from '../../push/work.js';
import type { CallGate } from '../call-gate.js';
import type { Connections } from '../connections.js';
import { addressOf } from '../limits/peers.js';
import { LimitError } from '../limits/xds-limits.js';
import { type ByteCall, createMessageService } from '../message-service.js';
import { isRelayed } from '../relayed.js';
import type { SessionEnvironment } from '../session-environment.js';
import { StreamError } from '../stream-error.js';
import { encodeClientConfig } from './client-config.js';
import { type ClientStatusRequest, readClientStatusRequest } from './client-status-request.js';
import { matchesNode } from './match-node.js';
import { type Rights, rightsOfAddress, rightsOfIdentities } from './rights.js';

export interface ClientStatusServiceParts {
  readonly environment: SessionEnvironment;
  readonly connections: Pick<Connections, 'ids' | 'find'>;
  /** Undefined on a listener that does not authenticate callers: it answers callers on this machine only. */
  readonly gate: CallGate | undefined;
}

/** Number of the field of a ClientStatusResponse. */
const CONFIG = 1;
/** About the size of a proxy beside its resources. */
const NODE_BYTES = 128;
const SERVICE = 'envoy.service.status.v3.ClientStatusDiscoveryService';
/** Answers at the same time, from the first step until the caller has read them. */
const LIMITS = { maxConcurrent: 4, maxConcurrentPerKey: 2, maxWaiting: 100, maxWaitMs: 10_000 };
/** Time in which a caller has to read an answer. */
const READ_MS = 10_000;

/**
 * Serves the state of each resource at each proxy (CSDS; docs/reference/xds.md#client-status). A caller on this machine
 * sees everything, as on the debug pages. An authenticated workload sees the proxies of its namespace, and the contents of
 * the resources of its own service account.
 */
export function createClientStatusService({ environment, connections, gate }: ClientStatusServiceParts): GrpcService {
  const { runner, limits, clock } = environment;
  const limiter = createConcurrencyLimiter(LIMITS, clock);

  const prepare = function* (
    { matchers, excludesContents }: ClientStatusRequest,
    rights: Rights,
    done: (answer: Buffer) => void,
  ): Work<void> {
    const pieces: Buffer[] = [];
    let all = 0;
    const onBytes = (bytes: number): void => {
      all += bytes;
      if (all > limits.clientStatusBytes) throw tooLarge(all, limits.clientStatusBytes);
    };
    for (const id of connections.ids()) {
      yield;
      const session = connections.find(id);
      if (session?.proxy === undefined || !rights.sees(session) || !matchesNode(session.proxy, matchers)) continue;
      const hasReasons = rights.seesContents(session);
      const hasContents = hasReasons && !excludesContents;
      pieces.push(frameField(CONFIG, yield* encodeClientConfig({ session, hasContents, hasReasons, onBytes })));
      onBytes(NODE_BYTES);
    }
    done(Buffer.concat(pieces));
  };

  const answer = async (call: ByteCall, message: Buffer, rights: Rights): Promise<void> => {
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

  const write = (call: ByteCall, response: Buffer): Promise<void> =>
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

  return createMessageService({
    ...{ environment, gate, service: SERVICE, failure: 'client status request failed' },
    methods: ['StreamClientStatus', 'FetchClientStatus'],
    accept: ({ call, identities }) => {
      const rights =
        identities === undefined
          ? rightsOfAddress(call.getPeer(), isRelayed(call.metadata))
          : rightsOfIdentities(identities, environment);
      // One request after another: the next one is read when the answer to this one has been.
      return { receive: (message) => answer(call, message, rights).then(() => 1) };
    },
  });
}

function tooLarge(bytes: number, most: number): LimitError {
  const what = `the status of the proxies has ${bytes} bytes, more than ${most}; select fewer proxies with node_matchers, or set exclude_resource_contents`;
  return new LimitError('clientStatusBytes', what);
}
