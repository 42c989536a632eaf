/** An encoded message in pieces, one after another on the wire. Messages share large pieces, which are never copied. */
export interface WireMessage {
  readonly pieces: readonly Uint8Array[];
  readonly byteLength: number;
}

/** To join fewer bytes costs less than to write the pieces one by one, to each of the streams that share the message. */
const JOINED_BYTES = 16 << 10;

export function createWireMessage(pieces: readonly Uint8Array[]): WireMessage {
  let byteLength = 0;
  for (const piece of pieces) byteLength += piece.length;
  return { pieces, byteLength };
}

/** The pieces of gRPC frames, made once for each message however many streams write it. */
export interface FramePieces {
  /** The 5-byte prefix of an uncompressed frame, then the message. A short frame is one piece. */
  of(message: WireMessage): readonly Uint8Array[];
}

export function createFramePieces(): FramePieces {
  const known = new WeakMap<WireMessage, readonly Uint8Array[]>();
  return {
    of: (message) => {
      let pieces = known.get(message);
      if (pieces === undefined) {
        pieces = framePieces(message);
        known.set(message, pieces);
      }
      return pieces;
    },
  };
}

function framePieces({ pieces, byteLength }: WireMessage): readonly Uint8Array[] {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(byteLength, 1);
  const all = [prefix, ...pieces];
  return byteLength > JOINED_BYTES ? all : [Buffer.concat(all)];
}
