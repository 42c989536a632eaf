import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import type { WorkloadIdentity } from '../../model/spiffe-id.js';
import type { GrpcService } from '../../net/grpc-service.js';
import { passThrough, rawStreamingMethod } from '../../net/raw-method.js';
import type { Work } from '../../push/work.js';
import type { CallGate } from '../call-gate.js';
import { type PeerStream, peerKeyOf } from '../limits/peers.js';
import { LimitError } from '../limits/xds-limits.js';
import { matchIdentity } from '../match-identity.js';
import { readRequests } from '../request-intake.js';
import type { SessionEnvironment } from '../session-environment.js';
import { StreamError } from '../stream-error.js';
import type { LoadRecorder, ProxyLoads } from './load-recorder.js';
import { encodeLoadRequest, type LoadReport, readLoadReport, TooManyFieldsError } from './load-report-wire.js';

export interface LoadReportServiceParts {
  readonly environment: SessionEnvironment;
  readonly loads: LoadRecorder;
  /** Undefined on a listener that does not authenticate callers. */
  readonly gate: CallGate | undefined;
}

const SERVICE = 'envoy.service.load_stats.v3.LoadReportingService';
const METHOD = 'StreamLoadStats';

type Call = ServerDuplexStream<Buffer, Buffer>;

/**
 * Receives the load reports of proxies (LRS; docs/reference/xds.md#load-reports): asks each for the load of all of its
 * clusters, and adds the reports up. A caller passes the same checks as a discovery stream.
 */
export function createLoadReportService({ environment, loads, gate }: LoadReportServiceParts): GrpcService {
  const { limits, clock, readProxy, runner } = environment;
  const request = encodeLoadRequest(loads.intervalMs);
  const ends = new Map<Call, (error?: StreamError) => void>();

  const serve = async (call: Call): Promise<void> => {
    call.on('error', () => undefined);
    try {
      const identities = await gate?.admit(call);
      if (!call.cancelled && !call.destroyed) open(call, identities);
    } catch (error) {
      end(call, error);
    }
  };

  const open = (call: Call, identities: readonly WorkloadIdentity[] | undefined): void => {
    const peer: PeerStream = environment.peers.open(peerKeyOf(call.getPeer(), identities));
    const ofProxy: ProxyLoads = loads.open();
    let isFirst = true;
    let isOpen = true;
    let stopWatching = (): void => undefined;
    const close = (): void => {
      if (!isOpen) return;
      isOpen = false;
      stopReading();
      stopWatching();
      ends.delete(call);
      ofProxy.close();
      peer.close();
    };
    const fail = (error: unknown): void => {
      if (!isOpen) return;
      close();
      end(call, error);
    };
    const read = function* (message: Buffer, reading: { cost: number }): Work<void> {
      const report = yield* parse(message, limits.names);
      if (!isOpen) return;
      if (isFirst) {
        checkNode(report, identities);
        call.write(request);
      }
      isFirst = false;
      reading.cost = 1 + report.fields / FIELDS_PER_REQUEST;
      yield* ofProxy.record(report.clusters);
    };
    const owner = { peer: `load ${peer.key.lane} ${peer.key.name}`, source: peer.key.connection };
    const receive = (message: Buffer): number | Promise<number> => {
      const reading = { cost: 1 };
      const finished = runner.runInTurn(owner, read(message, reading));
      return finished === undefined ? reading.cost : finished.then(() => reading.cost);
    };
    ends.set(call, fail);
    const stopReading = readRequests({
      ...{ call, limits, clock, receive, fail },
      onTooFast: () => environment.tooFast(call.getPeer()),
    });
    if (gate !== undefined && identities !== undefined) stopWatching = gate.watch(call, identities, fail);
    call.on('end', () => {
      close();
      call.end();
    });
    call.on('close', close);
    call.on('cancelled', close);
  };

  /** @throws StreamError */
  const checkNode = ({ node }: LoadReport, identities: readonly WorkloadIdentity[] | undefined): void => {
    if (node === undefined) {
      throw new StreamError('INVALID_ARGUMENT', 'missing node ID: the first request of a stream must carry its node');
    }
    const proxy = readProxy(node);
    if (identities !== undefined) matchIdentity(proxy, identities);
  };

  const end = (call: Call, cause: unknown): void => {
    const error = cause instanceof StreamError ? cause : new StreamError('INTERNAL', 'internal error', { cause });
    if (error !== cause) {
      environment.metrics.internalError();
      environment.logger.error({ err: cause, peer: call.getPeer() }, 'load report failed');
    } else if (gate !== undefined && error.code === 'PERMISSION_DENIED') gate.denied(call, error);
    else environment.refused(call.getPeer(), error);
    call.emit('error', { code: status[error.code], details: error.message });
  };

  return {
    name: SERVICE,
    addTo: (server) => {
      server.addService(
        { [METHOD]: rawStreamingMethod(`/${SERVICE}/${METHOD}`, passThrough) },
        { [METHOD]: (call: Call) => void serve(call) },
      );
    },
    endStreams: () => {
      for (const fail of [...ends.values()]) fail(new StreamError('UNAVAILABLE', 'server is shutting down'));
    },
  };
}

/** Fields of a report that count as one more request. */
const FIELDS_PER_REQUEST = 1_000;
/** A cluster has a name and localities, and each of these a name and numbers. */
const FIELDS_PER_NAME = 4;

function* parse(message: Buffer, maxNames: number): Work<LoadReport> {
  const maxFields = maxNames * FIELDS_PER_NAME;
  try {
    return yield* readLoadReport(message, maxFields);
  } catch (cause) {
    if (cause instanceof TooManyFieldsError) {
      throw new LimitError('names', `the report has more than ${maxFields} fields, ${FIELDS_PER_NAME} for each name`);
    }
    throw new StreamError('INVALID_ARGUMENT', 'the message is not a LoadStatsRequest', { cause });
  }
}
