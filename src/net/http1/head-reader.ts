const END = Buffer.from('\r\n\r\n');
/** What a chunk takes beside its bytes. */
const CHUNK_BYTES = 512;
const NO_BYTES = Buffer.alloc(0);

/** What has come of the head of a request. */
export type ReadHead =
  | { readonly type: 'head'; readonly text: string }
  | { readonly type: 'incomplete' }
  /** The peer has sent more than a head. */
  | { readonly type: 'excess' };

const INCOMPLETE: ReadHead = { type: 'incomplete' };
const EXCESS: ReadHead = { type: 'excess' };

/** Collects the bytes of a head until its empty line. Most heads come in one chunk, which is not kept. */
export class HeadReader {
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** The last bytes before the newest chunk: the empty line may be spread over several chunks. */
  #tail: Buffer = NO_BYTES;

  /** The memory that an incomplete head takes; 0 for none. */
  get heldBytes(): number {
    return this.#bytes + this.#chunks.length * CHUNK_BYTES;
  }

  /** @returns the head as text without its empty line, when these bytes complete it */
  take(chunk: Buffer): ReadHead {
    if (this.#bytes > 0) return this.#takeNext(chunk);
    const end = chunk.indexOf(END);
    if (end >= 0) return end + END.length === chunk.length ? headOf(chunk) : EXCESS;
    this.#keep(chunk);
    return INCOMPLETE;
  }

  #takeNext(chunk: Buffer): ReadHead {
    const seam = Buffer.concat([this.#tail, chunk]);
    const end = seam.indexOf(END);
    this.#keep(chunk);
    if (end < 0) return INCOMPLETE;
    if (end + END.length < seam.length) return EXCESS;
    const whole = Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#bytes = 0;
    this.#tail = NO_BYTES;
    return headOf(whole);
  }

  #keep(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#tail = Buffer.concat([this.#tail, chunk.subarray(-END.length + 1)]).subarray(-END.length + 1);
  }
}

function headOf(bytes: Buffer): ReadHead {
  return { type: 'head', text: bytes.toString('utf8', 0, bytes.length - END.length) };
}
