import { isRecord, parseRecord } from '../base/record.js';
import { type OtlpBody, type OtlpProtocol, spanWithBinaryIds } from './otlp-encoder.js';
import { createOtlpMessages } from './otlp-messages.js';
import type { OtlpRecord, OtlpSignal } from './otlp-records.js';
import type { OtlpAttribute } from './otlp-request.js';

/** What all records of a request share. */
export interface OtlpOrigin {
  readonly resource: readonly OtlpAttribute[];
  readonly scope: { readonly name: string; readonly version: string };
}

/** What a collector did not take of a request that it accepted. */
export interface RejectedRecords {
  readonly count: number;
  readonly message: string;
}

/** Encodes records one by one, and joins them to requests without encoding them again. */
export interface RecordEncoder {
  encode(record: OtlpRecord): Uint8Array;
  /** @param records all of the signal */
  join(signal: OtlpSignal, records: readonly Uint8Array[]): OtlpBody;
  /** Reads the body of an accepted request. Other bytes tell of no rejected records. */
  readRejected(signal: OtlpSignal, body: Uint8Array): RejectedRecords;
}

export function createRecordEncoder(protocol: OtlpProtocol, origin: OtlpOrigin): RecordEncoder {
  return protocol === 'http/json' ? jsonEncoder(origin) : protobufEncoder(origin);
}

/** Names of the JSON form. */
const NAMES = {
  logs: ['resourceLogs', 'scopeLogs', 'logRecords', 'rejectedLogRecords'],
  traces: ['resourceSpans', 'scopeSpans', 'spans', 'rejectedSpans'],
} as const;
const NONE: RejectedRecords = { count: 0, message: '' };

function jsonEncoder({ resource, scope }: OtlpOrigin): RecordEncoder {
  const shared = { resource: JSON.stringify({ attributes: resource }), scope: JSON.stringify(scope) };
  return {
    encode: ({ record }) => Buffer.from(JSON.stringify(record)),
    join: (signal, records) => {
      const [resources, scopes, list] = NAMES[signal];
      const head = `{"${resources}":[{"resource":${shared.resource},"${scopes}":[{"scope":${shared.scope},"${list}":[`;
      const items = records.flatMap((record, place) => (place === 0 ? [record] : [Buffer.from(','), record]));
      return {
        contentType: 'application/json',
        body: Buffer.concat([Buffer.from(head), ...items, Buffer.from(']}]}]}')]),
      };
    },
    readRejected: (signal, body) => {
      const partial = parseRecord(Buffer.from(body).toString('utf8'))?.['partialSuccess'];
      return isRecord(partial) ? rejectedOf(partial[NAMES[signal][3]], partial['errorMessage']) : NONE;
    },
  };
}

const RESOURCE = 1;
/** Of a scope in its list, and of a record in its list. */
const ITEM = 2;
const LENGTH_DELIMITED = 2;

function protobufEncoder({ resource, scope }: OtlpOrigin): RecordEncoder {
  const messages = createOtlpMessages();
  const encoded = (name: string, value: object): Uint8Array => {
    const type = messages(name);
    return type.encode(type.fromObject(value)).finish();
  };
  const shared = {
    resource: field(RESOURCE, [encoded('Resource', { attributes: resource })]),
    scope: field(1, [encoded('Scope', scope)]),
  };
  const response = messages('Response');
  return {
    encode: (each) =>
      each.signal === 'logs' ? encoded('LogRecord', each.record) : encoded('Span', spanWithBinaryIds(each.record)),
    join: (_signal, records) => {
      const scopeList = field(ITEM, [...shared.scope, ...records.flatMap((record) => field(ITEM, [record]))]);
      return {
        contentType: 'application/x-protobuf',
        body: Buffer.concat(field(1, [...shared.resource, ...scopeList])),
      };
    },
    readRejected: (_signal, body) => {
      try {
        const { partialSuccess } = response.toObject(response.decode(body), { longs: String });
        return isRecord(partialSuccess) ? rejectedOf(partialSuccess['rejected'], partialSuccess['errorMessage']) : NONE;
      } catch {
        return NONE;
      }
    },
  };
}

/** A field with a message in parts. */
function field(number: number, parts: readonly Uint8Array[]): readonly Uint8Array[] {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return [Uint8Array.of((number << 3) | LENGTH_DELIMITED, ...varint(length)), ...parts];
}

function* varint(value: number): Iterable<number> {
  let rest = value;
  while (rest > 0x7f) {
    yield (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  yield rest;
}

const MAX_MESSAGE = 256;

function rejectedOf(count: unknown, message: unknown): RejectedRecords {
  const number = Number(count ?? 0);
  return {
    count: Number.isSafeInteger(number) && number > 0 ? number : 0,
    message: typeof message === 'string' ? message.slice(0, MAX_MESSAGE) : '',
  };
}
