/** Cuts a stream into messages, each of which has its length in front (RFC 1035, 4.2.2). */
export interface MessageReader {
  /** @returns the complete messages; undefined if the stream exceeds the limit, after which it must be closed */
  read(chunk: Buffer): readonly Buffer[] | undefined;
  /** Bytes of a message that is not complete. */
  readonly restBytes: number;
}

const LENGTH_BYTES = 2;

/** @param maxBytes of one message */
export function createMessageReader(maxBytes: number): MessageReader {
  let rest: Buffer = Buffer.alloc(0);
  return {
    read: (chunk) => {
      let bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const messages: Buffer[] = [];
      while (bytes.length >= LENGTH_BYTES) {
        const length = bytes.readUInt16BE(0);
        if (length > maxBytes) return undefined;
        if (bytes.length < LENGTH_BYTES + length) break;
        messages.push(bytes.subarray(LENGTH_BYTES, LENGTH_BYTES + length));
        bytes = bytes.subarray(LENGTH_BYTES + length);
      }
      // A copy, because the chunk can be much larger.
      rest = Buffer.from(bytes);
      return messages;
    },
    get restBytes() {
      return rest.length;
    },
  };
}

/** A message with its length in front. */
export function frameMessage(message: Buffer): Buffer {
  const framed = Buffer.allocUnsafe(LENGTH_BYTES + message.length);
  framed.writeUInt16BE(message.length, 0);
  message.copy(framed, LENGTH_BYTES);
  return framed;
}
