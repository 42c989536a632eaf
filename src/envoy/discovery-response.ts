import protobuf from 'protobufjs';
import type { EncodedResource } from './encoded-resource.js';

/** The fields of a DiscoveryResponse beside its resources. */
export interface ResponseHeader {
  readonly versionInfo: string;
  readonly typeUrl: string;
  readonly nonce: string;
  /** ControlPlane.identifier: who answered. */
  readonly controlPlane: string;
}

/**
 * Composes a state-of-the-world DiscoveryResponse from resources that were encoded before: the bytes of
 * repeated fields concatenate, so nothing is serialised again (DESIGN section 5).
 */
export function composeDiscoveryResponse(header: ResponseHeader, resources: readonly EncodedResource[]): Buffer {
  const head = protobuf.Writer.create().uint32(0x0a).string(header.versionInfo).finish();
  const tail = protobuf.Writer.create()
    .uint32(0x22)
    .string(header.typeUrl)
    .uint32(0x2a)
    .string(header.nonce)
    .uint32(0x32)
    .fork()
    .uint32(0x0a)
    .string(header.controlPlane)
    .ldelim()
    .finish();
  let length = head.length + tail.length;
  for (const resource of resources) length += resource.entry.length;
  const response = Buffer.allocUnsafeSlow(length);
  response.set(head, 0);
  let offset = head.length;
  for (const { entry } of resources) {
    response.set(entry, offset);
    offset += entry.length;
  }
  response.set(tail, offset);
  return response;
}
