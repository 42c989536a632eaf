import type { ProtoRegistry } from '../../envoy/proto-registry.js';
import type { WireCheckResponse } from './adapter/check-response.js';
import type { WireCheckRequest, WireLogMessage } from './adapter/envoy-messages.js';

/** Decodes and encodes the messages of Envoy. */
export interface EnvoyCodec {
  /** @throws EnvoyMessageError */
  decodeCheckRequest(bytes: Uint8Array): WireCheckRequest;
  encodeCheckResponse(response: WireCheckResponse): Buffer;
  /** @throws EnvoyMessageError */
  decodeLogMessage(bytes: Uint8Array): WireLogMessage;
}

/** Bytes that are not a message of the expected type. */
export class EnvoyMessageError extends Error {
  readonly code = 'INVALID_ENVOY_MESSAGE';

  constructor(kind: string, options: ErrorOptions) {
    super(`the bytes are not a ${kind}: the caller must be an Envoy with version 3 of its API`, options);
    this.name = 'EnvoyMessageError';
  }
}

/** @param registry with the files of Envoy's services `auth` and `accesslog` */
export function createEnvoyCodec(registry: ProtoRegistry): EnvoyCodec {
  const decoder = <Message>(name: string): ((bytes: Uint8Array) => Message) => {
    const type = registry.type(name);
    return (bytes) => {
      try {
        return type.decode(bytes) as unknown as Message;
      } catch (cause) {
        throw new EnvoyMessageError(type.name, { cause });
      }
    };
  };
  const response = registry.type('envoy.service.auth.v3.CheckResponse');
  return {
    decodeCheckRequest: decoder<WireCheckRequest>('envoy.service.auth.v3.CheckRequest'),
    // Enums are numbers, so that the message is encoded without conversion.
    encodeCheckResponse: (message) => response.encode(message as unknown as Record<string, unknown>).finish() as Buffer,
    decodeLogMessage: decoder<WireLogMessage>('envoy.service.accesslog.v3.StreamAccessLogsMessage'),
  };
}
