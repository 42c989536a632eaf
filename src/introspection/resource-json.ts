import protobuf from 'protobufjs';
import type { EncodedResource } from '../envoy/encoded-resource.js';
import type { Json, MessageJson } from '../envoy/message-json.js';
import { TypeUrl } from '../envoy/type-urls.js';
import { JsonRecord, type JsonSource, listOf } from './json-source.js';

const VIRTUAL_HOST = 'type.googleapis.com/envoy.config.route.v3.VirtualHost';

/** RouteConfiguration.virtual_hosts, as a tag on the wire. */
const VIRTUAL_HOSTS_TAG = (2 << 3) | 2;

/** Smaller route tables render faster as a whole than in parts. */
const LARGE_BYTES = 64 * 1024;

/**
 * A resource as protobuf JSON. A route table has a virtual host for every service. A large one is decoded one virtual host
 * at a time, because decoding 10,000 at once would block the event loop for 0.2 s.
 */
export function resourceJson(messageJson: MessageJson, resource: EncodedResource): JsonSource {
  if (resource.entry.length < LARGE_BYTES) return messageJson.resourceToJson(resource);
  const { typeUrl, message } = openEntry(resource.entry);
  if (typeUrl !== TypeUrl.route) return messageJson.resourceToJson(resource);
  const { virtualHosts, rest } = splitRouteTable(message);
  const fields = messageJson.bytesToJson(typeUrl, rest) as { [key: string]: Json };
  const hosts = listOf(virtualHosts, (bytes) => {
    const { '@type': _type, ...host } = messageJson.bytesToJson(VIRTUAL_HOST, bytes) as { [key: string]: Json };
    return host;
  });
  return new JsonRecord([...Object.entries(fields), ['virtualHosts', hosts]]);
}

/** The Any inside a resource entry (see EncodedResource): type URL in field 1, message in field 2. */
function openEntry(entry: Uint8Array): { readonly typeUrl: string; readonly message: Uint8Array } {
  const outer = protobuf.Reader.create(entry);
  outer.uint32();
  const any = protobuf.Reader.create(outer.bytes());
  any.uint32();
  const typeUrl = any.string();
  any.uint32();
  return { typeUrl, message: any.bytes() };
}

interface RouteTableParts {
  readonly virtualHosts: readonly Uint8Array[];
  /** All other fields, as an encoded RouteConfiguration. */
  readonly rest: Uint8Array;
}

function splitRouteTable(message: Uint8Array): RouteTableParts {
  const reader = protobuf.Reader.create(message);
  const virtualHosts: Uint8Array[] = [];
  const rest: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const tag = reader.uint32();
    if (tag === VIRTUAL_HOSTS_TAG) {
      virtualHosts.push(reader.bytes());
    } else {
      reader.skipType(tag & 7);
      rest.push(message.subarray(start, reader.pos));
    }
  }
  return { virtualHosts, rest: Buffer.concat(rest) };
}
