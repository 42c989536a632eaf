import protobuf from 'protobufjs';

/**
 * A DiscoveryRequest read from its raw bytes as far as every request needs it. Names and node stay encoded:
 * a sidecar repeats thousands of names in every acknowledgement, and decoding them costs more than
 * answering (DESIGN section 5).
 */
export interface RawDiscoveryRequest {
  readonly versionInfo: string;
  readonly typeUrl: string;
  readonly responseNonce: string;
  /** Encoded envoy.config.core.v3.Node; absent in all but the first request. */
  readonly node: Uint8Array | undefined;
  readonly errorDetail: { readonly code: number; readonly message: string } | undefined;
  /** Every resource_names field as encoded, in the order received. Empty when there is none. */
  readonly encodedNames: Uint8Array;
}

/** Field numbers of DiscoveryRequest. */
const VERSION_INFO = 1;
const NODE = 2;
const RESOURCE_NAMES = 3;
const TYPE_URL = 4;
const RESPONSE_NONCE = 5;
const ERROR_DETAIL = 6;

/**
 * @param knownNames encodings of names that the stream has sent before: a run that is one of them is not walked
 *   through name by name
 * @throws Error when the bytes are not a DiscoveryRequest.
 */
export function readDiscoveryRequest(bytes: Buffer, knownNames: readonly Buffer[] = []): RawDiscoveryRequest {
  const reader = protobuf.Reader.create(bytes);
  let versionInfo = '';
  let typeUrl = '';
  let responseNonce = '';
  let node: Uint8Array | undefined;
  let errorDetail: RawDiscoveryRequest['errorDetail'];
  const nameRuns: { start: number; end: number }[] = [];
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const tag = reader.uint32();
    const field = tag >>> 3;
    const lengthDelimited = (tag & 7) === 2;
    if (!lengthDelimited) reader.skipType(tag & 7);
    else if (field === RESOURCE_NAMES) {
      // Only before the first name: a list that is not known from its start is walked through.
      const known = nameRuns.length > 0 ? undefined : knownNames.find((names) => startsWithAt(bytes, start, names));
      if (known === undefined) reader.skipType(2);
      else reader.pos = start + known.length;
      const last = nameRuns.at(-1);
      if (last?.end === start) last.end = reader.pos;
      else nameRuns.push({ start, end: reader.pos });
    } else if (field === VERSION_INFO) versionInfo = reader.string();
    else if (field === NODE) node = reader.bytes();
    else if (field === TYPE_URL) typeUrl = reader.string();
    else if (field === RESPONSE_NONCE) responseNonce = reader.string();
    else if (field === ERROR_DETAIL) errorDetail = readStatus(reader.bytes());
    else reader.skipType(2);
  }
  return { versionInfo, typeUrl, responseNonce, node, errorDetail, encodedNames: joinRuns(bytes, nameRuns) };
}

/** Decodes what RawDiscoveryRequest.encodedNames holds. */
export function readResourceNames(encodedNames: Uint8Array): string[] {
  const reader = protobuf.Reader.create(encodedNames);
  const names: string[] = [];
  while (reader.pos < reader.len) {
    reader.uint32();
    names.push(reader.string());
  }
  return names;
}

/** Whether encoded names are none at all, or just `*`. */
export function isWildcard(encodedNames: Uint8Array): boolean {
  return encodedNames.length === 0 || (encodedNames.length === 3 && encodedNames[1] === 1 && encodedNames[2] === 0x2a);
}

function startsWithAt(bytes: Buffer, start: number, run: Buffer): boolean {
  const end = start + run.length;
  return run.length > 0 && end <= bytes.length && bytes.compare(run, 0, run.length, start, end) === 0;
}

function readStatus(bytes: Uint8Array): { code: number; message: string } {
  const reader = protobuf.Reader.create(bytes);
  let code = 0;
  let message = '';
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === 8) code = reader.int32();
    else if (tag === 18) message = reader.string();
    else reader.skipType(tag & 7);
  }
  return { code, message };
}

function joinRuns(bytes: Uint8Array, runs: readonly { start: number; end: number }[]): Uint8Array {
  const [only] = runs;
  if (only === undefined) return new Uint8Array(0);
  if (runs.length === 1) return bytes.subarray(only.start, only.end);
  return Buffer.concat(runs.map((run) => bytes.subarray(run.start, run.end)));
}
