import { parseDuration } from '../../../base/parse-duration.js';
import type { OtlpParams } from '../../../config/policy-rules/catalogue/params/otlp.js';
import type { OtlpProtocol } from '../../../otlp/otlp-encoder.js';
import type { OtlpRecord, OtlpSignal } from '../../../otlp/otlp-records.js';
import { createRecordEncoder } from '../../../otlp/record-encoder.js';
import type { Instance } from '../instance.js';
import { createReportQueue } from '../reports/report-queue.js';
import type { Adapter, HandlerEnvironment } from './adapter.js';
import { CollectorError, createCollector } from './export/collector.js';
import { logRecord } from './export/log-record.js';
import { textValue } from './export/otlp-value.js';
import { spanRecord } from './export/span-record.js';

/** Records are sent when there are that many, or bytes, or when the first one is this old. */
const BATCH_RECORDS = 512;
const BATCH_BYTES = 256 * 1024;
const BATCH_MS = 1_000;
/** Within it a closed handler sends its last records. */
const CLOSE_MS = 5_000;

const SERVICE_NAME = 'service.name';
const DEFAULT_SERVICE = 'navigator-policy';

interface Batch {
  records: Uint8Array[];
  bytes: number;
}

/**
 * Sends log entries and spans to a collector of OpenTelemetry, in the background.
 *
 * @throws Error when the namespace of the handler has too many connections
 */
export function buildOtlp(params: OtlpParams, environment: HandlerEnvironment): Adapter {
  const { handler, clock, random, resources, log, reports, budget, randomId } = environment;
  const resource = Object.entries({ [SERVICE_NAME]: DEFAULT_SERVICE, ...params.resourceAttributes });
  const encoder = createRecordEncoder(params.protocol as OtlpProtocol, {
    resource: resource.map(([key, value]) => ({ key, value: textValue(value) })),
    scope: { name: DEFAULT_SERVICE, version: '' },
  });
  const endConnection = resources.connection();
  const sender = environment.openSender(handler);
  const { endpoint, headers, timeout } = params;
  const send = createCollector({ endpoint, headers, timeoutMs: parseDuration(timeout), encoder, post: sender.post });

  const lose = (count: number, err: unknown): void => {
    reports.lost(handler, count);
    log.warn({ reports: count, err }, 'reports of a handler lost: the collector did not take them');
  };
  /** Of requests that the collector took. */
  let rejected = 0;
  const queue = createReportQueue<OtlpSignal>({
    send: async ({ kind, instances }) => {
      const end = resources.worker();
      try {
        const { count, message } = await send(kind, instances);
        if (count === 0) return;
        rejected += count;
        lose(count, new Error(`the collector rejected them: ${message}`));
      } finally {
        end();
      }
    },
    codeOf: (error) => (error instanceof CollectorError ? error.code : 'INTERNAL'),
    ...{ budget, clock, random },
    createId: () => '',
    onSent: (count) => {
      reports.sent(handler, Math.max(0, count - rejected));
      rejected = 0;
    },
    onLost: lose,
  });

  const batches: Readonly<Record<OtlpSignal, Batch>> = {
    logs: { records: [], bytes: 0 },
    traces: { records: [], bytes: 0 },
  };
  let cancelFlush: (() => void) | undefined;
  const flush = (): void => {
    cancelFlush?.();
    cancelFlush = undefined;
    for (const signal of ['logs', 'traces'] as const) {
      const { records } = batches[signal];
      if (records.length > 0) queue.add(signal, records);
      Object.assign(batches[signal], { records: [], bytes: 0 });
    }
  };
  const flushLater = (): void => {
    if (cancelFlush !== undefined) return;
    const cancel = clock.schedule(BATCH_MS, flush);
    const end = resources.daemon();
    cancelFlush = () => {
      cancel();
      end();
    };
  };
  const add = (each: OtlpRecord): void => {
    const batch = batches[each.signal];
    const encoded = encoder.encode(each);
    batch.records.push(encoded);
    batch.bytes += encoded.length;
    if (batch.records.length >= BATCH_RECORDS || batch.bytes >= BATCH_BYTES) flush();
    else flushLater();
  };
  const report = (instance: Instance): void => {
    if (instance.template === 'logentry') {
      add({ signal: 'logs', record: logRecord(instance, clock.now()) });
      return;
    }
    const span = spanRecord(instance, randomId);
    if (typeof span !== 'string') add({ signal: 'traces', record: span });
    else {
      reports.lost(handler, 1);
      log.warn({ instance: instance.fullName, problem: span }, 'span of an instance left out');
    }
  };

  return {
    report: (instances) => {
      for (const instance of instances) report(instance);
    },
    close: async () => {
      flush();
      await queue.close(CLOSE_MS);
      sender.close();
      endConnection();
    },
  };
}
