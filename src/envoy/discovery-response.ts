import protobuf from 'protobufjs';
import { createWireMessage, type WireMessage } from './wire-message.js';

/** The fields of a DiscoveryResponse beside its resources. */
export interface ResponseHeader {
  readonly versionInfo: string;
  readonly typeUrl: string;
  readonly nonce: string;
  /** ControlPlane.identifier: the instance that responds. */
  readonly controlPlane: string;
}

/**
 * Composes a state-of-the-world DiscoveryResponse from encoded resources. Repeated fields concatenate, so resources are
 * neither serialised again nor copied (docs/architecture.md#rules-that-keep-it-fast).
 *
 * @param body entries of encoded resources; a piece has one or more
 */
export function composeDiscoveryResponse(header: ResponseHeader, body: readonly Uint8Array[]): WireMessage {
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
  return createWireMessage([head, ...body, tail]);
}
