/** A frame's flag byte and length. */
const HEAD_BYTES = 5;

/** The bytes of one gRPC message on its stream, not compressed. */
export function frameMessage(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(HEAD_BYTES + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, HEAD_BYTES);
  return frame;
}

/** Finds the messages in the chunks of one stream. Between messages it keeps no memory. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Bytes of the frame that has begun; undefined until its head is complete. */
  #wanted: number | undefined;

  /** Calls back with each message that the chunk completes. */
  read(chunk: Buffer, message: (bytes: Buffer) => void): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    for (;;) {
      if (this.#wanted === undefined && this.#bytes >= HEAD_BYTES) {
        this.#wanted = HEAD_BYTES + this.#join().readUInt32BE(1);
      }
      if (this.#wanted === undefined || this.#bytes < this.#wanted) return;
      const all = this.#join();
      const [frame, rest] = [all.subarray(0, this.#wanted), all.subarray(this.#wanted)];
      this.#chunks = rest.length === 0 ? [] : [rest];
      this.#bytes = rest.length;
      this.#wanted = undefined;
      message(frame.subarray(HEAD_BYTES));
    }
  }

  #join(): Buffer {
    const [first, ...more] = this.#chunks;
    const all = first === undefined || more.length > 0 ? Buffer.concat(this.#chunks) : first;
    this.#chunks = [all];
    return all;
  }
}
