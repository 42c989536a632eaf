import type { WorkloadIdentity } from '../../model/spiffe-id.js';
import type { GrpcService } from '../../net/grpc-service.js';
import type { Work } from '../../push/work.js';
import type { CallGate } from '../call-gate.js';
import type { OwnBytes } from '../limits/held-roots.js';
import { LimitError } from '../limits/xds-limits.js';
import { matchIdentity } from '../match-identity.js';
import { createMessageService, type MessageCall, type MessageReader } from '../message-service.js';
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

/**
 * Receives the load reports of proxies (LRS; docs/reference/xds.md#load-reports): asks each for the load of all of its
 * clusters, and adds the reports up. A caller passes the same checks as a discovery stream.
 */
export function createLoadReportService({ environment, loads, gate }: LoadReportServiceParts): GrpcService {
  const { limits, readProxy, runner } = environment;
  const request = encodeLoadRequest(loads.intervalMs);

  const accept = ({ call, peer, identities }: MessageCall): MessageReader => {
    const ofProxy: ProxyLoads = loads.open();
    const { lane, name, connection } = peer.key;
    const owner = { peer: `load ${lane} ${name}`, source: connection };
    /** The report that is being recorded, and the requests in progress. */
    const kept = { report: undefined as OwnBytes | undefined, requests: undefined as OwnBytes | undefined };
    const keep = (what: keyof typeof kept, bytes: number): void => {
      kept[what] = peer.replace(kept[what], bytes === 0 ? undefined : { ownBytes: bytes });
      peer.checkBytes();
    };
    /** Of the proxy; undefined before its first report. */
    let namespace: string | undefined;
    let isOpen = true;
    const read = function* (message: Buffer, reading: { cost: number }): Work<void> {
      if (!isOpen) return;
      const report = yield* parse(message, limits.names);
      if (!isOpen) return;
      if (namespace === undefined) {
        namespace = namespaceOf(report, identities);
        call.write(request);
      }
      reading.cost = 1 + report.fields / FIELDS_PER_REQUEST;
      keep('report', report.fields * BYTES_PER_FIELD);
      yield* ofProxy.record(report.clusters, { namespace, peer: name }, (series) =>
        keep('requests', series * BYTES_PER_SERIES),
      );
      if (isOpen) keep('report', 0);
    };
    return {
      receive: (message) => {
        const reading = { cost: 1 };
        const finished = runner.runInTurn(owner, read(message, reading));
        return finished === undefined ? reading.cost : finished.then(() => reading.cost);
      },
      close: () => {
        isOpen = false;
        ofProxy.close();
        for (const each of Object.values(kept)) peer.replace(each, undefined);
      },
    };
  };

  /** @throws StreamError */
  const namespaceOf = ({ node }: LoadReport, identities: readonly WorkloadIdentity[] | undefined): string => {
    if (node === undefined) {
      throw new StreamError('INVALID_ARGUMENT', 'missing node ID: the first request of a stream must carry its node');
    }
    const proxy = readProxy(node);
    if (identities !== undefined) matchIdentity(proxy, identities);
    return proxy.configNamespace;
  };

  return createMessageService({
    ...{ environment, gate, service: SERVICE, accept, failure: 'load report failed' },
    methods: ['StreamLoadStats'],
  });
}

/** Memory of a field of a report, and of a series in which a proxy has requests in progress. */
const BYTES_PER_FIELD = 64;
const BYTES_PER_SERIES = 128;
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
