/** An encoded message in pieces, one after another on the wire. Messages share large pieces, which are never copied. */
export interface WireMessage {
  readonly pieces: readonly Uint8Array[];
  readonly byteLength: number;
}

export function createWireMessage(pieces: readonly Uint8Array[]): WireMessage {
  let byteLength = 0;
  for (const piece of pieces) byteLength += piece.length;
  return { pieces, byteLength };
}
