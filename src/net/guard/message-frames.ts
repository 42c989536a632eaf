/** Why the frames of a stream are rejected. */
export type FrameProblem = 'compressed' | 'too long';

const PREFIX_BYTES = 5;

/**
 * Parses the frames of gRPC messages as bytes arrive: one byte that marks compression, the length in four bytes, the
 * message.
 */
export class MessageFrames {
  /** Complete messages. */
  complete = 0;
  /** Bytes of the incomplete message with its prefix. */
  incompleteBytes = 0;
  #prefixBytes = 0;
  /** Announced length of the incomplete message. */
  #length = 0;
  #remaining = 0;

  /** Announced size of the incomplete message with its prefix; 0 before the prefix is complete, and between messages. */
  get announcedBytes(): number {
    return this.#prefixBytes === PREFIX_BYTES ? this.#length + PREFIX_BYTES : 0;
  }

  /**
   * @param maxBytes limit of a message
   * @returns the first problem; the rest of the stream must not be read
   */
  feed(chunk: Buffer, maxBytes: number): FrameProblem | undefined {
    let at = 0;
    while (at < chunk.length) {
      if (this.#prefixBytes < PREFIX_BYTES) {
        const byte = chunk[at++] ?? 0;
        if (this.#prefixBytes === 0 && byte !== 0) return 'compressed';
        this.#length = this.#prefixBytes === 0 ? 0 : this.#length * 256 + byte;
        this.#prefixBytes++;
        this.incompleteBytes++;
        if (this.#prefixBytes === PREFIX_BYTES) {
          if (this.#length > maxBytes) return 'too long';
          this.#remaining = this.#length;
        }
      } else {
        const taken = Math.min(this.#remaining, chunk.length - at);
        this.#remaining -= taken;
        this.incompleteBytes += taken;
        at += taken;
      }
      if (this.#prefixBytes === PREFIX_BYTES && this.#remaining === 0) {
        this.complete++;
        this.#prefixBytes = 0;
        this.incompleteBytes = 0;
      }
    }
    return undefined;
  }
}
