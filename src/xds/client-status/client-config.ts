import protobuf from 'protobufjs';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import { EMPTY_RESOURCE_SET, type ResourceSet, resourceOf } from '../../envoy/resource-set.js';
import type { WatchSnapshot } from '../../model/proxy-connection.js';
import type { Work } from '../../push/work.js';
import type { ProxySession } from '../proxy-session.js';
import type { ProxyEvent } from './recent-events.js';

/** envoy.service.status.v3.ConfigStatus */
const CONFIG_STATUS = { SYNCED: 1, NOT_SENT: 2, STALE: 3, ERROR: 4 } as const;
/** envoy.admin.v3.ClientResourceStatus */
const CLIENT_STATUS = { REQUESTED: 1, DOES_NOT_EXIST: 2, ACKED: 3, NACKED: 4 } as const;

export interface ClientConfigParts {
  readonly session: ProxySession;
  readonly hasContents: boolean;
  /**
   * Whether rejections have the text of the proxy. It may quote what the resource contains, so only callers that may see
   * the contents get it.
   */
  readonly hasReasons: boolean;
  /** Called with the size of each part while the message grows. It may throw: the message is given up. */
  onBytes(bytes: number): void;
}

type Shown = Pick<ClientConfigParts, 'hasContents' | 'hasReasons'>;

/** Resources that are encoded before the work pauses. */
const ENCODED_AT_ONCE = 256;

/** Encodes an envoy.service.status.v3.ClientConfig: the state of each resource at one proxy. Empty without a node. */
export function* encodeClientConfig({ session, onBytes, ...shown }: ClientConfigParts): Work<Buffer> {
  const connection = session.snapshot();
  if (connection === undefined) return Buffer.alloc(0);
  const { id, proxy, watches } = connection;
  const pieces: Uint8Array[] = [encodeNode(proxy.id, proxy.configNamespace)];
  for (const [typeUrl, watch] of watches) {
    const wanted = yield* session.prepare(typeUrl);
    const sent = session.sentOf(typeUrl) ?? EMPTY_RESOURCE_SET;
    for (const resource of wanted.resources) {
      const state = stateOf(resource, sent, watch);
      const piece = encodeGenericConfig(typeUrl, resource, state, watch, shown);
      pieces.push(piece);
      onBytes(piece.length);
      if (pieces.length % ENCODED_AT_ONCE === 0) yield;
    }
  }
  pieces.push(encodeScope(id));
  return Buffer.concat(pieces);
}

/** The same message with the node and the connection only. Empty without a node. */
export function encodeClient(session: ProxySession): Buffer {
  const { id, proxy } = session;
  if (proxy === undefined) return Buffer.alloc(0);
  return Buffer.concat([encodeNode(proxy.id, proxy.configNamespace), encodeScope(id)]);
}

/** The same message for an event: the node, the connection and, of a rejection, the type and its reason. */
export function encodeEvent({ connectionId, proxy, rejection }: ProxyEvent, hasReason: boolean): Buffer {
  const pieces = [encodeNode(proxy.id, proxy.configNamespace), encodeScope(connectionId)];
  if (rejection !== undefined) {
    const { typeUrl, at } = rejection;
    const writer = protobuf.Writer.create().uint32(0x1a).fork().uint32(0x0a).string(typeUrl);
    writeTime(writer, at);
    writer.uint32(0x30).int32(CONFIG_STATUS.ERROR).uint32(0x38).int32(CLIENT_STATUS.NACKED);
    writer.uint32(0x42).fork().uint32(0x1a).string(reasonOf(rejection, hasReason)).ldelim();
    pieces.push(writer.ldelim().finish());
  }
  return Buffer.concat(pieces);
}

function reasonOf({ code, message }: { readonly code: number | string; readonly message: string }, hasReason: boolean) {
  return `${code}: ${hasReason ? message : HIDDEN_REASON}`;
}

/** The id of the connection, `client_scope`. */
function encodeScope(id: string): Uint8Array {
  return protobuf.Writer.create().uint32(0x22).string(id).finish();
}

interface ResourceState {
  readonly config: keyof typeof CONFIG_STATUS;
  readonly client: keyof typeof CLIENT_STATUS;
}

/**
 * SYNCED: sent and acknowledged. STALE: sent, and not acknowledged yet. ERROR: the proxy rejected the response. NOT_SENT:
 * not sent yet in this version.
 */
function stateOf(resource: EncodedResource, sent: ResourceSet, watch: WatchSnapshot): ResourceState {
  if (resource.isUnknown === true) return { config: 'NOT_SENT', client: 'DOES_NOT_EXIST' };
  if (resourceOf(sent, resource.name)?.version !== resource.version) {
    return watch.rejection === undefined
      ? { config: 'NOT_SENT', client: 'REQUESTED' }
      : { config: 'ERROR', client: 'NACKED' };
  }
  const isAnswered = watch.sentNonce === watch.ackedNonce || watch.rejection?.nonce === watch.sentNonce;
  return isAnswered ? { config: 'SYNCED', client: 'ACKED' } : { config: 'STALE', client: 'REQUESTED' };
}

function encodeNode(id: string, namespace: string): Uint8Array {
  const writer = protobuf.Writer.create().uint32(0x0a).fork().uint32(0x0a).string(id);
  // The metadata, a Struct with one text.
  writer.uint32(0x1a).fork().uint32(0x0a).fork().uint32(0x0a).string('NAMESPACE');
  return writer.uint32(0x12).fork().uint32(0x1a).string(namespace).ldelim().ldelim().ldelim().ldelim().finish();
}

const HIDDEN_REASON = 'the log of the proxy has the reason';

/** Field 3 of ClientConfig. */
function encodeGenericConfig(
  typeUrl: string,
  resource: EncodedResource,
  { config, client }: ResourceState,
  { sentAt, rejection }: WatchSnapshot,
  { hasContents, hasReasons }: Shown,
): Uint8Array {
  const writer = protobuf.Writer.create().uint32(0x1a).fork();
  writer.uint32(0x0a).string(typeUrl).uint32(0x12).string(resource.name);
  if (client !== 'DOES_NOT_EXIST') writer.uint32(0x1a).string(resource.version);
  if (hasContents && client !== 'DOES_NOT_EXIST') writer.uint32(0x22).bytes(anyOf(resource));
  if (sentAt !== undefined) writeTime(writer, sentAt);
  writer.uint32(0x30).int32(CONFIG_STATUS[config]).uint32(0x38).int32(CLIENT_STATUS[client]);
  if (client === 'NACKED' && rejection !== undefined) {
    writer
      .uint32(0x42)
      .fork()
      .uint32(0x1a)
      .string(reasonOf(rejection, hasReasons))
      .uint32(0x22)
      .string(resource.version)
      .ldelim();
  }
  return writer.ldelim().finish();
}

/** `last_updated` of GenericXdsConfig. */
function writeTime(writer: protobuf.Writer, at: Date): void {
  const ms = at.getTime();
  const [seconds, nanos] = [Math.floor(ms / 1000), (ms % 1000) * 1_000_000];
  writer.uint32(0x2a).fork().uint32(0x08).int64(seconds).uint32(0x10).int32(nanos).ldelim();
}

/** The `google.protobuf.Any` in the entry of a resource. */
function anyOf({ entry, bareEntry = entry }: EncodedResource): Uint8Array {
  const reader = protobuf.Reader.create(bareEntry);
  reader.uint32();
  return reader.bytes();
}
