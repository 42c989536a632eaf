import { hash } from 'node:crypto';
import protobuf from 'protobufjs';
import { isRecord } from '../../base/record.js';
import type { Work } from '../../push/work.js';
import { LimitError, type XdsLimits } from '../limits/xds-limits.js';
import { shorten } from '../shorten.js';
import { StreamError } from '../stream-error.js';

/** A DiscoveryRequest that came as JSON. */
export interface RestRequest {
  /** Equal for requests with the same node, whatever the order of its metadata. */
  readonly nodeKey: string;
  /** Equal for requests with the same node, type and names. */
  readonly key: string;
  /** Version of the resources that the proxy has; empty if it has none. */
  readonly versionInfo: string;
  /** The same request, encoded as Protocol Buffers, of the type of the path. */
  readonly message: Buffer;
}

/** Names that are encoded before the work pauses. */
const NAMES_AT_ONCE = 2_048;
/** No proxy has metadata that is nested deeper. */
const MAX_DEPTH = 32;
/** The least bytes of an encoded value of the metadata. */
const VALUE_BYTES = 4;

/**
 * Reads the JSON of a DiscoveryRequest, with field names of either kind (`version_info` and `versionInfo`), and encodes
 * the fields that the server reads, with pauses: a hundred thousand names take 70 ms. Unknown fields are ignored: a later Envoy may send more.
 *
 * @param typeUrl the type of the request's path
 * @param limits are checked before anything is encoded: a body of megabytes can have a million names or values
 * @throws StreamError INVALID_ARGUMENT that names the field; LimitError
 */
export function* readRestRequest(
  body: string,
  typeUrl: string,
  limits: Pick<XdsLimits, 'names' | 'nodeBytes'>,
): Work<RestRequest> {
  const request = parseObject(body);
  yield;
  const typeOfBody = textOf(request, 'type_url');
  if (typeOfBody !== '' && typeOfBody !== typeUrl) {
    throw invalid(`type_url is ${typeOfBody.slice(0, MAX_SHOWN)}, and the path is for ${typeUrl}`);
  }
  const versionInfo = shortTextOf(request, 'version_info');
  const names = namesOf(request, limits.names);
  const node = encodeNode(fieldOf(request, 'node'), limits.nodeBytes);
  if (node.length > limits.nodeBytes) throw nodeTooLarge(limits.nodeBytes);
  const writer = protobuf.Writer.create().uint32(0x0a).string(versionInfo).uint32(0x12).bytes(node);
  for (const [index, name] of names.entries()) {
    writer.uint32(0x1a).string(name);
    if (index % NAMES_AT_ONCE === NAMES_AT_ONCE - 1) yield;
  }
  writer.uint32(0x22).string(typeUrl).uint32(0x2a).string(shortTextOf(request, 'response_nonce'));
  const error = fieldOf(request, 'error_detail');
  if (error !== undefined) {
    const detail = objectOf(error, 'error_detail');
    const code = numberOf(detail, 'code');
    writer
      .uint32(0x32)
      .fork()
      .uint32(0x08)
      .int32(code)
      .uint32(0x12)
      .string(shorten(textOf(detail, 'message')))
      .ldelim();
  }
  yield;
  const nodeKey = hash('sha256', node, 'base64');
  const key = hash('sha256', `${nodeKey}\n${typeUrl}\n${JSON.stringify(names)}`, 'base64');
  yield;
  return { nodeKey, key, versionInfo, message: Buffer.from(writer.finish()) };
}

const MAX_SHOWN = 200;

function parseObject(body: string): Fields {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch (cause) {
    throw new StreamError('INVALID_ARGUMENT', 'the body is not JSON', { cause });
  }
  return objectOf(parsed, 'the body');
}

type Fields = Readonly<Record<string, unknown>>;

