import type { RpcCode } from '../../../../base/rpc-code.js';
import type { OtlpSignal } from '../../../../otlp/otlp-records.js';
import type { RecordEncoder, RejectedRecords } from '../../../../otlp/record-encoder.js';
import type { HttpSender } from '../adapter.js';

/** A collector has not taken records. */
export class CollectorError extends Error {
  override readonly name = 'CollectorError';
  /** What it means for further attempts. */
  readonly code: RpcCode;

  constructor(code: RpcCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export interface CollectorOptions {
  /** The base, to which the path of the signal is appended. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly encoder: Pick<RecordEncoder, 'join' | 'readRejected'>;
  readonly post: HttpSender['post'];
}

/** Sends encoded records. @throws CollectorError when the collector has not taken them */
export type SendRecords = (signal: OtlpSignal, records: readonly Uint8Array[]) => Promise<RejectedRecords>;

/** Answers that say more than their class, by the specification of OTLP: the others are not repeated. */
const CODES: ReadonlyMap<number, RpcCode> = new Map([
  [429, 'RESOURCE_EXHAUSTED'],
  [502, 'UNAVAILABLE'],
  [503, 'UNAVAILABLE'],
  [504, 'UNAVAILABLE'],
]);

export function createCollector({ endpoint, headers, timeoutMs, encoder, post }: CollectorOptions): SendRecords {
  return async (signal, records) => {
    const { contentType, body } = encoder.join(signal, records);
    const message = {
      url: signalUrl(endpoint, signal),
      headers: { ...headers, 'content-type': contentType },
      body,
      timeoutMs,
    };
    const { status, body: answer } = await post(message).catch((cause: unknown) => {
      throw new CollectorError('UNAVAILABLE', cause instanceof Error ? cause.message : 'no answer', { cause });
    });
    if (status >= 200 && status < 300) return encoder.readRejected(signal, answer);
    throw new CollectorError(CODES.get(status) ?? 'INVALID_ARGUMENT', `the collector answered ${status}`);
  };
}

/** As the endpoint of an exporter is read: `/v1/logs` is below its path. */
function signalUrl(endpoint: string, signal: OtlpSignal): string {
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/${signal}`;
  return url.href;
}
