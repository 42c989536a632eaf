/**
 * An encoded message in pieces, one after another on the wire. Large pieces are shared by every message that
 * has them, and nobody copies them before the transport does.
 */
export interface WireMessage {
  readonly pieces: readonly Uint8Array[];
  readonly byteLength: number;
}

export function createWireMessage(pieces: readonly Uint8Array[]): WireMessage {
  let byteLength = 0;
  for (const piece of pieces) byteLength += piece.length;
  return { pieces, byteLength };
}

/** Copies the whole message into a buffer, from an offset on. */
export function copyWireMessage({ pieces }: WireMessage, target: Uint8Array, offset = 0): void {
  let position = offset;
  for (const piece of pieces) {
    target.set(piece, position);
    position += piece.length;
  }
}