/** The value of a field by its name in the `.proto` file; undefined if it is absent or null. */
function fieldOf(fields: Fields, name: string): unknown {
  const jsonName = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  for (const each of [name, jsonName]) {
    const value = Object.hasOwn(fields, each) ? fields[each] : undefined;
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

function objectOf(value: unknown, what: string): Fields {
  if (!isRecord(value)) throw invalid(`${what} is not an object`);
  return value;
}

function textOf(fields: Fields, name: string): string {
  const value = fieldOf(fields, name) ?? '';
  if (typeof value !== 'string') throw invalid(`${name} is not a text`);
  return value;
}

/** A text that the server gave the proxy before, and which it keeps for as long as the subscription lives. */
function shortTextOf(fields: Fields, name: string): string {
  const text = textOf(fields, name);
  if (text.length > MAX_SHORT) throw invalid(`${name} is longer than ${MAX_SHORT} characters`);
  return text;
}

const MAX_SHORT = 1_024;

function numberOf(fields: Fields, name: string): number {
  const value = fieldOf(fields, name) ?? 0;
  if (!Number.isInteger(value) || Math.abs(value as number) > 0x7fffffff)
    throw invalid(`${name} is not a whole number`);
  return value as number;
}

function namesOf(request: Fields, maxNames: number): readonly string[] {
  const names = fieldOf(request, 'resource_names') ?? [];
  if (Array.isArray(names) && names.length > maxNames) {
    throw new LimitError('names', `the request names more than ${maxNames} resources`);
  }
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) {
    throw invalid('resource_names is not a list of texts');
  }
  return names;
}

/** Encodes the fields of a node that `readNode` reads. The extensions that Envoy lists are most of it, and left out. */
function encodeNode(value: unknown, maxBytes: number): Uint8Array {
  if (value === undefined) throw invalid('node is missing');
  const node = objectOf(value, 'node');
  const writer = protobuf.Writer.create().uint32(0x0a).string(textOf(node, 'id'));
  const metadata = fieldOf(node, 'metadata');
  if (metadata !== undefined) {
    const fields = objectOf(metadata, 'node.metadata');
    checkCount(fields, maxBytes);
    writeStruct(writer.uint32(0x1a), fields);
  }
  const locality = fieldOf(node, 'locality');
  if (locality !== undefined) {
    const fields = objectOf(locality, 'node.locality');
    writer.uint32(0x22).fork();
    writer.uint32(0x0a).string(textOf(fields, 'region')).uint32(0x12).string(textOf(fields, 'zone'));
    writer.uint32(0x1a).string(textOf(fields, 'sub_zone')).ldelim();
  }
  writer.uint32(0x3a).string(textOf(node, 'user_agent_version'));
  const version = versionOf(node);
  if (version !== undefined) {
    writer.uint32(0x42).fork().uint32(0x0a).fork();
    writer.uint32(0x08).uint32(numberOf(version, 'major_number') >>> 0);
    writer.uint32(0x10).uint32(numberOf(version, 'minor_number') >>> 0);
    writer.uint32(0x18).uint32(numberOf(version, 'patch') >>> 0);
    writer.ldelim().ldelim();
  }
  return writer.finish();
}

function versionOf(node: Fields): Fields | undefined {
  const build = fieldOf(node, 'user_agent_build_version');
  if (build === undefined) return undefined;
  const version = fieldOf(objectOf(build, 'node.user_agent_build_version'), 'version');
  return version === undefined ? undefined : objectOf(version, 'node.user_agent_build_version.version');
}

/** @throws LimitError if the values cannot fit into a node */
function checkCount(fields: Fields, maxBytes: number): void {
  let left = Math.ceil(maxBytes / VALUE_BYTES);
  const count = (value: unknown, depth: number): void => {
    if (left-- <= 0) throw nodeTooLarge(maxBytes);
    if (typeof value !== 'object' || value === null) return;
    if (depth > MAX_DEPTH) throw invalid(`node.metadata is nested deeper than ${MAX_DEPTH} levels`);
    for (const each of Array.isArray(value) ? value : Object.values(value)) count(each, depth + 1);
  };
  count(fields, 1);
}

/** In the order of the keys: each subscription of Envoy writes the metadata in another order. */
function writeStruct(writer: protobuf.Writer, fields: Fields): void {
  writer.fork();
  for (const key of Object.keys(fields).sort()) {
    const value = fields[key];
    writer.uint32(0x0a).fork().uint32(0x0a).string(key);
    writeValue(writer.uint32(0x12), value);
    writer.ldelim();
  }
  writer.ldelim();
}

function writeValue(writer: protobuf.Writer, value: unknown): void {
  writer.fork();
  if (value === null) writer.uint32(0x08).uint32(0);
  else if (typeof value === 'number') writer.uint32(0x11).double(value);
  else if (typeof value === 'string') writer.uint32(0x1a).string(value);
  else if (typeof value === 'boolean') writer.uint32(0x20).bool(value);
  else if (Array.isArray(value)) writeList(writer.uint32(0x32), value);
  else if (isRecord(value)) writeStruct(writer.uint32(0x2a), value);
  writer.ldelim();
}

function writeList(writer: protobuf.Writer, items: readonly unknown[]): void {
  writer.fork();
  for (const item of items) writeValue(writer.uint32(0x0a), item);
  writer.ldelim();
}

function nodeTooLarge(maxBytes: number): LimitError {
  return new LimitError('nodeBytes', `the node has more than ${maxBytes} bytes`);
}

function invalid(reason: string): StreamError {
  return new StreamError('INVALID_ARGUMENT', `the body is not a DiscoveryRequest: ${reason}`);
}
