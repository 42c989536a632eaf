import protobuf from 'protobufjs';
import { createMessageJson, type Json } from '../envoy/message-json.js';
import type { ProtoRegistry } from '../envoy/proto-registry.js';

/** The fields of envoy.config.core.v3.Node that identify a proxy. */
export interface WireNode {
  readonly id: string;
  readonly metadata: { readonly [key: string]: Json };
  readonly locality: { readonly region: string; readonly zone: string; readonly subZone: string };
  /** What the proxy says of its own build, for example `1.40.0`; empty when it does not. */
  readonly userAgentVersion: string;
}

const STRUCT = 'type.googleapis.com/google.protobuf.Struct';

/**
 * Reads a node without its list of extensions, which is most of an Envoy's 60 KB and says nothing that we
 * need.
 *
 * @throws Error when the bytes are not a Node.
 */
export function createNodeReader(registry: ProtoRegistry): (bytes: Uint8Array) => WireNode {
  const json = createMessageJson(registry);
  const readMetadata = (bytes: Uint8Array): WireNode['metadata'] => {
    const { '@type': _type, ...metadata } = json.bytesToJson(STRUCT, bytes) as { [key: string]: Json };
    return metadata;
  };
  return (bytes) => {
    const reader = protobuf.Reader.create(bytes);
    let id = '';
    let metadata: WireNode['metadata'] = {};
    let locality: WireNode['locality'] = { region: '', zone: '', subZone: '' };
    let userAgentVersion = '';
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      if (tag === 0x0a) id = reader.string();
      else if (tag === 0x1a) metadata = readMetadata(reader.bytes());
      else if (tag === 0x22) locality = readLocality(reader.bytes());
      else if (tag === 0x3a) userAgentVersion = reader.string();
      else if (tag === 0x42) userAgentVersion = readBuildVersion(reader.bytes());
      else reader.skipType(tag & 7);
    }
    return { id, metadata, locality, userAgentVersion };
  };
}

/** The semantic version of a BuildVersion, as `major.minor.patch`. */
function readBuildVersion(bytes: Uint8Array): string {
  const reader = protobuf.Reader.create(bytes);
  let version = '';
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === 0x0a) version = readSemanticVersion(reader.bytes());
    else reader.skipType(tag & 7);
  }
  return version;
}

function readSemanticVersion(bytes: Uint8Array): string {
  const reader = protobuf.Reader.create(bytes);
  const numbers = [0, 0, 0];
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === 0x08 || tag === 0x10 || tag === 0x18) numbers[(tag >> 3) - 1] = reader.uint32();
    else reader.skipType(tag & 7);
  }
  return numbers.join('.');
}

function readLocality(bytes: Uint8Array): WireNode['locality'] {
  const reader = protobuf.Reader.create(bytes);
  let [region, zone, subZone] = ['', '', ''];
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === 0x0a) region = reader.string();
    else if (tag === 0x12) zone = reader.string();
    else if (tag === 0x1a) subZone = reader.string();
    else reader.skipType(tag & 7);
  }
  return { region, zone, subZone };
}
