import protobuf from 'protobufjs';
import type { ResponseHeader } from './discovery-response.js';
import type { EncodedResource } from './encoded-resource.js';
import { createWireMessage, type WireMessage } from './wire-message.js';

/** Field numbers and types of `envoy.service.discovery.v3.DeltaDiscoveryResponse`. */
const SYSTEM_VERSION_INFO = 0x0a;
const RESOURCES = 0x12;
const TYPE_URL = 0x22;
const NONCE = 0x2a;
const REMOVED_RESOURCES = 0x32;
const CONTROL_PLANE = 0x3a;
/** Of `envoy.service.discovery.v3.Resource`. */
const RESOURCE_VERSION = 0x0a;
const RESOURCE_NAME = 0x1a;
const RESOURCE_ALIAS = 0x22;
/** Entries that are framed before the work pauses. */
const FRAMED_AT_ONCE = 256;

/** Composes a DeltaDiscoveryResponse around resources that are already encoded; see `prepareDeltaBody`. */
export function composeDeltaResponse(header: ResponseHeader, body: readonly Uint8Array[]): WireMessage {
  const head = protobuf.Writer.create().uint32(SYSTEM_VERSION_INFO).string(header.versionInfo).finish();
  const tail = protobuf.Writer.create()
    .uint32(TYPE_URL)
    .string(header.typeUrl)
    .uint32(NONCE)
    .string(header.nonce)
    .uint32(CONTROL_PLANE)
    .fork()
    .uint32(0x0a)
    .string(header.controlPlane)
    .ldelim()
    .finish();
  return createWireMessage([head, ...body, tail]);
}

/** Encodes resources with their names and versions, and the names of removed resources, with pauses. */
export function* prepareDeltaBody(
  resources: readonly EncodedResource[],
  removed: readonly string[],
): Generator<void, Buffer, void> {
  const pieces: Buffer[] = [];
  for (let start = 0; start < resources.length; start += FRAMED_AT_ONCE) {
    pieces.push(Buffer.concat(resources.slice(start, start + FRAMED_AT_ONCE).flatMap(frame)));
    if (resources.length > FRAMED_AT_ONCE) yield;
  }
  for (let start = 0; start < removed.length; start += FRAMED_AT_ONCE) {
    const writer = protobuf.Writer.create();
    for (const name of removed.slice(start, start + FRAMED_AT_ONCE)) writer.uint32(REMOVED_RESOURCES).string(name);
    pieces.push(writer.finish() as Buffer);
    if (removed.length > FRAMED_AT_ONCE) yield;
  }
  return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
}

/** The entry is already framed as field 2 of a Resource, so only the name and the version are encoded here. */
function frame({ name, version, entry, bareEntry = entry, aliases = [] }: FramedResource): readonly Buffer[] {
  const start = protobuf.Writer.create().uint32(RESOURCE_VERSION).string(version).finish() as Buffer;
  const names = protobuf.Writer.create().uint32(RESOURCE_NAME).string(name);
  for (const alias of aliases) names.uint32(RESOURCE_ALIAS).string(alias);
  const end = names.finish() as Buffer;
  const length = start.length + bareEntry.length + end.length;
  const head = protobuf.Writer.create().uint32(RESOURCES).uint32(length).finish() as Buffer;
  return [head, start, bareEntry, end];
}

type FramedResource = Pick<EncodedResource, 'name' | 'version' | 'entry' | 'bareEntry' | 'aliases'>;
