import type { MessageTemplate, RecordedMessage, Recording } from '../client/recording.js';

/** The protobuf field that carries padding: no message of xDS has it, so every reader skips it. */
const PADDING_TAG = Buffer.from([0xa2, 0x06]);
const MIN_PADDING_BYTES = PADDING_TAG.length + 1;

/** A message that the floor sends: after that many requests of the type in the phase (0: when told to push). */
interface ScriptedMessage {
  readonly typeUrl: string;
  readonly afterRequests: number;
  readonly bytes: Buffer;
}

/** Messages of the floor server in one phase, by client index. */
export type PhaseScript = readonly (readonly ScriptedMessage[])[];

/**
 * Turns a recording into the messages that the floor sends: as many, of the same sizes, on the same requests, with
 * one Buffer for all messages of the same type, ordinal and size. Messages larger than their template are padded to
 * within 2 bytes.
 */
export function buildPhaseScript(recording: Recording): PhaseScript {
  const templates = new Map(recording.templates.map((template) => [templateKey(template), template]));
  const shared = new Map<string, Buffer>();
  return recording.clients.map((messages) => {
    const counts = new Map<string, number>();
    return messages.map((message): ScriptedMessage => {
      const ordinal = counts.get(message.typeUrl) ?? 0;
      counts.set(message.typeUrl, ordinal + 1);
      const key = templateKey({ typeUrl: message.typeUrl, ordinal });
      const template = templates.get(key);
      if (template === undefined) throw new RangeError(`The recording lacks message ${ordinal} of ${message.typeUrl}.`);
      return {
        typeUrl: message.typeUrl,
        afterRequests: message.afterRequests,
        bytes: shareMessage(shared, key, template, message),
      };
    });
  });
}

function shareMessage(
  shared: Map<string, Buffer>,
  templateId: string,
  template: MessageTemplate,
  message: RecordedMessage,
): Buffer {
  const key = `${templateId} ${message.sizeBytes}`;
  let bytes = shared.get(key);
  if (bytes === undefined) {
    bytes = padMessage(template.bytes, message.sizeBytes);
    shared.set(key, bytes);
  }
  return bytes;
}

/** The message with an unknown field appended, so that it has `sizeBytes` (or up to 2 bytes fewer). */
function padMessage(message: Uint8Array, sizeBytes: number): Buffer {
  const missing = sizeBytes - message.length;
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.length);
  if (missing < MIN_PADDING_BYTES) return bytes;
  let lengthBytes = 1;
  while (missing - PADDING_TAG.length - lengthBytes >= 2 ** (7 * lengthBytes)) lengthBytes += 1;
  const contentBytes = missing - PADDING_TAG.length - lengthBytes;
  return Buffer.concat([bytes, PADDING_TAG, encodeLength(contentBytes, lengthBytes), Buffer.alloc(contentBytes)]);
}

/** A varint of exactly that many bytes: a value that needs fewer is written with leading zero groups. */
function encodeLength(value: number, bytes: number): Buffer {
  const encoded = Buffer.alloc(bytes);
  let rest = value;
  for (let index = 0; index < bytes; index += 1) {
    encoded[index] = (rest & 0x7f) | (index < bytes - 1 ? 0x80 : 0);
    rest >>>= 7;
  }
  return encoded;
}

function templateKey(template: Pick<MessageTemplate, 'typeUrl' | 'ordinal'>): string {
  return `${template.ordinal} ${template.typeUrl}`;
}
