import type { LimitedLog } from '../telemetry/limited-log.js';

/** The result of an export. `dropped`: the queue was full. */
export type ExportResult = 'sent' | 'failed' | 'dropped';

export interface OtlpExporterOptions {
  /** Base URL of the collector: `/v1/traces` is appended. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly log: LimitedLog;
  readonly onResult: (result: ExportResult) => void;
}

/** Sends traces in the background, one after the other. */
export interface OtlpExporter {
  /** Never waits and never throws. A full queue drops the trace. @param body makes the JSON body */
  enqueue(body: () => object): void;
  /** Settles when the queue is empty. */
  flush(): Promise<void>;
}

const MAX_QUEUED = 64;
const TRACES_PATH = '/v1/traces';

export function createOtlpExporter({ endpoint, headers, timeoutMs, log, onResult }: OtlpExporterOptions): OtlpExporter {
  const url = endpoint.replace(/\/+$/, '') + TRACES_PATH;
  const queue: (() => object)[] = [];
  let sending: Promise<void> | undefined;

  const send = async (body: () => object): Promise<void> => {
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body()),
        signal: AbortSignal.timeout(timeoutMs),
      });
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`the collector answered ${answer.status}`);
      onResult('sent');
    } catch (error) {
      onResult('failed');
      const reason =
        error instanceof Error ? ((error.cause as Error | undefined)?.message ?? error.message) : String(error);
      log.warn({ url, reason, setting: 'OTEL_EXPORTER_OTLP_ENDPOINT' }, 'trace not exported');
    }
  };
  const drain = async (): Promise<void> => {
    for (let body = queue.shift(); body !== undefined; body = queue.shift()) await send(body);
    sending = undefined;
  };

  return {
    enqueue: (body) => {
      if (queue.length >= MAX_QUEUED) {
        onResult('dropped');
        log.warn(
          { url, queued: queue.length, setting: 'OTEL_EXPORTER_OTLP_ENDPOINT' },
          'trace dropped because the collector is slow',
        );
        return;
      }
      queue.push(body);
      sending ??= drain();
    },
    flush: async () => {
      await sending;
    },
  };
}
