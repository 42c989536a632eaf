import { errorText } from '../base/error-text.js';
import { createOtlpEncoder, type OtlpProtocol } from '../otlp/otlp-encoder.js';
import type { OtlpRequest } from '../otlp/otlp-request.js';
import type { LimitedLog } from '../telemetry/limited-log.js';

/** The result of an export. `dropped`: the queue was full. */
export type ExportResult = 'sent' | 'failed' | 'dropped';

export interface OtlpExporterOptions {
  readonly url: string;
  /** The variable with the URL, for messages. */
  readonly setting: string;
  readonly protocol: OtlpProtocol;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly log: LimitedLog;
  readonly onResult: (result: ExportResult) => void;
}

/** Sends traces in the background, one after the other. */
export interface OtlpExporter {
  /** Never waits and never throws. A full queue drops the trace. @param make makes the message */
  enqueue(make: () => OtlpRequest): void;
  /** Settles when the queue is empty. */
  flush(): Promise<void>;
}

const MAX_QUEUED = 64;

export function createOtlpExporter(options: OtlpExporterOptions): OtlpExporter {
  const { url, setting, protocol, headers, timeoutMs, log, onResult } = options;
  const encode = createOtlpEncoder(protocol);
  const queue: (() => OtlpRequest)[] = [];
  let sending: Promise<void> | undefined;

  const send = async (make: () => OtlpRequest): Promise<void> => {
    try {
      const { contentType, body } = encode(make());
      const answer = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': contentType },
        body,
        signal: AbortSignal.timeout(timeoutMs),
      });
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`the collector answered ${answer.status}`);
      onResult('sent');
    } catch (error) {
      onResult('failed');
      // `fetch failed` says nothing; its cause does.
      const reason = errorText(error instanceof Error ? (error.cause ?? error) : error);
      log.warn({ url, reason, setting }, 'trace not exported');
    }
  };
  const drain = async (): Promise<void> => {
    for (let make = queue.shift(); make !== undefined; make = queue.shift()) await send(make);
    sending = undefined;
  };

  return {
    enqueue: (make) => {
      if (queue.length >= MAX_QUEUED) {
        onResult('dropped');
        log.warn({ url, queued: queue.length, setting }, 'trace dropped because the collector is slow');
        return;
      }
      queue.push(make);
      sending ??= drain();
    },
    flush: async () => {
      await sending;
    },
  };
}
