import type { Clock } from '../../../base/clock.js';
import { whenSettled } from '../../../base/when-settled.js';
import type { LimitedLog } from '../../../telemetry/limited-log.js';
import type { AttributeBag } from '../../client/attribute-bag.js';
import type { HandlerReport } from '../../handlers/policy-handler.js';
import { isRefundedCode } from '../../quota/refunds/refund-codes.js';
import type { WireHttpLogEntry, WireLogMessage } from '../adapter/envoy-messages.js';
import { type LogOrigin, readLogOrigin, UNKNOWN_ORIGIN } from '../adapter/log-origin.js';
import { tcpLogMoment } from '../adapter/tcp-log-facts.js';
import { ANONYMOUS, type Caller } from '../callers/caller.js';
import type { CallerRights } from '../callers/caller-rights.js';
import type { CompiledService } from '../compiled-services.js';
import type { EnvoyCodec } from '../envoy-codec.js';
import type { PolicyServerMetrics } from '../policy-server-metrics.js';
import { httpReportAttributes } from './http-report.js';
import { type LogContext, logContextOf, type ReportEnvironment } from './log-context.js';
import type { ReportSink } from './report-sink.js';
import { type TcpLog, tcpReportAttributes } from './tcp-report.js';

/** One stream of access log entries. */
export interface LogStream {
  /**
   * Reports every entry of a message, letting other work go on in between. Call it with the next message once it has
   * settled. Entries that cannot be reported are counted, and cost no others.
   *
   * @throws CallerRefusedError when the first message is from another proxy than the caller
   * @param bytes an envoy.service.accesslog.v3.StreamAccessLogsMessage
   */
  take(bytes: Uint8Array): Promise<void>;
}

export interface LogServiceOptions {
  readonly codec: EnvoyCodec;
  readonly rights: Pick<CallerRights, 'openLog' | 'mayReport'>;
  readonly environment: ReportEnvironment;
  readonly sink: ReportSink;
  /** Gives a report to the handlers. */
  readonly forward: (report: HandlerReport) => void;
  readonly metrics: PolicyServerMetrics;
  readonly limitedLog: LimitedLog;
  readonly clock: Clock;
  /** Settles after other work had its turn. */
  readonly yieldTurn: () => Promise<void>;
}

/**
 * The number of entries in one turn: about a millisecond of work, so that Checks do not wait for a burst of reports.
 */
const ENTRIES_PER_TURN = 32;
const NANOSECONDS_PER_MILLISECOND = 1_000_000n;

/** The refund that the response code of the request asks for. */
function refundOf({ response }: WireHttpLogEntry, { refund }: LogContext): HandlerReport['refund'] {
  const responseCode = response?.responseCode?.value;
  if (refund === undefined || responseCode === undefined || !isRefundedCode(refund.codes, responseCode)) {
    return undefined;
  }
  return { ticket: refund.ticket, responseCode };
}

/** @returns a function that begins a stream of a caller; anonymous unless given */
export function createLogService(options: LogServiceOptions): (caller?: Caller) => LogStream {
  const { rights, codec, environment, sink, forward, metrics, limitedLog, clock, yieldTurn } = options;

  const report = (attributes: AttributeBag, { host, service }: LogContext, refund?: HandlerReport['refund']): void => {
    sink.take({ attributes, service: host });
    forward({ attributes, service: service.calls, refund });
  };

  const isAllowed = (caller: Caller, { origin }: TcpLog, { host }: LogContext): boolean =>
    origin.side === 'outbound' || rights.mayReport(caller, host);

  function* reportsOf(message: WireLogMessage, log: TcpLog, caller: Caller): Generator<() => void | Promise<void>> {
    for (const entry of message.httpLogs?.logEntry ?? []) {
      yield () => {
        const context = logContextOf(environment, log.origin, entry.commonProperties ?? {});
        if (context.isDisabled || !isAllowed(caller, log, context)) return undefined;
        const take = ({ api }: CompiledService): void =>
          report(httpReportAttributes(entry, log.origin, context, api), context, refundOf(entry, context));
        const service = environment.services.compiled(context.host);
        return whenSettled(service, take);
      };
    }
    for (const entry of message.tcpLogs?.logEntry ?? []) {
      yield () => {
        const moment = tcpLogMoment(entry);
        if (moment === undefined) return;
        const context = logContextOf(environment, log.origin, entry.commonProperties ?? {});
        if (!isAllowed(caller, log, context)) return;
        // Taken also without reports: open connections must be known when reports are enabled.
        const reports = tcpReportAttributes(entry, moment, log, context, environment.connections);
        for (const attributes of context.isDisabled ? [] : reports) report(attributes, context);
      };
    }
  }

  const failed = (error: unknown): void => {
    metrics.reportsFailed('internal', 1);
    limitedLog.error({ err: error }, 'access log entry not reported');
  };
  const attempt = (action: () => void | Promise<void>): void | Promise<void> => {
    try {
      return action()?.catch(failed);
    } catch (error) {
      failed(error);
    }
  };

  return (caller = ANONYMOUS) => {
    const sinceNs = BigInt(clock.now().getTime()) * NANOSECONDS_PER_MILLISECOND;
    let origin = UNKNOWN_ORIGIN;
    return {
      async take(bytes) {
        let message: WireLogMessage;
        let next: LogOrigin | undefined;
        try {
          message = codec.decodeLogMessage(bytes);
          next = readLogOrigin(message);
        } catch (error) {
          metrics.reportsFailed('message', 1);
          limitedLog.warn({ err: error }, 'access log message not readable');
          return;
        }
        if (next !== undefined) rights.openLog(caller, next.namespace ?? '');
        origin = next ?? origin;
        let count = 0;
        for (const action of reportsOf(message, { origin, sinceNs }, caller)) {
          // A promise only where specs have to be compiled first.
          const pending = attempt(action);
          if (pending !== undefined) await pending;
          if (++count % ENTRIES_PER_TURN === 0) await yieldTurn();
        }
      },
    };
  };
}
