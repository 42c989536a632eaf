import type { OtlpAttribute, OtlpSpan, OtlpValue } from './otlp-request.js';

/** A log record in its JSON form: 64-bit numbers are text. */
export interface OtlpLogRecord {
  readonly timeUnixNano: string;
  readonly observedTimeUnixNano: string;
  readonly severityNumber: number;
  readonly severityText: string;
  readonly body: OtlpValue;
  readonly attributes: readonly OtlpAttribute[];
}

/** What is sent to a collector. */
export type OtlpRecord =
  | { readonly signal: 'logs'; readonly record: OtlpLogRecord }
  | { readonly signal: 'traces'; readonly record: OtlpSpan };

export type OtlpSignal = OtlpRecord['signal'];
