/** Protobuf wire types. Groups (3 and 4) are not used by xDS. */
const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/**
 * Walks the fields of one protobuf message in place, without copying or building objects.
 *
 * The clients share two cores with the server they measure, so they read the few bytes they need and skip
 * the rest: decoding a megabyte of clusters with a full protobuf library would cost more than serving it.
 */
export class WireReader {
  readonly #bytes: Buffer;
  #offset: number;
  readonly #end: number;
  /** Number of the current field; meaningful after next() returned true. */
  field = 0;
  /** Where the current field's tag starts. */
  fieldStart = 0;
  /** Range of the current length-delimited field's content; start equals end for the other wire types. */
  start = 0;
  end = 0;
  /** Value of the current varint field (exact below 2^53), else 0. */
  varint = 0;

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#offset = start;
    this.#end = end;
  }

  /** Moves to the next field; false at the end. Throws RangeError on bytes that are not a protobuf message. */
  next(): boolean {
    if (this.#offset >= this.#end) return false;
    this.fieldStart = this.#offset;
    const tag = this.#readVarint();
    this.field = Math.floor(tag / 8);
    this.varint = 0;
    const wireType = tag % 8;
    switch (wireType) {
      case WIRE.varint:
        this.varint = this.#readVarint();
        this.start = this.end = this.#offset;
        break;
      case WIRE.fixed64:
        this.#skip(8);
        break;
      case WIRE.fixed32:
        this.#skip(4);
        break;
      case WIRE.bytes: {
        const length = this.#readVarint();
        this.start = this.#offset;
        this.end = this.start + length;
        this.#offset = this.end;
        break;
      }
      default:
        throw new RangeError(`Not a protobuf message: wire type ${wireType} at byte ${this.fieldStart}.`);
    }
    if (this.#offset > this.#end) {
      throw new RangeError(`Not a protobuf message: field ${this.field} at byte ${this.fieldStart} is cut off.`);
    }
    return true;
  }

  /** The current length-delimited field as text. */
  text(): string {
    return this.#bytes.toString('utf8', this.start, this.end);
  }

  /** The current length-delimited field as a message. */
  message(): WireReader {
    return new WireReader(this.#bytes, this.start, this.end);
  }

  #skip(length: number): void {
    this.#offset += length;
    this.start = this.end = this.#offset;
  }

  #readVarint(): number {
    let value = 0;
    let factor = 1;
    for (;;) {
      const byte = this.#bytes[this.#offset];
      if (byte === undefined || this.#offset >= this.#end) {
        throw new RangeError(`Not a protobuf message: a number is cut off at byte ${this.#offset}.`);
      }
      this.#offset += 1;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
  }
}
