/** An object that streams keep in memory, and its size. Several streams may keep the same object. */
export interface HeldObject {
  readonly object: object;
  /** Size of the object without its parts. */
  readonly bytes: number;
  /** The parts that the object shares with other objects; the same at every call. */
  parts?(): Iterable<HeldObject>;
}

interface Count {
  streams: number;
  readonly bytes: number;
}

/** Counts the bytes of objects that streams hold: an object that several of them hold counts once. */
export class HeldBytes {
  readonly #counts = new Map<object, Count>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  add(held: HeldObject): void {
    const { object, bytes } = held;
    const known = this.#counts.get(object);
    if (known !== undefined) {
      known.streams++;
      return;
    }
    this.#counts.set(object, { streams: 1, bytes });
    this.#total += bytes;
    for (const part of held.parts?.() ?? []) this.add(part);
  }

  remove(held: HeldObject): void {
    const { object } = held;
    const known = this.#counts.get(object);
    if (known === undefined) return;
    known.streams--;
    if (known.streams > 0) return;
    this.#counts.delete(object);
    this.#total -= known.bytes;
    for (const part of held.parts?.() ?? []) this.remove(part);
  }
}
