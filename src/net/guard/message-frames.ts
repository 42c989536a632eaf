/** What is wrong with the bytes of a stream, as far as their frames say. */
export type FrameProblem = 'compressed' | 'too long';

const PREFIX_BYTES = 5;

/**
 * Follows the frames of gRPC messages through the bytes of a stream as they arrive: a byte that says whether the
 * message is compressed, its length in four bytes, the message.
 */
export class MessageFrames {
  /** Messages that have arrived completely. */
  complete = 0;
  /** Bytes of the message that has not, with its prefix. */
  incompleteBytes = 0;
  #prefixBytes = 0;
  #length = 0;
  #remaining = 0;

  /** @param maxBytes of a message. Returns the first problem; what follows it in the stream is not to be read. */
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
