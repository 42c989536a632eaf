import protobuf from 'protobufjs';
import type { Work } from '../../push/work.js';

/** Requests of one proxy to the endpoints of one locality, since its last report. */
export interface LocalityLoad {
  /** `region/zone/subzone`; empty if it is unknown. */
  readonly locality: string;
  readonly issued: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Not finished when the report was made. */
  readonly inProgress: number;
}

export interface ClusterLoad {
  readonly cluster: string;
  readonly localities: readonly LocalityLoad[];
  /** Requests that the proxy dropped, of all categories: those are in `drop_overloads`, which no response has. */
  readonly dropped: number;
}

/** The fields of an envoy.service.load_stats.v3.LoadStatsRequest. */
export interface LoadReport {
  /** Encoded envoy.config.core.v3.Node; the first request of a stream has one. */
  readonly node: Uint8Array | undefined;
  readonly clusters: readonly ClusterLoad[];
  /** Fields that were read, at most `maxFields`: the cost of the report. */
  readonly fields: number;
}

/** The report has more fields than it may have. */
export class TooManyFieldsError extends Error {
  override readonly name = 'TooManyFieldsError';
}

/** Longer parts of a locality, and longer names, are cut. */
const MAX_TEXT_BYTES = 256;

/**
 * Reads a report, with pauses: a message of megabytes can have millions of empty localities.
 *
 * @throws TooManyFieldsError
 * @throws Error when the bytes are not a LoadStatsRequest
 */
export function* readLoadReport(bytes: Uint8Array, maxFields: number): Work<LoadReport> {
  let fields = 0;
  const count = (): void => {
    fields++;
    if (fields > maxFields) throw new TooManyFieldsError();
  };
  let node: Uint8Array | undefined;
  const clusters: ClusterLoad[] = [];
  const reader = protobuf.Reader.create(bytes);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    count();
    if (tag === NODE_TAG) node = reader.bytes();
    else if (tag === CLUSTER_TAG) clusters.push(yield* readCluster(reader.bytes(), count));
    else reader.skipType(tag & 7);
    yield;
  }
  return { node, clusters, fields };
}

const NODE_TAG = 10;
const CLUSTER_TAG = 18;

/** Counts a field that is read. */
type Count = () => void;

function* readCluster(bytes: Uint8Array, counted: Count): Work<ClusterLoad> {
  let cluster = '';
  let allDropped = 0;
  const localities: LocalityLoad[] = [];
  let ofCategories = 0;
  yield* stepsOfFields(bytes, counted, {
    10: (reader) => {
      cluster = readText(reader);
    },
    18: (reader) => localities.push(readLocalityLoad(reader.bytes(), counted)),
    24: (reader) => {
      allDropped = readCount(reader);
    },
    42: (reader) => {
      readFields(reader.bytes(), counted, {
        16: (field) => {
          ofCategories += readCount(field);
        },
      });
    },
  });
  return { cluster, localities, dropped: Math.max(allDropped, ofCategories) };
}

function readLocalityLoad(bytes: Uint8Array, counted: Count): LocalityLoad {
  let [locality, succeeded, inProgress, failed, issued] = ['', 0, 0, 0, 0];
  readFields(bytes, counted, {
    10: (reader) => {
      locality = readLocality(reader.bytes(), counted);
    },
    16: (reader) => {
      succeeded = readCount(reader);
    },
    24: (reader) => {
      inProgress = readCount(reader);
    },
    32: (reader) => {
      failed = readCount(reader);
    },
    64: (reader) => {
      issued = readCount(reader);
    },
  });
  return { locality, succeeded, inProgress, failed, issued };
}

function readLocality(bytes: Uint8Array, counted: Count): string {
  const parts = ['', '', ''];
  const part = (index: number) => (reader: protobuf.Reader) => {
    parts[index] = readText(reader);
  };
  readFields(bytes, counted, { 10: part(0), 18: part(1), 26: part(2) });
  return parts.join('/').replace(/\/+$/, '');
}

type FieldReaders = Readonly<Record<number, (reader: protobuf.Reader) => void>>;

function readFields(bytes: Uint8Array, counted: Count, fields: FieldReaders): void {
  const steps = stepsOfFields(bytes, counted, fields);
  while (steps.next().done !== true);
}

/** Reads the fields with these tags, and skips the others, with a pause after each. */
function* stepsOfFields(bytes: Uint8Array, counted: Count, fields: FieldReaders): Work<void> {
  const reader = protobuf.Reader.create(bytes);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    counted();
    const read = fields[tag];
    if (read === undefined) reader.skipType(tag & 7);
    else read(reader);
    yield;
  }
}

function readText(reader: protobuf.Reader): string {
  return Buffer.from(reader.bytes().subarray(0, MAX_TEXT_BYTES)).toString();
}

/** A larger number would make sums inexact: a gauge would not come back to zero. No proxy has as many requests. */
const MAX_COUNT = 2 ** 32;

function readCount(reader: protobuf.Reader): number {
  return Math.min(Number(String(reader.uint64())), MAX_COUNT);
}

/**
 * Encodes an envoy.service.load_stats.v3.LoadStatsResponse that asks for reports of all clusters.
 *
 * @param intervalMs time from one report to the next
 */
export function encodeLoadRequest(intervalMs: number): Buffer {
  const writer = protobuf.Writer.create().uint32(0x12).fork();
  writer.uint32(0x08).int64(Math.floor(intervalMs / 1000));
  writer
    .uint32(0x10)
    .int32(Math.round((intervalMs % 1000) * 1_000_000))
    .ldelim();
  return Buffer.from(writer.uint32(0x20).bool(true).finish());
}
